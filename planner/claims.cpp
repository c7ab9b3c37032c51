// Bounds of plans that were not evaluated, and the scope of proofs.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cost/score.h"
#include "model/stored.h"
#include "planner/cover_bound.h"
#include "planner/early.h"
#include "planner/peaks.h"
#include "planner/plannings.h"
#include "tiling/subgraph.h"

namespace tessera::planner {
namespace {

/// The proof tries every set of resident tensors in networks with so few ops and so few tensors.
constexpr std::size_t few_ops = 12;
constexpr std::size_t few_tensors = 4;

}  // namespace

std::vector<std::vector<TensorIndex>> Plannings::resident_sets() const {
  std::vector<std::vector<TensorIndex>> sets;
  std::vector<TensorIndex> may;
  if (params_.residency && !stays_on_chip(hardware_)) {
    const Size room = on_chip_capacity(machine_within(hardware_, peak_limits_of(params_)));
    const Dim brick = on_chip_layout(hardware_).brick;
    may = tiling::may_stay(network_, tiling::last_readers(network_));
    std::erase_if(may,
                  [&](TensorIndex t) { return stored_bytes(network_.tensors[t], brick) > room; });
  }
  if (!may.empty() && (may.size() > few_tensors || network_.ops.size() > few_ops)) return sets;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << may.size(); ++set) {
    std::vector<TensorIndex>& stays = sets.emplace_back();
    for (std::size_t k = 0; k < may.size(); ++k)
      if ((set >> k & 1U) != 0) stays.push_back(may[k]);
  }
  return sets;
}

void Plannings::claim_with_prefetch(NetworkPlan& plan,
                                    const std::vector<std::vector<TensorIndex>>& sets) {
  const std::size_t max_ops = std::min(params_.max_ops, network_.ops.size() - 1);
  const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
  const auto bound = [&](const std::vector<TensorIndex>& stays) {
    return bound_of_covers(network_, hardware_, stays, {score, max_ops, true});
  };
  double least = std::numeric_limits<double>::infinity();
  // With shared weights, loads may be omitted, too.
  const bool proves =
      plan.optimal && hardware_.dma.channels == 1 && shared_weights(network_).empty();
  for (const std::vector<TensorIndex>& stays : sets) {
    double of_set = bound(stays);
    if (proves && of_set < plan.score) {
      const std::int64_t shapes = params_.proof_shapes / static_cast<std::int64_t>(sets.size());
      of_set = std::max(
          of_set, look_for_better(plan, {.stays = stays, .proof_shapes = shapes, .early = true},
                                  params_.max_ops)
                      .first);
    }
    least = std::min(least, of_set);
  }
  if (sets.empty()) least = least_of_all(plan, true, whole_.budget());
  plan.bound = std::min(plan.bound, least);
  plan.optimal = plan.optimal && plan.bound >= plan.score;
  if (plan.optimal) plan.looked_at = {plan.bound, true, plan.proved_over};
}

void Plannings::prove(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets) {
  const bool ended = may_go_on(plan) && cut_ == StopReason::completed;
  // The proof is no weaker than without residency.
  if (sets.empty() && ended && network_.ops.size() <= few_ops &&
      !look_for_better(plan, {.proof_shapes = params_.proof_shapes}, params_.max_ops).second)
    look_with_fewer_halos(plan, {{}});
  if (sets.empty() || !ended) return bound_alone(plan);
  plan.proved_over = over_everything();
  double least = std::numeric_limits<double>::infinity();
  bool proved = true;
  std::int64_t shapes = params_.proof_shapes;
  const auto few = static_cast<std::int64_t>(sets.size());
  std::int64_t left = few;
  for (const std::vector<TensorIndex>& stays : sets) {
    const std::int64_t before = plan.search.shapes;
    const std::int64_t part = shapes_of(stays, shapes, left--);
    const auto [bound, none_better] =
        look_for_better(plan, {.stays = stays, .proof_shapes = part}, params_.max_ops);
    least = std::min(least, bound);
    proved = proved && none_better;
    if (!stays.empty()) shapes -= std::min(shapes, plan.search.shapes - before);
  }
  if (!proved) look_with_fewer_halos(plan, sets);
  // Partitions ignore the cost of fetches: shorter groups may have space for them.
  const bool fetches = !plan.behind.fetches.empty();
  for (const std::size_t most_ops : short_groups) {
    if (!fetches || most_ops >= params_.max_ops) continue;
    for (const std::vector<TensorIndex>& stays : sets)
      static_cast<void>(look_for_better(
          plan, {.stays = stays, .proof_shapes = shapes_of(stays, params_.proof_shapes, few)},
          most_ops));
  }
  plan.bound = proved ? plan.score : std::min(least, plan.score);
  plan.optimal = plan.bound >= plan.score;
  if (plan.optimal && !later_.prefetch && !later_.rows)
    plan.looked_at = {plan.bound, true, plan.proved_over};
}

std::int64_t Plannings::shapes_of(const std::vector<TensorIndex>& stays, std::int64_t shapes,
                                  std::int64_t sets) const {
  return stays.empty() ? params_.proof_shapes : shapes / sets;
}

void Plannings::look_with_fewer_halos(NetworkPlan& plan,
                                      const std::vector<std::vector<TensorIndex>>& sets) {
  Hardware fewer = hardware_;
  std::vector<HaloPolicy>& halos = fewer.tiling.halo;
  const auto few = static_cast<std::int64_t>(sets.size());
  const auto goes_on = [&] {
    return params_.proof_shapes >= few && halos.size() > 1 && cut_ == StopReason::completed;
  };
  for (bool proved = false; !proved && goes_on();) {
    halos.erase(std::ranges::max_element(halos));
    proved = true;
    for (const std::vector<TensorIndex>& stays : sets) {
      const std::int64_t shapes = shapes_of(stays, params_.proof_shapes, few);
      proved =
          look_for_better(plan, {.stays = stays, .proof_shapes = shapes}, params_.max_ops, fewer)
              .second &&
          proved;
    }
  }
}

std::pair<double, bool> Plannings::look_for_better(NetworkPlan& plan, PlanPart part,
                                                   std::size_t max_ops) {
  return look_for_better(plan, std::move(part), max_ops, hardware_);
}

std::pair<double, bool> Plannings::look_for_better(NetworkPlan& plan, PlanPart part,
                                                   std::size_t max_ops, const Hardware& machine) {
  PlanParams params = rest();
  params.reference = plan.reference;
  params.progress = nullptr;
  params.max_ops = max_ops;
  part.prove_below = plan.score;
  NetworkPlan other = plan_once(network_, machine, params, part);
  solved_ += other.search.solved;
  note(other.stop);
  plan.search.shapes += other.search.shapes;
  const std::pair said{other.bound, other.optimal};
  if (other.status != Status::feasible || other.score >= plan.score) return said;
  other.proved_over = plan.proved_over;
  other.limit_mattered = plan.limit_mattered;
  other.baseline = plan.baseline;
  other.baseline_score = plan.baseline_score;
  other.search = plan.search;
  other.looked_at = plan.looked_at;
  other.looked_at.bound = std::min(other.looked_at.bound, other.score);
  plan = std::move(other);
  return said;
}

/// The bound of the path search holds for all plans.
void Plannings::take_path_bound(NetworkPlan& plan) const {
  if (path_bound_ <= plan.bound) return;
  plan.bound = std::min(plan.score, path_bound_);
  if (plan.bound < plan.score * cost::rounding) return;
  plan.bound = plan.score;
  plan.optimal = true;
  plan.proved_over = over_everything();
  plan.looked_at = {plan.bound, true, plan.proved_over};
}

void Plannings::bound_alone(NetworkPlan& plan) {
  plan.bound = std::min(plan.score, least_of_all(plan, false, whole_.budget()));
  if (later_.prefetch) plan.bound = std::min(plan.bound, least_of_all(plan, true, whole_.budget()));
  plan.optimal = plan.bound >= plan.score;
  plan.proved_over = over_everything();
}

void Plannings::claim_explored(const PathResult& found, NetworkPlan& plan) {
  path_bound_ = found.bound;
  bound_alone(plan);
  if (params_.tile_shapes > 0 || !found.exact) return;
  plan.bound = plan.score;
  plan.optimal = true;
  plan.proved_over = over_explored();
}

double Plannings::least_of_all(const NetworkPlan& plan, bool early, const Budget& budget) {
  Least& least = least_of_all_[early ? 1 : 0];
  if (least.whole || (least.bound > 0 && budget.exhausted())) return least.bound;
  const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
  const std::size_t max_ops =
      early ? std::min(params_.max_ops, network_.ops.size() - 1) : params_.max_ops;
  const double bound =
      bound_of_plans(network_, hardware_, params_, {score, max_ops, early, budget});
  least = {std::max(least.bound, bound), !budget.exhausted()};
  return least.bound;
}

void Plannings::bounds_in_time(const NetworkPlan& plan) {
  least_of_all(plan, false, validation::without_last(2, limited_.budget()));
  if (later_.prefetch) least_of_all(plan, true, validation::without_last(2, limited_.budget()));
}

std::string Plannings::over_everything() const {
  std::string text = "partitions into groups of consecutive ops";
  if (params_.max_ops < network_.ops.size())
    text += ", at most " + std::to_string(params_.max_ops) + " ops per group";
  text += ", with any tiling of the profile";
  if (std::ranges::any_of(network_.tensors, [](const Tensor& t) { return t.joined.has_value(); }))
    text += ", with concatenated tensors in place off chip";
  if (params_.residency && !stays_on_chip(hardware_))
    text += later_.rows ? ", with any residency between groups, whole or in rows"
                        : ", with any residency between groups";
  if (later_.prefetch) text += ", with any weight prefetch";
  if (!params_.peak_limits.empty()) text += ", within the given peak limits";
  return text;
}

std::string Plannings::over_explored() const {
  std::string text = "partitions into groups of consecutive ops";
  if (params_.max_ops < network_.ops.size())
    text += ", at most " + std::to_string(params_.max_ops) + " ops per group";
  text +=
      params_.tile_shapes > 0
          ? ", each group in the cheapest evaluated tiles of each variant of the profile's tiling"
          : ", each group in its fewest tiles for each variant of the profile's tiling";
  if (params_.residency && !stays_on_chip(hardware_)) text += ", with any residency between groups";
  if (later_.prefetch) text += ", and weight prefetch on the best of those";
  if (later_.rows) text += ", and resident rows on the best of those";
  if (!params_.peak_limits.empty()) text += ", within the given peak limits";
  return text;
}

}  // namespace tessera::planner
