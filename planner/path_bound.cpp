#include "planner/path_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <sstream>

#include "cost/group_bound.h"
#include "cost/group_parts.h"
#include "cost/score.h"
#include "model/derived.h"
#include "model/stored.h"
#include "planner/early.h"
#include "search/partition/structure.h"
#include "tiling/subgraph.h"

namespace tessera::planner {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// An interval of peaks is divided if this raises the bound by such a part of the best score.
constexpr double worth_a_split = 0.002;
constexpr std::size_t most_intervals = 1024;
/// A step lists or simulates the tilings that cost up to so much more than the cheapest of a group.
constexpr double list_more = 1.2;
constexpr double simulate_more = 1.03;
/// Limit on shapes simulated in one step of a group.
constexpr std::int64_t most_shapes = 65536;
/// If they do not suffice, the next step has so many times the shapes.
constexpr std::int64_t more_shapes = 4;
/// Units of work of a step, and shapes and edges of shortest paths per unit.
constexpr std::int64_t units_per_step = 4;
constexpr std::int64_t shapes_per_unit = 16;
constexpr std::int64_t edges_per_unit = 16384;

std::string name_of(const Tiling& tiling) {
  return shape_key(variant_word(tiling.variant) + ' ', tiling.shape);
}

}  // namespace

PathBound::PathBound(const Network& network, const Hardware& hardware, const PlanParams& params,
                     const NetworkPlan& plan, const GroupLattice& groups, bool prefetch)
    : LaterLook(network, hardware, params, plan),
      groups_(groups),
      prefetch_(prefetch),
      intervals_{{.most = on_chip_capacity(within_)}} {
  find_floors();
}

void PathBound::find_floors() {
  const std::vector<TensorIndex>& others = groups_.may.others;
  cost::GroupBounds bounds(network_, hardware_, others);
  cost::GroupBounds with_prefetch(network_, hardware_, others, prefetch_);
  const Dim brick = on_chip_layout(hardware_).brick;
  Size unit = 1;
  bool plain = true;  // more capacity needs no other banks
  for (const HardwareMemory& memory : within_.memories) {
    if (memory.offchip) continue;
    unit = std::lcm(unit, memory.space.alignment);
    plain = plain && memory.space.banks.empty() && !has_modes(memory.space);
  }
  const auto whole_units = [&](Size bytes) { return (bytes + unit - 1) / unit * unit; };
  for (std::size_t k = 0; k < groups_.lattice.edges().size(); ++k) {
    const search::LatticeEdge& edge = groups_.lattice.edges()[k];
    const std::vector<TensorIndex> residents = groups_.residents(k);
    Floor floor;
    floor.least = bounds.of(edge.first, edge.last, residents);
    floor.loaded = floor.least;
    floor.prefetch = prefetch_ && edge.first > 0;
    if (floor.prefetch) {
      const Metrics early = with_prefetch.of(edge.first, edge.last, residents);
      floor.saved_pj = std::max(0.0, floor.least.energy_pj - early.energy_pj);
      floor.saved_bytes = floor.least.dram_bytes - early.dram_bytes;
      floor.least = early;
    }
    floor.cost = cost::additive_score(score_, floor.least) * cost::rounding;
    for (const TensorIndex t : moved_others(edge))
      floor.beyond += whole_units(stored_bytes(network_.tensors[t], brick));
    floor.alone = (floor.prefetch && hardware_.dma.channels > 1) || (floor.beyond > 0 && !plain);
    floors_.push_back(floor);
  }
}

/// The tensors that the lattice does not distinguish, of those that the group loads or stores. They
/// are resident beside the memory: then the bound holds whether they are resident or not.
std::vector<TensorIndex> PathBound::moved_others(const search::LatticeEdge& edge) const {
  std::vector<TensorIndex> moved;
  for (const TensorIndex t : groups_.may.others) {
    const auto reads = [&](const Op& op) { return std::ranges::count(op.inputs, t) > 0; };
    const bool made = edge.first <= maker_of(t) && maker_of(t) <= edge.last;
    if (made ? *readers_[t] > edge.last
             : std::any_of(network_.ops.begin() + edge.first, network_.ops.begin() + edge.last + 1,
                           reads))
      moved.push_back(t);
  }
  return moved;
}

std::vector<TensorIndex> PathBound::residents(std::size_t edge) const {
  std::vector<TensorIndex> all = groups_.residents(edge);
  if (floors_[edge].beyond == 0) return all;
  std::ranges::move(moved_others(groups_.lattice.edges()[edge]), std::back_inserter(all));
  std::ranges::sort(all);
  return all;
}

Hardware PathBound::machine_of(std::size_t edge) const {
  Hardware machine = within_;
  for (HardwareMemory& memory : machine.memories)
    if (!memory.offchip) memory.space.capacity += floors_[edge].beyond;
  return machine;
}

std::int64_t PathBound::work() const {
  return work_ + paths_ / edges_per_unit;
}

double PathBound::least() const {
  return std::ranges::min(intervals_, {}, &Interval::score).score;
}

PathBound::Least PathBound::least_of(std::size_t edge) const {
  const Floor& floor = floors_[edge];
  Least least{floor.cost, floor.least};
  const auto known = by_edge_.find(edge);
  if (known == by_edge_.end()) return least;
  const Structure& structure = *known->second;
  const Choice* const choice = choice_of(structure, on_chip_capacity(within_));
  least.cost = std::max(floor.cost, choice == nullptr ? structure.open : choice->cost);
  if (choice != nullptr) least.metrics = choice->least;
  return least;
}

std::shared_ptr<PathBound::Structure> PathBound::structure_of(std::size_t edge) {
  std::shared_ptr<Structure>& known = by_edge_[edge];
  if (known) return known;
  const search::LatticeEdge& group = groups_.lattice.edges()[edge];
  const tiling::Subgraph part = tiling::make_subgraph(network_, {group.first, group.last}, readers_,
                                                      within_, residents(edge));
  Floor& floor = floors_[edge];
  if (floor.prefetch) floor.early = cost::weights_cycles(part, hardware_);
  // Groups of equal structure may differ in what prefetch saves, since weights have names.
  std::ostringstream saved;
  if (floor.prefetch) saved << floor.saved_bytes << ' ' << std::hexfloat << floor.saved_pj;
  // And in the tensors that wait on chip, if all do.
  if (stays_on_chip(hardware_)) saved << " edge " << edge;
  const std::string key =
      saved.str() + ' ' + std::to_string(floor.beyond) + ' ' + search::structure_key(part);
  std::shared_ptr<Structure>& same = by_key_[key];
  if (!same) same = std::make_shared<Structure>();
  return known = same;
}

/// The cheapest choice that fits; null if everything else costs less.
const PathBound::Choice* PathBound::choice_of(const Structure& structure, Size most) const {
  const auto fits = std::ranges::find_if(structure.choices,
                                         [&](const Choice& choice) { return choice.peak <= most; });
  if (fits == structure.choices.end() || fits->cost >= structure.open) return nullptr;
  return &*fits;
}

std::vector<double> PathBound::costs_within(Size most) const {
  std::vector<double> costs;
  costs.reserve(floors_.size());
  for (const Floor& floor : floors_) costs.push_back(floor.cost);
  for (const auto& [edge, structure] : by_edge_) {
    const Choice* const choice = choice_of(*structure, most);
    costs[edge] = std::max(costs[edge], choice == nullptr ? structure->open : choice->cost);
  }
  return costs;
}

PathBound::Kind PathBound::next_of(std::size_t edge, Size most) const {
  if (floors_[edge].alone) return Kind::none;
  const Structure& structure = *by_edge_.at(edge);
  const Choice* const choice = choice_of(structure, most);
  if (choice == nullptr) return structure.undecided ? Kind::none : Kind::list;
  if (choice->rung == Rung::listed)
    return shapes_ < params_.proof_shapes ? Kind::simulate : Kind::none;
  const bool placed = choice->rung == Rung::undecided || floors_[edge].beyond > 0 ||
                      (choice->rung == Rung::placed && choice->height <= most);
  return placed ? Kind::none : Kind::place;
}

Size PathBound::peak_of(const search::LatticePath& path, Size most, bool placed) const {
  Size peak = 0;
  for (const std::size_t edge : path.edges) {
    peak = std::max(peak, groups_.lattice.edges()[edge].bytes);
    const auto known = by_edge_.find(edge);
    if (known == by_edge_.end()) continue;
    if (const Choice* const choice = choice_of(*known->second, most))
      peak = std::max(peak, placed ? choice->height : choice->peak);
  }
  return peak;
}

bool PathBound::raise(double best) {
  paths_ += std::ssize(floors_);
  for (const auto& [key, structure] : by_key_) paths_ += std::ssize(structure->choices);
  const double per_byte = cost::peak_weight(score_);
  Interval& now = *std::ranges::min_element(intervals_, {}, &Interval::score);
  if (now.score >= best * cost::rounding || budget_.exhausted()) return false;
  const std::vector<double> costs = costs_within(now.most);
  const search::LatticePath path = groups_.lattice.shortest(costs, now.most);
  const double of_peak = per_byte * static_cast<double>(now.least);
  const double score = path.cost + of_peak;
  now.score = std::max(now.score, score);
  if (now.score >= best * cost::rounding) return true;
  for (const std::size_t edge : path.edges)
    if (!floors_[edge].alone) static_cast<void>(structure_of(edge));
  const Size peak = peak_of(path, now.most, false);
  // Plans of lower peaks cost more.
  if (per_byte * static_cast<double>(peak - now.least) > worth_a_split * best &&
      intervals_.size() < most_intervals) {
    split(now, now.least + (peak - now.least + 1) / 2);
    return true;
  }
  Kind kind = Kind::none;
  for (const std::size_t edge : path.edges) kind = std::min(kind, next_of(edge, now.most));
  if (kind == Kind::none) {
    const Size height = std::max(peak, peak_of(path, now.most, true));
    if (per_byte == 0 || height <= now.least || intervals_.size() == most_intervals) return false;
    split(now, height);
    return true;
  }
  const double share = (best - score) / (2 * static_cast<double>(path.edges.size()));
  std::set<const Structure*> seen;
  std::vector<Step> steps;
  const std::vector<double> through = groups_.lattice.through(costs, now.most);
  for (const std::size_t edge : path.edges)
    if (next_of(edge, now.most) == kind && seen.insert(by_edge_.at(edge).get()).second)
      steps.push_back({.edge = edge,
                       .below = std::min(best - of_peak - (through[edge] - costs[edge]),
                                         std::max(costs[edge] * list_more, costs[edge] + share)),
                       .raise = std::min(share, costs[edge] * (simulate_more - 1)),
                       .most = now.most});
  return take_steps(kind, std::move(steps));
}

void PathBound::split(Interval& interval, Size peak) {
  Interval below = interval;
  below.most = peak - 1;
  interval.score += cost::peak_weight(score_) * static_cast<double>(peak - interval.least);
  interval.least = peak;
  intervals_.push_back(below);
}

bool PathBound::take_steps(Kind kind, std::vector<Step> steps) {
  each_sharing({.threads = params_.limits.threads}, steps.size(), [&](std::size_t k, SharedWork&) {
    Step& step = steps[k];
    const Structure& known = *by_edge_.at(step.edge);
    step.next = known;
    if (kind == Kind::list) return list(step);
    const Choice& choice = *choice_of(known, step.most);
    if (kind == Kind::simulate) return simulate(step, choice);
    place(step, choice);
  });
  bool all = true;
  for (Step& step : steps) {
    work_ += units_per_step + step.shapes / shapes_per_unit;
    shapes_ += step.shapes;
    all = all && step.whole;
    if (!step.whole) continue;
    *by_edge_.at(step.edge) = std::move(step.next);
    if (step.placed) placed_.push_back({step.edge, step.most, *std::move(step.placed)});
  }
  return all;
}

/// Prefetched weights save their transfers at most, and those of an earlier group their loads.
Metrics PathBound::no_less(Metrics m, std::size_t edge, bool prefetch) const {
  const Floor& floor = floors_[edge];
  const Metrics& least = prefetch ? floor.least : floor.loaded;
  if (prefetch) {
    m.latency_cycles -= floor.early;
    m.energy_pj -= cost::static_energy(hardware_, floor.early) + floor.saved_pj;
    m.dram_bytes -= floor.saved_bytes;
  }
  m.latency_cycles = std::max(m.latency_cycles, least.latency_cycles);
  m.energy_pj = std::max(m.energy_pj, least.energy_pj);
  m.dram_bytes = std::max(m.dram_bytes, least.dram_bytes);
  m.peak_bytes -= floor.beyond;
  return m;
}

/// Only resident weights are prefetched.
Metrics PathBound::least_in(std::size_t edge, const Metrics& metrics,
                            const TileVariant& variant) const {
  return no_less(metrics, edge,
                 floors_[edge].prefetch && variant.weights == WeightPolicy::resident);
}

double PathBound::cost_of(const Metrics& least) const {
  return limits_.allow(least) ? cost::additive_score(score_, least) * cost::rounding : never;
}

Candidates::ScoreOf PathBound::cost_in_any_variant(std::size_t edge) const {
  return
      [this, edge](const Metrics& m) { return cost_of(no_less(m, edge, floors_[edge].prefetch)); };
}

/// Drops the choices that cost no less than a placed one, and have no lower peak. Groups of tilings
/// count against each other only: their tilings may turn out to be worse.
std::vector<PathBound::Choice> PathBound::best_of(std::vector<Choice> choices) {
  std::ranges::stable_sort(
      choices, {}, [](const Choice& choice) { return std::pair(choice.cost, choice.peak); });
  Size listed = std::numeric_limits<Size>::max();
  Size placed = std::numeric_limits<Size>::max();
  std::erase_if(choices, [&](const Choice& choice) {
    if (choice.cost == never || choice.peak >= (choice.tiling ? placed : listed)) return true;
    if (!choice.tiling) listed = choice.peak;
    if (choice.rung == Rung::placed) placed = std::min(placed, choice.height);
    return false;
  });
  return choices;
}

void PathBound::list(Step& step) const {
  const search::LatticeEdge& edge = groups_.lattice.edges()[step.edge];
  const OpRange ops{edge.first, edge.last};
  const Hardware machine = machine_of(step.edge);
  Candidates candidates(network_, machine, candidates_with(residents(step.edge)), params_.memory);
  const auto answer = answer_of(candidates, ops);
  Structure& next = step.next;
  if (answer->options.empty() && answer->complete()) {
    next.open = never;
    step.whole = !budget_.exhausted();
    return;
  }
  const TilingGroups all =
      candidates.tiling_groups(ops, cost_in_any_variant(step.edge), step.below);
  offer(step, all.groups);
  next.open = std::min(step.below, all.open);
  next.reach = std::min(next.reach, next.open);
  next.undecided = all.open < step.below;
  step.whole = !budget_.exhausted();
}

/// The lower bound of the tilings that are not choices by themselves.
double PathBound::cost_of_rest(const Step& step, const TilingGroup& group) const {
  const double cost = cost_of(least_in(step.edge, group.least, group.variant));
  return cost < step.next.simulated ? std::max(cost, step.next.reach) : cost;
}

/// Adds these groups to the simulated choices, instead of other groups.
void PathBound::offer(Step& step, std::span<const TilingGroup> groups) const {
  std::vector<Choice> choices;
  for (Choice& each : step.next.choices)
    if (each.tiling || each.rung == Rung::undecided) choices.push_back(std::move(each));
  for (const TilingGroup& group : groups)
    choices.push_back({.cost = cost_of_rest(step, group),
                       .least = least_in(step.edge, group.least, group.variant),
                       .peak = group.least.peak_bytes - floors_[step.edge].beyond});
  step.next.choices = best_of(std::move(choices));
}

/// Simulates all tilings of the listed ones that cost little more than the cheapest.
void PathBound::simulate(Step& step, const Choice& choice) const {
  const search::LatticeEdge& edge = groups_.lattice.edges()[step.edge];
  const OpRange ops{edge.first, edge.last};
  const Hardware machine = machine_of(step.edge);
  Candidates candidates(network_, machine, candidates_with(residents(step.edge)), params_.memory);
  Structure& next = step.next;
  const Candidates::ScoreOf in_any = cost_in_any_variant(step.edge);
  TilingGroups all = candidates.tiling_groups(ops, in_any, next.open);
  const double most = choice.cost + step.raise;
  const auto begin = std::ranges::partition(all.groups, [&](const TilingGroup& group) {
                       return cost_of_rest(step, group) > most;
                     }).begin();
  std::stable_sort(begin, all.groups.end(), [](const TilingGroup& a, const TilingGroup& b) {
    return variant_word(a.variant) < variant_word(b.variant);
  });
  std::int64_t left = next.most_shapes;
  const std::optional<std::vector<Tiling>> found =
      candidates.tilings_in({begin, all.groups.end()}, ops, in_any, next.open, left);
  step.shapes = next.most_shapes - left;
  if (budget_.exhausted()) return;
  step.whole = true;
  if (!found) {
    next.most_shapes *= more_shapes;
    if (next.most_shapes <= most_shapes) return;
    for (Choice& each : next.choices)
      if (each.rung == Rung::listed) each.rung = Rung::undecided;
    return;
  }
  std::set<std::string> known;
  for (const Choice& each : next.choices)
    if (each.tiling) known.insert(name_of(*each.tiling));
  for (const Tiling& tiling : *found) {
    const Metrics least = least_in(step.edge, tiling.least, tiling.variant);
    const Size peak = tiling.least.peak_bytes - floors_[step.edge].beyond;
    if (peak <= on_chip_capacity(within_) && !known.contains(name_of(tiling)))
      next.choices.push_back({cost_of(least), least, peak, Rung::simulated, tiling});
  }
  const double simulated = std::nextafter(most, never);
  // Groups above, simulated before, may have tilings between their reach and the new one.
  if (most >= next.reach) {
    next.reach = next.open;
    next.simulated = simulated;
  } else {
    next.simulated = std::max(next.simulated, simulated);
  }
  all.groups.erase(begin, all.groups.end());
  offer(step, all.groups);
}

void PathBound::place(Step& step, const Choice& choice) const {
  const search::LatticeEdge& edge = groups_.lattice.edges()[step.edge];
  const OpRange ops{edge.first, edge.last};
  const Hardware machine = machine_of(step.edge);
  Candidates candidates(network_, machine, candidates_with(residents(step.edge)), params_.memory);
  static_cast<void>(candidates.answer(ops));
  const auto at = static_cast<std::size_t>(&choice - by_edge_.at(step.edge)->choices.data());
  Choice& now = step.next.choices[at];
  const Candidates::Placed placed = candidates.place(ops, *choice.tiling, step.most);
  step.whole = !budget_.exhausted();
  now.rung = placed.status == Status::feasible ? Rung::placed : Rung::undecided;
  if (placed.status == Status::infeasible) {
    now.rung = Rung::simulated;
    now.peak = step.most + 1;
  }
  if (placed.status != Status::feasible) return;
  step.placed = group_of(candidates, ops, candidates.answer(ops)->options[placed.option]);
  now.height = step.placed->metrics.peak_bytes;
}

}  // namespace tessera::planner
