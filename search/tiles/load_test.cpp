#include "search/tiles/load_test.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <utility>

#include "model/derived.h"

namespace tessera {
namespace {

/// Somebody begins or ends to live.
struct Event {
  Step step = 0;
  bool born = false;  ///< who dies at a step leaves before who is born at it
  BufferIndex who = 0;
  auto operator<=>(const Event&) const = default;
};

std::vector<Event> events_of(const PlacementProblem& problem) {
  std::vector<Event> events;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    for (const StepRange& steps : problem.buffers[b].live) {
      events.push_back({steps.lower, true, b});
      events.push_back({steps.upper, false, b});
    }
  std::ranges::sort(events);
  return events;
}

/// Ranges may overlap.
Size bytes_of(std::vector<AddressRange> ranges) {
  std::ranges::sort(ranges);
  Size bytes = 0;
  Size end = 0;
  for (const AddressRange& range : ranges) {
    bytes += std::max<Size>(0, range.end - std::max(end, range.begin));
    end = std::max(end, range.end);
  }
  return bytes;
}

Size round_up(Size size, Size granule) {
  return granule == 1 ? size : align_up(size, granule);
}

}  // namespace

LoadTest::LoadTest(const PlacementProblem& problem) {
  // A set of buffers alive together is as large as it gets when somebody is about to leave it and
  // somebody came since the last one that was.
  Change change;
  for (const Event& event : events_of(problem)) {
    if (event.born) {
      change.born.push_back(event.who);
      continue;
    }
    if (!change.born.empty()) changes_.push_back(std::exchange(change, {}));
    change.dead.push_back(event.who);
  }
  for (const Memory& memory : problem.memories) {
    granules_.push_back(memory.reserved.empty() ? memory.alignment : 1);
    common_granule_ = std::gcd(common_granule_, granules_.back());
    room_.push_back(
        std::max<Size>(0, align_up(memory.capacity, granules_.back()) - bytes_of(memory.reserved)));
    all_room_ = std::min(unbounded, all_room_ + room_.back());
  }
  for (const Buffer& buffer : problem.buffers) {
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, buffer);
    tied_to_.push_back(allowed.size() == 1 ? allowed.front() : problem.memories.size());
  }
  rounded_.resize(problem.buffers.size());
  tied_size_.resize(problem.buffers.size());
  tied_load_.resize(problem.memories.size() + 1);
}

Size LoadTest::worst(const std::vector<Size>& sizes, bool any) {
  const bool several = room_.size() > 1;  // with one memory both counts are the same
  for (BufferIndex b = 0; b < sizes.size(); ++b) {
    rounded_[b] = round_up(sizes[b], common_granule_);
    if (several && tied_to_[b] < room_.size())
      tied_size_[b] = round_up(sizes[b], granules_[tied_to_[b]]);
  }
  Size worst = 0;
  Size all = -all_room_;
  if (several) std::ranges::fill(tied_load_, 0);
  for (const Change& change : changes_) {
    for (const BufferIndex b : change.dead) all -= rounded_[b];
    for (const BufferIndex b : change.born) all += rounded_[b];
    worst = std::max(worst, all);
    if (several) {
      for (const BufferIndex b : change.dead) tied_load_[tied_to_[b]] -= tied_size_[b];
      for (const BufferIndex b : change.born) tied_load_[tied_to_[b]] += tied_size_[b];
      for (MemoryIndex m = 0; m < room_.size(); ++m)
        worst = std::max(worst, tied_load_[m] - room_[m]);
    }
    if (any && worst > 0) return worst;
  }
  return worst;
}

}  // namespace tessera
