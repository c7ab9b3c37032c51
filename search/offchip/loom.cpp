#include "search/offchip/loom.h"

#include <algorithm>
#include <utility>

#include "model/buffer_parts.h"
#include "model/derived.h"

namespace tessera {

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
  const auto exempt = exempt_pairs(problem);
  std::vector<std::pair<BufferIndex, BufferIndex>> disjoint;
  for (const Relation& relation : problem.relations) {
    if (relation.kind != RelationKind::disjoint) continue;
    for (const BufferIndex a : relation.buffers)
      for (const BufferIndex b : relation.buffers)
        if (a < b) disjoint.emplace_back(a, b);
  }
  std::sort(disjoint.begin(), disjoint.end());
  const auto named = [](const auto& pairs, BufferIndex a, BufferIndex b) {
    return std::binary_search(pairs.begin(), pairs.end(), std::pair(a, b));
  };
  for (std::size_t i = 0; i < threads_.size(); ++i)
    for (std::size_t j = i + 1; j < threads_.size(); ++j) {
      poll();
      const BufferIndex a = threads_[i].buffer;
      const BufferIndex b = threads_[j].buffer;
      const Buffer& first = problem.buffers[a];
      const Buffer& second = problem.buffers[b];
      const bool always = named(disjoint, a, b);
      if (!always && (named(exempt, a, b) || first.live.back().upper <= second.live.front().lower ||
                      second.live.back().upper <= first.live.front().lower))
        continue;
      Differences apart = always ? shared_differences(first, second, poll)
                                 : forbidden_differences(first, second, poll);
      if (apart.empty()) continue;
      poll.room(static_cast<double>(apart.size() * sizeof(AddressRange)));
      threads_[i].rivals.push_back({j, differences_.size(), true});
      threads_[j].rivals.push_back({i, differences_.size(), false});
      differences_.push_back(std::move(apart));
    }
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

}  // namespace tessera
