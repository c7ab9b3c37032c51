#include "placer/group_heights.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "model/derived.h"
#include "search/placement/bounds.h"
#include "tessera/check.h"

namespace tessera::placer {

namespace {

/// The values of the group, in descending order.
std::vector<Size> falling(const std::vector<Size>& values, const std::vector<MemoryIndex>& group) {
  std::vector<Size> own;
  own.reserve(group.size());
  for (const MemoryIndex m : group) own.push_back(values[m]);
  std::sort(own.begin(), own.end(), std::greater<>());
  return own;
}

}  // namespace

GroupHeights::GroupHeights(const PlacementProblem& problem, const std::vector<MemoryIndex>& group,
                           const HeightParams& params, Decision& best)
    : problem_(problem), group_(group), params_(params), best_(best) {
  // The k-th largest height is at least the k-th largest of the bounds.
  least_ = falling(from_origins(params.lower_bounds, params.origins), group);
  undecided_ = {Limits(group.size())};
}

std::vector<Size> GroupHeights::reached() const {
  return falling(from_origins(heights(problem_, *best_.found.placement), params_.origins), group_);
}

std::optional<StopReason> GroupHeights::minimise() {
  for (std::size_t rank = 0; rank < group_.size(); ++rank) {
    if (const auto stopped = lower(rank)) return stopped;
    const std::vector<Size> now = reached();
    // equal to the bounds, like all that follow
    if (std::equal(now.begin(), now.end(), least_.begin())) break;
    // Infeasible at the heights reached implies infeasible below them.
    if (undecided_.size() > 1 && rank + 1 < group_.size())
      std::erase_if(undecided_, [&](const Limits& limits) {
        return ask_within(limits, now[rank]).found.status == Status::infeasible;
      });
    give_to_each(now[rank]);
  }
  return std::nullopt;
}

/// Bisection on the height of this rank; larger heights stay at the values reached.
std::optional<StopReason> GroupHeights::lower(std::size_t rank) {
  const Size granule = search::height_granule(problem_);
  Size& low = least_[rank];
  low = align_up(low, granule);
  for (bool first = true;; first = false) {
    const std::vector<Size> before = reached();
    const Size high = before[rank];
    low = std::min(low, high);
    if (params_.progress) {
      std::vector<Size> bounds = params_.lower_bounds;
      if (group_.size() == 1) bounds[group_.front()] = low + params_.origin(group_.front());
      params_.progress(heights(problem_, *best_.found.placement), bounds);
    }
    if (low == high) return std::nullopt;
    // Placements meet the bound itself more often than other values.
    const Size target = first ? low : low + align_down((high - granule - low) / 2, granule);
    Decision answer = ask(target);
    if (answer.found.status == Status::unknown) return answer.found.stop;
    if (answer.found.status == Status::infeasible) {
      low = target + granule;
      continue;
    }
    answer.found.stats = std::move(best_.found.stats);
    std::swap(best_, answer);
    if (reached() < before) continue;
    // If only used bytes can be limited, the placement may not be lower: stop here.
    answer.found.stats = std::move(best_.found.stats);
    best_ = std::move(answer);
    return StopReason::completed;
  }
}

Decision GroupHeights::ask(Size target) const {
  Decision none;
  none.found.status = Status::infeasible;
  for (const Limits& limits : undecided_) {
    Decision answer = ask_within(limits, target);
    if (answer.found.status == Status::feasible) return answer;
    if (answer.found.status == Status::unknown) none = std::move(answer);
  }
  return none;
}

Decision GroupHeights::ask_within(const Limits& limits, Size target) const {
  PlacementProblem lower = problem_;
  const bool parts = facts::features_of(problem_).contains(facts::Feature::parts);
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const Size end = params_.origin(group_[i]) + limits[i].value_or(target);
    limit_ends(lower.memories[group_[i]], end, parts);
  }
  engine::SearchParams search = params_.search;
  search.goal = Objective::fit;
  DecideParams quiet = params_.settings;
  quiet.phase = nullptr;
  return decide(lower, search, quiet);
}

/// One more memory gets a limit. Of interchangeable memories only the first is tried.
void GroupHeights::give_to_each(Size height) {
  std::set<Limits> next;
  for (const Limits& limits : undecided_) {
    for (std::size_t i = 0; i < limits.size(); ++i) {
      bool told = limits[i].has_value();
      for (std::size_t j = 0; j < i && !told; ++j) told = !limits[j] && interchangeable(j, i);
      if (told) continue;
      Limits more = limits;
      more[i] = height;
      next.insert(std::move(more));
    }
  }
  undecided_.assign(next.begin(), next.end());
}

bool GroupHeights::interchangeable(std::size_t i, std::size_t j) const {
  if (!problem_.rules.empty()) return false;
  const Memory& one = problem_.memories[group_[i]];
  const Memory& other = problem_.memories[group_[j]];
  if (!one.banks.empty() || !other.banks.empty() || has_modes(one) || has_modes(other) ||
      one.capacity != other.capacity || one.alignment != other.alignment ||
      one.base != other.base || one.reserved != other.reserved)
    return false;
  return std::all_of(problem_.buffers.begin(), problem_.buffers.end(), [&](const Buffer& buffer) {
    const std::vector<MemoryIndex> allowed = allowed_memories(problem_, buffer);
    return std::binary_search(allowed.begin(), allowed.end(), group_[i]) ==
           std::binary_search(allowed.begin(), allowed.end(), group_[j]);
  });
}

}  // namespace tessera::placer
