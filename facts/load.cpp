#include "facts/load.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <utility>

#include "facts/free_space.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/relations.h"

namespace tessera::facts {
namespace {

/// Begin or end of the life of a part.
struct Event {
  Step step = 0;
  bool born = false;  ///< at one step, ends come before begins
  std::size_t part = 0;
  auto operator<=>(const Event&) const = default;
};

Size round_up(Size size, Size granule) {
  return granule == 1 ? size : align_up(size, granule);
}

}  // namespace

LoadTest::LoadTest(const PlacementProblem& problem) {
  gather_parts(problem);
  gather_capacities(problem);
}

void LoadTest::gather_parts(const PlacementProblem& problem) {
  std::vector<char> exempt(problem.buffers.size(), 0);
  for (const Relation& relation : problem.relations)
    if (meaning(relation.kind).lifts_overlap)
      for (const BufferIndex b : relation.buffers) exempt[b] = 1;
  std::vector<Event> events;
  const auto add = [&](BufferIndex b, Size window, const StepRange& steps) {
    events.push_back({steps.lower, true, parts_.size()});
    events.push_back({steps.upper, false, parts_.size()});
    parts_.push_back({b, window});
  };
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (exempt[b] != 0) continue;
    if (!problem.buffers[b].parts.empty()) {
      for (const Load& load : loads(problem.buffers[b])) add(b, load.bytes, load.steps);
      continue;
    }
    Buffer marked = problem.buffers[b];
    marked.size = unbounded;  // larger than any window, which distinguishes the whole from a window
    for (const Segment& segment : segments(marked))
      add(b, segment.range.end == unbounded ? 0 : segment.range.size(), segment.steps);
  }
  std::ranges::sort(events);
  // A set of live parts is maximal if the next event is an end, and a part began since the last
  // maximal set.
  Change change;
  for (const Event& event : events) {
    if (event.born) {
      change.born.push_back(event.part);
      continue;
    }
    if (!change.born.empty()) changes_.push_back(std::exchange(change, {}));
    change.dead.push_back(event.part);
  }
}

void LoadTest::gather_capacities(const PlacementProblem& problem) {
  const bool windows =
      std::ranges::any_of(parts_, [](const Part& part) { return part.window > 0; });
  for (const Memory& memory : problem.memories) {
    granules_.push_back(memory.reserved.empty() && !windows ? memory.alignment : 1);
    common_granule_ = std::gcd(common_granule_, granules_.back());
    Memory rounded = memory;
    if (memory.capacity != unbounded)
      rounded.capacity = align_up(memory.capacity, granules_.back());
    capacity_.push_back(free_bytes(rounded));
    total_capacity_ = std::min(unbounded, total_capacity_ + capacity_.back());
  }
  for (const Part& part : parts_) {
    const std::vector<MemoryIndex> allowed =
        allowed_memories(problem, problem.buffers[part.buffer]);
    tied_to_.push_back(allowed.size() == 1 ? allowed.front() : problem.memories.size());
  }
  rounded_.resize(parts_.size());
  tied_size_.resize(parts_.size());
  tied_load_.resize(problem.memories.size() + 1);
}

Size LoadTest::worst(const std::vector<Size>& sizes, bool any) {
  const bool several = capacity_.size() > 1;  // with one memory both counts are equal
  for (PartIndex k = 0; k < parts_.size(); ++k) {
    const Size size = parts_[k].window > 0 ? parts_[k].window : sizes[parts_[k].buffer];
    rounded_[k] = round_up(size, common_granule_);
    if (several && tied_to_[k] < capacity_.size())
      tied_size_[k] = round_up(size, granules_[tied_to_[k]]);
  }
  Size worst = 0;
  Size all = -total_capacity_;
  if (several) std::ranges::fill(tied_load_, 0);
  for (const Change& change : changes_) {
    for (const PartIndex k : change.dead) all -= rounded_[k];
    for (const PartIndex k : change.born) all += rounded_[k];
    worst = std::max(worst, all);
    if (several) {
      for (const PartIndex k : change.dead) tied_load_[tied_to_[k]] -= tied_size_[k];
      for (const PartIndex k : change.born) tied_load_[tied_to_[k]] += tied_size_[k];
      for (MemoryIndex m = 0; m < capacity_.size(); ++m)
        worst = std::max(worst, tied_load_[m] - capacity_[m]);
    }
    if (any && worst > 0) return worst;
  }
  return worst;
}

}  // namespace tessera::facts
