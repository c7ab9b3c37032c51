#include "search/placement/boxing/assign.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "model/derived.h"

namespace tessera::search::boxing {

namespace {

/// The load of a memory over time, with range addition and range maximum.
class LoadTree {
 public:
  explicit LoadTree(std::size_t steps)
      : base_(std::bit_ceil(std::max<std::size_t>(steps, 1))),
        top_(2 * base_, 0),
        added_(2 * base_, 0) {}
  void add(std::size_t lower, std::size_t upper, Size size) {
    add(1, 0, base_, lower, upper, size);
  }
  [[nodiscard]] Size most(std::size_t lower, std::size_t upper) const {
    return most(1, 0, base_, lower, upper);
  }

 private:
  void add(std::size_t node, std::size_t l, std::size_t u, std::size_t lower, std::size_t upper,
           Size size) {
    if (lower <= l && u <= upper) {
      top_[node] += size;
      added_[node] += size;
      return;
    }
    const std::size_t middle = l + (u - l) / 2;
    if (lower < middle) add(2 * node, l, middle, lower, upper, size);
    if (upper > middle) add(2 * node + 1, middle, u, lower, upper, size);
    top_[node] = added_[node] + std::max(top_[2 * node], top_[2 * node + 1]);
  }
  [[nodiscard]] Size most(std::size_t node, std::size_t l, std::size_t u, std::size_t lower,
                          std::size_t upper) const {
    if (lower <= l && u <= upper) return top_[node];
    const std::size_t middle = l + (u - l) / 2;
    Size found = 0;
    if (lower < middle) found = most(2 * node, l, middle, lower, upper);
    if (upper > middle) found = std::max(found, most(2 * node + 1, middle, u, lower, upper));
    return found + added_[node];
  }

  std::size_t base_;
  std::vector<Size> top_;
  std::vector<Size> added_;
};

}  // namespace

std::vector<MemoryIndex> assign_memories(const PlacementProblem& problem) {
  std::vector<MemoryIndex> memory_of(problem.buffers.size(), 0);
  std::vector<BufferIndex> free;
  if (problem.memories.size() == 1) return memory_of;
  std::vector<Step> births;
  for (const Buffer& buffer : problem.buffers) births.push_back(buffer.live.front().lower);
  std::sort(births.begin(), births.end());
  births.erase(std::unique(births.begin(), births.end()), births.end());
  // Loads change at births and deaths; maxima are at births.
  const auto position = [&](Step step) {
    return static_cast<std::size_t>(std::lower_bound(births.begin(), births.end(), step) -
                                    births.begin());
  };
  std::vector<LoadTree> loads(problem.memories.size(), LoadTree(births.size()));
  const auto put = [&](BufferIndex b, MemoryIndex m) {
    const Buffer& buffer = problem.buffers[b];
    memory_of[b] = m;
    loads[m].add(position(buffer.live.front().lower), position(buffer.live.back().upper),
                 buffer.size);
  };
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, problem.buffers[b]);
    if (allowed.size() == 1)
      put(b, allowed.front());
    else
      free.push_back(b);
  }
  std::stable_sort(free.begin(), free.end(), [&](BufferIndex a, BufferIndex b) {
    return problem.buffers[a].size > problem.buffers[b].size;
  });
  for (const BufferIndex b : free) {
    const Buffer& buffer = problem.buffers[b];
    const std::size_t lower = position(buffer.live.front().lower);
    const std::size_t upper = position(buffer.live.back().upper);
    std::optional<MemoryIndex> best;
    double least = 0;
    for (const MemoryIndex m : allowed_memories(problem, buffer)) {
      const Memory& memory = problem.memories[m];
      const auto after = static_cast<double>(loads[m].most(lower, upper) + buffer.size);
      // Memories without a capacity are compared by their load, after all others.
      const double filling = memory.capacity >= unbounded
                                 ? 1 + after / static_cast<double>(unbounded)
                                 : after / static_cast<double>(memory.capacity);
      if (!best || filling < least) {
        best = m;
        least = filling;
      }
    }
    put(b, *best);
  }
  return memory_of;
}

}  // namespace tessera::search::boxing
