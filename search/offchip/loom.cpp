#include "search/offchip/loom.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "model/buffer_parts.h"
#include "model/derived.h"

namespace tessera::search {
namespace {

/// Sorted, each once, the smaller number first.
std::vector<std::pair<BufferIndex, BufferIndex>> disjoint_pairs(const PlacementProblem& problem,
                                                                Poll& poll) {
  std::vector<std::pair<BufferIndex, BufferIndex>> pairs;
  for (const Relation& relation : problem.relations) {
    if (relation.kind != RelationKind::disjoint) continue;
    for (std::size_t i = 0; i < relation.buffers.size(); ++i) {
      poll(static_cast<std::int64_t>(i));
      for (std::size_t j = 0; j < i; ++j)
        pairs.push_back(std::minmax(relation.buffers[i], relation.buffers[j]));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

Loom::Loom(const PlacementProblem& problem, MemoryIndex m, Poll& poll) {
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    if (allowed_memories(problem, problem.buffers[b]).front() == m) add_thread(problem, m, b, poll);
  add_rivals(problem, poll);
  offsets_.assign(threads_.size(), nowhere);
}

void Loom::add_thread(const PlacementProblem& problem, MemoryIndex m, BufferIndex b, Poll& poll) {
  const Buffer& buffer = problem.buffers[b];
  const Memory& memory = problem.memories[m];
  const AddressRange hull = extent(buffer);
  Thread thread{.buffer = b,
                .size = buffer.size,
                .alignment = effective_alignment(buffer, memory),
                .first = 0,
                .last = memory.capacity - buffer.size,
                .fixed = buffer.offset.has_value(),
                .blocked = {},
                .rivals = {}};
  if (buffer.window) {
    thread.first = std::max(thread.first, buffer.window->begin - hull.begin);
    thread.last = std::min(thread.last, buffer.window->end - hull.end);
  }
  if (buffer.offset) {
    thread.first = std::max(thread.first, *buffer.offset);
    thread.last = std::min(thread.last, *buffer.offset);
  }
  for (const AddressRange& reserved : memory.reserved)
    for (const AddressRange& wrong : touching_offsets(buffer, reserved, poll))
      thread.blocked.push_back(wrong);
  threads_.push_back(std::move(thread));
}

void Loom::add_rivals(const PlacementProblem& problem, Poll& poll) {
  const auto life = [&](std::size_t k) { return hull_of(problem.buffers[threads_[k].buffer]); };
  const auto disjoint = disjoint_pairs(problem, poll);
  const auto exempt = exempt_pairs(problem);
  const auto named = [&](const auto& pairs, std::size_t i, std::size_t j) {
    return std::binary_search(pairs.begin(), pairs.end(),
                              std::pair(std::min(threads_[i].buffer, threads_[j].buffer),
                                        std::max(threads_[i].buffer, threads_[j].buffer)));
  };
  std::vector<std::size_t> by_start(threads_.size());
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](std::size_t i, std::size_t j) { return life(i).lower < life(j).lower; });
  for (auto i = by_start.begin(); i != by_start.end(); ++i)
    for (auto j = std::next(i); j != by_start.end() && life(*j).lower < life(*i).upper; ++j) {
      poll();
      if (named(disjoint, *i, *j) || named(exempt, *i, *j)) continue;
      add_pair(*i, *j,
               forbidden_differences(problem.buffers[threads_[*i].buffer],
                                     problem.buffers[threads_[*j].buffer], poll),
               poll);
    }
  // Threads are in the order of their buffers.
  const auto thread_of = [this](BufferIndex b) {
    const auto at = std::lower_bound(
        threads_.begin(), threads_.end(), b,
        [](const Thread& thread, BufferIndex buffer) { return thread.buffer < buffer; });
    return at != threads_.end() && at->buffer == b ? std::optional(at - threads_.begin())
                                                   : std::nullopt;
  };
  for (const auto& [a, b] : disjoint) {
    const auto i = thread_of(a);
    const auto j = thread_of(b);
    if (!i || !j) continue;
    add_pair(static_cast<std::size_t>(*i), static_cast<std::size_t>(*j),
             shared_differences(problem.buffers[a], problem.buffers[b], poll), poll);
  }
}

void Loom::add_pair(std::size_t i, std::size_t j, Differences apart, Poll& poll) {
  if (apart.empty()) return;
  poll.room(static_cast<double>(apart.size() * sizeof(AddressRange)));
  threads_[i].rivals.push_back({j, differences_.size(), true});
  threads_[j].rivals.push_back({i, differences_.size(), false});
  differences_.push_back(std::move(apart));
}

std::vector<std::size_t> Loom::rivals(std::size_t k) const {
  std::vector<std::size_t> result;
  for (const Rival& rival : threads_[k].rivals) result.push_back(rival.other);
  return result;
}

void Loom::clear() {
  std::fill(offsets_.begin(), offsets_.end(), nowhere);
}

bool Loom::place(std::size_t k) {
  const Thread& thread = threads_[k];
  blocked_.assign(thread.blocked.begin(), thread.blocked.end());
  for (const Rival& rival : thread.rivals) {
    const Offset at = offsets_[rival.other];
    if (at == nowhere) continue;
    // The differences are the second offset minus the first; of the first one's offset they are
    // the negative ones.
    for (const AddressRange& range : differences_[rival.differences]) {
      const AddressRange wrong =
          rival.turned ? AddressRange{at - range.end + 1, at - range.begin + 1} : range.at(at);
      if (wrong.end > thread.first && wrong.begin <= thread.last) blocked_.push_back(wrong);
    }
  }
  std::sort(blocked_.begin(), blocked_.end());
  Offset at = align_up(std::max<Offset>(thread.first, 0), thread.alignment);
  for (const AddressRange& wrong : blocked_) {
    if (wrong.begin > at) break;
    if (wrong.end > at) at = align_up(wrong.end, thread.alignment);
  }
  if (at > thread.last) return false;
  offsets_[k] = at;
  return true;
}

Size Loom::height() const {
  Size height = 0;
  for (std::size_t k = 0; k < threads_.size(); ++k)
    if (placed(k)) height = std::max(height, end(k));
  return height;
}

}  // namespace tessera::search
