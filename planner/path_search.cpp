#include "planner/path_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "cost/group_bound.h"
#include "cost/score.h"
#include "model/off_chip.h"
#include "planner/early.h"
#include "planner/peaks.h"
#include "planner/piece.h"
#include "planner/planning.h"
#include "planner/shape_goal.h"
#include "search/partition/structure.h"
#include "tiling/subgraph.h"

namespace tessera::planner {
namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();
/// Weights of the ratio in estimates.
constexpr std::array weights{1.0, 0.75, 0.5, 0.25, 0.0};
/// Factor of the ratio from a group to the next longer one that is not known.
constexpr double growth = 1.05;
/// Ends the descent to less memory after so many levels without a better plan.
constexpr int most_in_vain = 2;
/// While the search goes on, the bound gets such a part of its work.
constexpr std::int64_t bound_part = 8;

std::int64_t work_of(const Network& network, const PlanParams& params) {
  const auto ops = static_cast<std::int64_t>(network.ops.size()) + more_plan_ops;
  return params.effort > thorough_plan_effort / ops ? thorough_plan_effort : params.effort * ops;
}

}  // namespace

PathSearch::PathSearch(const Network& network, const Hardware& hardware, const PlanParams& params,
                       const NetworkPlan& plan)
    : LaterLook(network, hardware, params, plan),
      groups_(network, within_, params),
      most_work_(work_of(network, params)) {
  // Several memories may be divided otherwise within a limit on their sum.
  const bool decided = !limits_.any() || decides(hardware, limits_);
  if (groups_.whole && decided && params.tile_shapes > 0 && params.proof_shapes > 0)
    bound_.emplace(network, hardware, params, plan, groups_, false);
  if (bound_ && params.residency && may_come_early(network, hardware))
    early_.emplace(network, hardware, params, plan, groups_, true);
}

PathResult PathSearch::run(const Runs& start) {
  find_bounds();
  note_shares(start);
  best_ = start.empty() ? impossible : score_of(start);
  start_with(start);
  levels_ = {{.cap = capacity(),
              .peak = start.empty() ? capacity() : std::min(capacity(), peak_of(start))}};
  take_start();
  result_.complete = explore() || proved();
  raise_bound(most_work_);
  if (bound_) result_.bound = early_ ? early_->least() : proved() ? best_ : bound_->least();
  if (bound_) {
    note_floors(start);
    for (const Runs& runs : result_.plans) note_floors(runs);
  }
  if (bound_) result_.work += bound_->work();
  if (early_) result_.work += early_->work();
  const bool all_items = groups_.may.others.empty() && groups_.whole;
  // Joint placements may switch modes less often than those of single groups.
  const bool modes = std::ranges::any_of(hardware_.memories, [](const HardwareMemory& memory) {
    return memory.space.modes.size() > 1;
  });
  const bool peaks = cost::peak_weight(score_) > 0;
  result_.exact =
      result_.complete && all_items && !modes && !peaks && limits_of_edges_.empty() && !unresolved_;
  PlanSearch& counts = result_.search;
  counts.pruned = static_cast<std::int64_t>(bounds_.size() - tiled_.size());
  counts.candidates = counts.solved + counts.reused + counts.pruned;
  return std::move(result_);
}

/// These groups are in their largest tiles. With no others to choose from, they are chosen for
/// their peaks, too.
void PathSearch::start_with(const Runs& runs) {
  if (params_.tile_shapes == 0) return;
  for (const PlannedSubgraph& group : runs)
    if (const std::optional<std::size_t> edge = edge_of(group)) keep_group(*edge, group);
}

void PathSearch::keep_group(std::size_t edge, PlannedSubgraph group) {
  const double cost = cost::additive_score(score_, group.metrics);
  keep(edge, {.tiled = {.cap = capacity(), .cost = cost, .group = std::move(group)}});
}

/// Groups that are not on this machine, or do not fit, are left out. They take no work from the
/// search.
void PathSearch::take_start() {
  if (!params_.start) return;
  const std::int64_t work = result_.work;
  for (const PlannedSubgraph& group : params_.start->subgraphs) {
    const std::optional<std::size_t> edge = edge_of(group);
    if (!edge) continue;
    Candidates candidates(network_, within_, candidates_with(groups_.residents(*edge)),
                          params_.memory);
    static_cast<void>(answer_of(candidates, group.ops));
    const Candidates::Placed placed = candidates.place(
        group.ops, {.variant = group.variant, .shape = {group.extent}}, capacity());
    if (placed.status == Status::feasible)
      keep_group(*edge, group_of(candidates, group.ops,
                                 candidates.answer(group.ops)->options[placed.option]));
  }
  result_.work = work;
  if (const auto path = known_path(levels_.front())) place(*path, levels_.front());
}

bool PathSearch::explore() {
  for (const double weight : weights) {
    std::vector<std::size_t> order(levels_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return levels_[k].score; });
    for (const std::size_t k : order)
      if (!search(levels_[k], weight)) return false;
    if (!descend(weight)) return false;
  }
  return !descends() || descend_to_all_peaks();
}

bool PathSearch::descends() const {
  return cost::peak_weight(score_) > 0;
}

/// Less and less memory, while that gives better plans.
bool PathSearch::descend(double weight) {
  if (!descends()) return true;
  const auto best = std::ranges::min_element(levels_, {}, &Level::score);
  auto in_vain = static_cast<int>(levels_.end() - best) - 1;
  while (in_vain < most_in_vain) {
    const Size cap = level_below(std::min(levels_.back().cap, levels_.back().peak));
    if (cap == 0) break;
    const double before = best_;
    levels_.push_back({.cap = cap, .peak = cap});
    if (!search(levels_.back(), weight)) return false;
    in_vain = best_ < before ? 0 : in_vain + 1;
  }
  return true;
}

/// Paths that peak as high as the cheapest one within some memory cost no less. So the next less
/// memory is just below its peak, until the cheapest path costs as much as the best plan. Tiles of
/// other shapes than the largest ones are expensive: then only known groups are combined.
bool PathSearch::descend_to_all_peaks() {
  Level level{.cap = capacity()};
  while (level.cap > 0) {
    if (params_.tile_shapes > 0) {
      const search::LatticePath path = known_paths_within(level.cap);
      level.cost = path.cost;
      if (path.cost == impossible) break;
      level.peak = known_peak(path, level.cap);
      if (score_of_path(path, level) < best_ * less) place(path, level);
    } else if (!search(level, 0)) {
      return false;
    }
    if (level.cost >= best_ * less) break;
    level.cap = level.peak - 1;
  }
  return true;
}

bool PathSearch::proved() const {
  return bound_ && bound_->least() >= best_ * less;
}

bool PathSearch::goes_on() const {
  return !budget_.exhausted() && result_.work < most_work_ && !proved();
}

/// Each bound may take as much work as the search, most of it after the search.
void PathSearch::raise_bound(std::int64_t most_work) {
  const auto may = [&](const std::optional<PathBound>& bound) {
    return bound && bound->work() < most_work;
  };
  bool plain = true;
  bool early = true;
  while (plain || early) {
    plain = plain && may(bound_) && !proved() && bound_->raise(best_);
    if (plain) take_placed();
    early = early && may(early_) && early_->raise(best_);
    if (early) static_cast<void>(early_->take_placed());
  }
}

/// Tilings that the bound found.
void PathSearch::take_placed() {
  for (PathBound::Placed& placed : bound_->take_placed()) {
    const double cost = cost::additive_score(score_, placed.group.metrics);
    const Tiled* const known = at_cap(placed.edge, placed.most);
    if (known != nullptr && known->group && known->cost <= cost) continue;
    put(placed.edge, {placed.most, cost, true, std::move(placed.group)});
    Level level{.cap = placed.most, .peak = placed.most};
    if (const auto better = known_path(level)) place(*better, level);
  }
}

bool PathSearch::search(Level& level, double weight) {
  while (goes_on()) {
    estimate(level.cap, weight);
    ++result_.rounds;
    const search::LatticePath path = groups_.lattice.shortest(costs_, level.cap);
    level.cost = path.cost;
    if (weight == 0) level.peak = known_peak(path, level.cap);
    level.score = score_of_path(path, level);
    if (level.score >= best_ * less) return true;
    std::vector<std::size_t> fresh;
    for (const std::size_t edge : path.edges)
      if (const Tiled* const result = result_of(edge, level.cap);
          result == nullptr || !result->final())
        fresh.push_back(edge);
    if (fresh.empty())
      place(path, level);
    else if (tile(fresh, level.cap); const auto better = known_path(level))
      place(*better, level);
    raise_bound(result_.work / bound_part);
    if (params_.progress) params_.progress({.best_score = best_, .solved = result_.tiled});
  }
  return false;
}

search::LatticePath PathSearch::known_paths_within(Size cap) const {
  std::vector<double> costs(costs_.size(), impossible);
  for (const auto& [k, all] : tiled_)
    if (const Tiled* const result = fitting(k, cap)) costs[k] = result->cost;
  return groups_.lattice.shortest(costs, cap);
}

/// The cheapest path of known groups, if it is better than the best plan.
std::optional<search::LatticePath> PathSearch::known_path(const Level& level) const {
  search::LatticePath path = known_paths_within(level.cap);
  if (path.cost == impossible || score_of_path(path, level) >= best_ * less) return std::nullopt;
  return path;
}

void PathSearch::find_bounds() {
  cost::GroupBounds bounds(network_, hardware_);
  bounds_.resize(groups_.lattice.edges().size());
  costs_.resize(bounds_.size());
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    const search::LatticeEdge& edge = groups_.lattice.edges()[k];
    bounds_[k] =
        cost::additive_score(score_, bounds.of(edge.first, edge.last, groups_.residents(k)));
  }
}

/// The memory that the edge may use within `cap`.
Size PathSearch::cap_of(std::size_t edge, Size cap) const {
  const auto limit = limits_of_edges_.find(edge);
  return limit == limits_of_edges_.end() ? cap : std::min(cap, limit->second);
}

/// A result in more memory holds for less of it if it fits there, and if nothing fitted.
const PathSearch::Tiled* PathSearch::result_of(std::size_t edge, Size cap) const {
  const auto known = tiled_.find(edge);
  if (known == tiled_.end()) return nullptr;
  const Size own = cap_of(edge, cap);
  const Tiled* found = nullptr;
  for (const Tiled& each : known->second)
    if (each.cap >= own &&
        (each.cap == own || !each.group || each.group->metrics.peak_bytes <= own))
      found = &each;
  return found;
}

/// The cheapest known group that fits, in whatever memory it was tiled.
const PathSearch::Tiled* PathSearch::fitting(std::size_t edge, Size cap) const {
  const auto known = tiled_.find(edge);
  if (known == tiled_.end()) return nullptr;
  const Size own = cap_of(edge, cap);
  const Tiled* best = nullptr;
  for (const Tiled& each : known->second)
    if (each.group && each.group->metrics.peak_bytes <= own &&
        (best == nullptr || each.cost < best->cost))
      best = &each;
  return best;
}

std::map<PathSearch::Range, PathSearch::Known> PathSearch::known_groups(Size cap) const {
  std::map<Range, Known> known;
  for (const auto& [k, all] : tiled_) {
    const Tiled* const result = result_of(k, cap);
    if (result == nullptr) continue;
    const search::LatticeEdge& edge = groups_.lattice.edges()[k];
    Known& of_group =
        known.try_emplace({edge.first, edge.last}, Known{impossible, impossible}).first->second;
    if (!result->group) continue;
    of_group.above = std::min(of_group.above, hoped(*result) - bounds_[k]);
    if (bounds_[k] > 0) of_group.ratio = std::min(of_group.ratio, hoped(*result) / bounds_[k]);
  }
  return known;
}

/// The ratio of a group is the highest one of the known groups within it.
void PathSearch::estimate(Size cap, double weight) {
  const std::map<Range, Known> known = known_groups(cap);
  const std::span<const search::LatticeEdge> edges = groups_.lattice.edges();
  std::vector<double> ratios(network_.ops.size(), 1);  // of groups from `first`, by their last op
  for (std::size_t first = network_.ops.size(); first-- > 0;) {
    double shorter = shares_[first];
    std::size_t k = groups_.lattice.edges_from(first);
    for (std::size_t last = first; k < groups_.lattice.edges_from(first + 1); ++last) {
      const auto at = known.find({first, last});
      double& ratio = ratios[last];
      if (at != known.end())
        ratio = std::max(at->second.ratio < impossible ? at->second.ratio : 1,
                         last == first ? 1 : std::max(ratio, shorter));
      else
        ratio = std::max(ratio, shorter) * (last > first ? growth : 1);
      shorter = ratio;
      const std::size_t begin = k;
      while (k < groups_.lattice.edges_from(first + 1) && edges[k].last == last) ++k;
      estimate_group(begin, k, cap, weight, ratio, at == known.end() ? nullptr : &at->second);
    }
  }
}

void PathSearch::estimate_group(std::size_t begin, std::size_t end, Size cap, double weight,
                                double ratio, const Known* known) {
  auto tiled = tiled_.lower_bound(begin);
  for (std::size_t k = begin; k < end; ++k) {
    if (known != nullptr && known->above < impossible)
      costs_[k] = bounds_[k] + weight * std::max(0.0, known->above);
    else
      costs_[k] = weight > 0 ? bounds_[k] * (1 + weight * (ratio - 1)) : bounds_[k];
    if (tiled == tiled_.end() || tiled->first != k) continue;
    if (const Tiled* const result = result_of(k, cap))
      costs_[k] = result->final()
                      ? result->cost
                      : bounds_[k] + weight * std::max(0.0, hoped(*result) - bounds_[k]);
    else
      for (const Tiled& each : tiled->second)
        if (each.cap >= cap) costs_[k] = std::max(costs_[k], each.cost);
    if (cap_of(k, cap) == 0) costs_[k] = impossible;
    ++tiled;
  }
}

Size PathSearch::known_peak(const search::LatticePath& path, Size cap) const {
  Size peak = 0;
  for (const std::size_t edge : path.edges)
    if (const Tiled* const result = fitting(edge, cap))
      peak = std::max(peak, result->group->metrics.peak_bytes);
  return peak;
}

/// An unknown group peaks as the groups of the level do.
double PathSearch::score_of_path(const search::LatticePath& path, const Level& level) const {
  const auto known = [&](std::size_t edge) { return result_of(edge, level.cap) != nullptr; };
  const Size peak = std::max(known_peak(path, level.cap),
                             std::ranges::all_of(path.edges, known) ? 0 : level.peak);
  return path.cost + cost::peak_weight(score_) * static_cast<double>(peak);
}

void PathSearch::tile(const std::vector<std::size_t>& fresh, Size cap) {
  std::vector<std::string> structures;
  for (const std::size_t k : fresh) {
    const search::LatticeEdge& edge = groups_.lattice.edges()[k];
    structures.push_back(
        std::to_string(cap_of(k, cap)) + ' ' +
        search::structure_key(tiling::make_subgraph(network_, {edge.first, edge.last}, readers_,
                                                    within_, groups_.residents(k))));
  }
  std::vector<Asked> found(fresh.size());
  each_sharing({.threads = params_.limits.threads}, structures,
               [&](std::size_t k, SharedWork& shared) {
                 if (budget_.exhausted()) return;
                 const bool refined = result_of(fresh[k], cap) != nullptr;
                 found[k] = tiled(fresh[k], cap_of(fresh[k], cap), refined, shared);
               });
  for (std::size_t k = 0; k < fresh.size(); ++k)
    if (found[k].whole) keep(fresh[k], std::move(found[k]));
}

void PathSearch::keep(std::size_t edge, Asked asked) {
  Tiled& tiled = asked.tiled;
  ++result_.tiled;
  result_.work += asked.refined ? refined_group_work : 1;
  result_.search.shapes += asked.counts.shapes;
  const Tiled* const known = at_cap(edge, tiled.cap);
  if (known == nullptr) {
    result_.search.solved += asked.counts.solved;
    result_.search.reused += asked.counts.reused;
    result_.search.infeasible += asked.counts.infeasible;
    result_.search.unknown += asked.counts.unknown;
  } else if (tiled.group && known->group && known->cost > 0 && tiled.cost > 0) {
    gains_ += std::log(std::min(1.0, tiled.cost / known->cost));
    gain_ = std::exp(gains_ / ++refined_);
  }
  // A start may have tiles that the search does not evaluate.
  if (known != nullptr && known->group && known->cost < tiled.cost) {
    tiled.cost = known->cost;
    tiled.group = known->group;
  }
  put(edge, std::move(tiled));
}

const PathSearch::Tiled* PathSearch::at_cap(std::size_t edge, Size cap) const {
  const auto known = tiled_.find(edge);
  if (known == tiled_.end()) return nullptr;
  const auto at = std::ranges::find(known->second, cap, &Tiled::cap);
  return at == known->second.end() ? nullptr : &*at;
}

void PathSearch::put(std::size_t edge, Tiled tiled) {
  std::vector<Tiled>& all = tiled_[edge];
  const auto at = std::ranges::lower_bound(all, tiled.cap, std::greater<>(), &Tiled::cap);
  if (at != all.end() && at->cap == tiled.cap)
    *at = std::move(tiled);
  else
    all.insert(at, std::move(tiled));
}

/// Without further shapes, the group has the largest tiles that fit in the whole memory.
PathSearch::Asked PathSearch::tiled(std::size_t edge, Size cap, bool refined,
                                    SharedWork& shared) const {
  PeakLimits limits = limits_;
  limits.peak_bytes = std::min(limits.peak_bytes, static_cast<double>(cap));
  const Hardware machine = params_.tile_shapes > 0 ? machine_within(hardware_, limits) : within_;
  Candidates candidates(network_, machine, candidates_with(groups_.residents(edge)),
                        params_.memory);
  const search::LatticeEdge& group = groups_.lattice.edges()[edge];
  const OpRange ops{group.first, group.last};
  ShapeGoal goal = shape_goal(score_, limits, refined ? params_.tile_shapes : 0, cap);
  goal.last = ShapeGoal::Stage::direct;
  Asked asked{.refined = refined};
  asked.tiled = {cap, impossible, refined || params_.tile_shapes == 0,
                 best_run(candidates, ops, goal, &shared)};
  if (asked.tiled.group)
    asked.tiled.cost = cost::additive_score(score_, asked.tiled.group->metrics);
  asked.counts = candidates.counts();
  asked.whole = !budget_.exhausted();
  if (!candidates.known(ops).first->complete()) unresolved_ = true;
  return asked;
}

/// If the groups have no joint placement, or one with a higher peak, the group with the highest
/// peak gets less memory.
void PathSearch::place(const search::LatticePath& path, Level& level) {
  Runs runs;
  std::size_t highest = path.edges.front();
  const auto peak_of_edge = [&](std::size_t edge) {
    return fitting(edge, level.cap)->group->metrics.peak_bytes;
  };
  for (const std::size_t edge : path.edges) {
    runs.push_back(*fitting(edge, level.cap)->group);
    if (peak_of_edge(edge) > peak_of_edge(highest)) highest = edge;
  }
  level.peak = peak_of_edge(highest);
  if (score_of(runs) < best_ * less && settle(runs, 0, runs.size() - 1) &&
      score_of(runs) < best_ * less) {
    best_ = score_of(runs);
    note_shares(runs);
    result_.plans.push_back(std::move(runs));
    return;
  }
  limits_of_edges_[highest] = level_below(peak_of_edge(highest));
}

std::optional<std::size_t> PathSearch::edge_of(const PlannedSubgraph& group) const {
  std::vector<std::uint32_t> items;
  for (const TensorIndex t : kept_tensors(network_, group)) {
    const auto at = std::ranges::lower_bound(groups_.may.tensors, t);
    if (at != groups_.may.tensors.end() && *at == t)
      items.push_back(static_cast<std::uint32_t>(at - groups_.may.tensors.begin()));
  }
  std::ranges::sort(items);
  const std::size_t edge = groups_.lattice.find(group.ops.first, group.ops.last, items);
  if (edge == groups_.lattice.edges().size()) return std::nullopt;
  return edge;
}

void PathSearch::note_shares(const Runs& runs) {
  shares_.assign(network_.ops.size(), 1);
  for (const PlannedSubgraph& group : runs) {
    const std::optional<std::size_t> edge = edge_of(group);
    if (!edge || bounds_[*edge] <= 0) continue;
    const double ratio = cost::additive_score(score_, group.metrics) / bounds_[*edge];
    for (OpIndex op = group.ops.first; op <= group.ops.last; ++op) shares_[op] = ratio;
  }
}

void PathSearch::note_floors(const Runs& runs) {
  for (const PlannedSubgraph& group : runs) {
    const auto is_it = [&](const GroupFloor& floor) {
      return floor.ops == group.ops && floor.kept == group.kept;
    };
    const std::optional<std::size_t> edge = edge_of(group);
    if (!edge || std::ranges::any_of(result_.floors, is_it)) continue;
    const auto [cost, least] = (early_ ? *early_ : *bound_).least_of(*edge);
    result_.floors.push_back({group.ops, group.kept, cost, least});
  }
}

}  // namespace tessera::planner
