#include "search/tiles/load_test.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "model/derived.h"

namespace tessera {
namespace {

/// Sets of buffers live at one step that no other step's set contains, in the order of steps.
std::vector<std::vector<BufferIndex>> maximal_live_sets(const PlacementProblem& problem) {
  std::vector<std::vector<BufferIndex>> sets;
  for (Step step = 0; step < horizon(problem); ++step) {
    std::vector<BufferIndex> live;
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
      if (live_at(problem.buffers[b], step)) live.push_back(b);
    const auto inside = [](const auto& small, const auto& large) {
      return small.size() <= large.size() && std::ranges::includes(large, small);
    };
    if (std::ranges::any_of(sets, [&](const auto& other) { return inside(live, other); })) continue;
    std::erase_if(sets, [&](const auto& other) { return inside(other, live); });
    sets.push_back(std::move(live));
  }
  return sets;
}

Size round_up(Size size, Size granule) {
  return granule == 1 ? size : align_up(size, granule);
}

}  // namespace

LoadTest::LoadTest(const PlacementProblem& problem) {
  std::vector<BufferIndex> before;
  for (std::vector<BufferIndex>& live : maximal_live_sets(problem)) {
    Change change;
    std::ranges::set_difference(live, before, std::back_inserter(change.born));
    std::ranges::set_difference(before, live, std::back_inserter(change.dead));
    changes_.push_back(std::move(change));
    before = std::move(live);
  }
  for (const Memory& memory : problem.memories) {
    Size reserved = 0;
    for (const AddressRange& range : memory.reserved) reserved += range.size();
    granules_.push_back(memory.reserved.empty() ? memory.alignment : 1);
    common_granule_ = std::gcd(common_granule_, granules_.back());
    room_.push_back(std::max<Size>(0, align_up(memory.capacity, granules_.back()) - reserved));
    all_room_ += room_.back();
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
