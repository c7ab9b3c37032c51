#include "search/offchip/board.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "model/buffer_parts.h"
#include "model/derived.h"

namespace tessera::search {
namespace {

/// Sorted and unique, the smaller index first.
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

Board::Board(const PlacementProblem& problem, MemoryIndex m, Poll& poll) {
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    if (allowed_memories(problem, problem.buffers[b]).front() == m) add_entry(problem, m, b, poll);
  add_rivals(problem, poll);
  offsets_.assign(entries_.size(), nowhere);
}

void Board::add_entry(const PlacementProblem& problem, MemoryIndex m, BufferIndex b, Poll& poll) {
  const Buffer& buffer = problem.buffers[b];
  const Memory& memory = problem.memories[m];
  const AddressRange hull = extent(buffer);
  Entry thread{.buffer = b,
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
  entries_.push_back(std::move(thread));
}

void Board::add_rivals(const PlacementProblem& problem, Poll& poll) {
  const auto life = [&](std::size_t k) { return hull_of(problem.buffers[entries_[k].buffer]); };
  const auto disjoint = disjoint_pairs(problem, poll);
  const auto exempt = exempt_pairs(problem);
  const auto named = [&](const auto& pairs, std::size_t i, std::size_t j) {
    return std::binary_search(pairs.begin(), pairs.end(),
                              std::pair(std::min(entries_[i].buffer, entries_[j].buffer),
                                        std::max(entries_[i].buffer, entries_[j].buffer)));
  };
  std::vector<std::size_t> by_start(entries_.size());
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](std::size_t i, std::size_t j) { return life(i).lower < life(j).lower; });
  for (auto i = by_start.begin(); i != by_start.end(); ++i)
    for (auto j = std::next(i); j != by_start.end() && life(*j).lower < life(*i).upper; ++j) {
      poll();
      if (named(disjoint, *i, *j) || named(exempt, *i, *j)) continue;
      add_pair(*i, *j,
               forbidden_differences(problem.buffers[entries_[*i].buffer],
                                     problem.buffers[entries_[*j].buffer], poll),
               poll);
    }
  // Entries are sorted by buffer.
  const auto thread_of = [this](BufferIndex b) {
    const auto at = std::lower_bound(
        entries_.begin(), entries_.end(), b,
        [](const Entry& thread, BufferIndex buffer) { return thread.buffer < buffer; });
    return at != entries_.end() && at->buffer == b ? std::optional(at - entries_.begin())
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

void Board::add_pair(std::size_t i, std::size_t j, Differences apart, Poll& poll) {
  if (apart.empty()) return;
  poll.check_memory(static_cast<double>(apart.size() * sizeof(AddressRange)));
  entries_[i].rivals.push_back({j, differences_.size(), true});
  entries_[j].rivals.push_back({i, differences_.size(), false});
  differences_.push_back(std::move(apart));
}

std::vector<std::size_t> Board::rivals(std::size_t k) const {
  std::vector<std::size_t> result;
  for (const Rival& rival : entries_[k].rivals) result.push_back(rival.other);
  return result;
}

void Board::clear() {
  std::fill(offsets_.begin(), offsets_.end(), nowhere);
}

bool Board::place(std::size_t k) {
  const Entry& thread = entries_[k];
  blocked_.assign(thread.blocked.begin(), thread.blocked.end());
  for (const Rival& rival : thread.rivals) {
    const Offset at = offsets_[rival.other];
    if (at == nowhere) continue;
    // The differences are the second offset minus the first. For the first one's offset their signs
    // are inverted.
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

Size Board::height() const {
  Size height = 0;
  for (std::size_t k = 0; k < entries_.size(); ++k)
    if (placed(k)) height = std::max(height, end(k));
  return height;
}

}  // namespace tessera::search
