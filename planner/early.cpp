#include "planner/early.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/tiled_run.h"
#include "model/crew.h"
#include "model/off_chip.h"
#include "planner/kept_places.h"
#include "planner/later_look.h"
#include "planner/piece.h"

namespace tessera::planner {
namespace {

/// So many runs are placed together for the weights of one of them: each time takes as long as they
/// are many.
constexpr std::size_t most_together = 32;
/// No weight is loaded in a run further before: it takes room in all between.
constexpr std::size_t most_ahead = 8;

class EarlyWeights : LaterLook {
 public:
  EarlyWeights(const Network& network, const Hardware& hardware, const PlanParams& params,
               const NetworkPlan& plan)
      : LaterLook(network, hardware, params, plan) {}

  bool improve(NetworkPlan& plan) {
    // A higher peak, say, may pay only where several cuts have a use for it.
    std::vector<std::vector<PlannedSubgraph>> starts(2, plan.subgraphs);
    each_together(params_.limits.threads, starts.size(), [&](std::size_t start) {
      std::vector<PlannedSubgraph>& runs = starts[start];
      if (start == 1) {
        std::optional<std::vector<PlannedSubgraph>> all = all_at_once(runs);
        if (!all) return;
        runs = *std::move(all);
      }
      for (std::size_t k = 1; k < runs.size() && !budget_.exhausted(); ++k) look(runs, k);
      for (std::size_t k = 2; k < runs.size() && !budget_.exhausted(); ++k) look_back(runs, k);
    });
    std::vector<PlannedSubgraph>* best = nullptr;
    double least = score_of(plan.subgraphs) * less;
    for (std::vector<PlannedSubgraph>& runs : starts) {
      const double score = score_of(runs);
      if (score >= least) continue;
      least = score;
      best = &runs;
    }
    if (best == nullptr) return false;
    NetworkPlan next = plan;
    next.subgraphs = std::move(*best);
    return take_if_better(plan, std::move(next));
  }

 private:
  /// All weights that would help if there were room. Nothing where one cut alone has some, or all
  /// have no place.
  [[nodiscard]] std::optional<std::vector<PlannedSubgraph>> all_at_once(
      const std::vector<PlannedSubgraph>& runs) const {
    std::vector<PlannedSubgraph> all = runs;
    int cuts = 0;
    for (std::size_t k = 1; k < runs.size() && !budget_.exhausted(); ++k) {
      const std::vector<std::string> weights = may_load(all[k - 1], late_weights(all[k]));
      if (weights.empty()) continue;
      std::vector<PlannedSubgraph> placed = as_placed(with(all, k - 1, k, weights), {k - 1, k});
      if (score_of(placed) >= score_of(all) * less) continue;
      all = std::move(placed);
      ++cuts;
    }
    if (cuts < 2 || !settle(all, 0, all.size() - 1)) return std::nullopt;
    return all;
  }

  /// All weights of run `k` that may come early, or else one after the other, as its ops need them.
  void look(std::vector<PlannedSubgraph>& runs, std::size_t k) const {
    const std::vector<std::string> weights = may_load(runs[k - 1], late_weights(runs[k]));
    if (weights.empty() || take(runs, k, weights) || weights.size() == 1) return;
    for (const std::string& weight : weights)
      if (!budget_.exhausted()) take(runs, k, {weight});
  }

  /// Weights of run `k` one by one in runs further before, where the one before has no time or no
  /// room for them: those that come late, and those that keep others from being loaded there.
  void look_back(std::vector<PlannedSubgraph>& runs, std::size_t k) const {
    std::vector<std::string> weights = may_load(runs[k - 1], late_weights(runs[k]));
    for (const std::string& weight : runs[k - 1].ahead)
      if (std::ranges::find(runs[k].early, weight) != runs[k].early.end())
        weights.push_back(weight);
    for (const std::string& weight : weights) {
      std::vector<PlannedSubgraph> late = runs;
      std::erase(late[k - 1].ahead, weight);
      std::erase(late[k].early, weight);
      // Whatever loads it, no more is gained than by nobody doing so.
      std::vector<PlannedSubgraph> gift = late;
      gift[k].early.push_back(weight);
      if (score_of(as_placed(std::move(gift), {k - 1, k})) >= score_of(runs) * less) continue;
      for (std::size_t j = k - 1; j-- > 0 && k - j <= most_ahead;)
        if (budget_.exhausted() || may_load(runs[j], {weight}).empty() ||
            take(runs, with(late, j, k, {weight}), j, k))
          break;
    }
  }

  /// Those of the weights that the run leaves alone.
  [[nodiscard]] std::vector<std::string> may_load(const PlannedSubgraph& run,
                                                  std::vector<std::string> weights) const {
    if (weights.empty() || run.variant.reduction > 1) return {};
    const tiling::Subgraph part = planned_part(network_, hardware_, run, readers_);
    for (std::size_t t = 0; t < part.tensors.size(); ++t) std::erase(weights, part.tensor(t).name);
    return weights;
  }

  /// Weights that may come early, and do not. Those first that are read first.
  [[nodiscard]] std::vector<std::string> late_weights(const PlannedSubgraph& run) const {
    if (run.variant.weights != WeightPolicy::resident || run.variant.reduction > 1) return {};
    const Piece piece = make_piece(network_, hardware_, run, readers_);
    std::vector<std::pair<Step, std::string>> found;
    for (std::size_t t = 0; t < piece.part.tensors.size(); ++t) {
      const tiling::LocalTensor& local = piece.part.tensors[t];
      const auto copied = [&](const tiling::LaterShare& share) { return share.tensor == t; };
      if (!local.weight || local.early || local.pinned || local.consumers.empty() ||
          std::ranges::any_of(piece.lowering.later, copied))
        continue;
      found.emplace_back(local.consumers.front(), piece.part.tensor(t).name);
    }
    std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first; });
    std::vector<std::string> names;
    for (auto& [step, name] : found) names.push_back(std::move(name));
    return names;
  }

  /// Weights of run `k` loaded in run `j`.
  [[nodiscard]] static std::vector<PlannedSubgraph> with(std::vector<PlannedSubgraph> runs,
                                                         std::size_t j, std::size_t k,
                                                         const std::vector<std::string>& weights) {
    for (const std::string& weight : weights) {
      runs[k].early.push_back(weight);
      runs[j].ahead.push_back(weight);
      for (std::size_t between = j + 1; between < k; ++between)
        runs[between].passing.push_back(weight);
    }
    return runs;
  }

  /// These besides those that come early already, where that is better and all has a place.
  bool take(std::vector<PlannedSubgraph>& runs, std::size_t k,
            const std::vector<std::string>& weights) const {
    return take(runs, with(runs, k - 1, k, weights), k - 1, k);
  }
  /// Runs of which `j` loads other weights for `k`.
  bool take(std::vector<PlannedSubgraph>& runs, std::vector<PlannedSubgraph> next, std::size_t j,
            std::size_t k) const {
    const double before = score_of(runs) * less;
    if (score_of(as_placed(next, {j, k - 1, k})) >= before || together(next, k) > most_together ||
        !settle(next, j, k))
      return false;
    if (score_of(next) >= before) return false;
    runs = std::move(next);
    return true;
  }

  /// How many runs are placed with run `k`.
  [[nodiscard]] std::size_t together(const std::vector<PlannedSubgraph>& runs,
                                     std::size_t k) const {
    for (const auto& [first, end] : tied_runs(hardware_, runs))
      if (first <= k && k < end) return end - first;
    return 1;
  }

  /// What runs that load other weights ahead, or find others early, take if there is room beside
  /// what is placed already: where that is makes no difference to time. They peak no higher so.
  [[nodiscard]] std::vector<PlannedSubgraph> as_placed(
      std::vector<PlannedSubgraph> runs, std::initializer_list<std::size_t> changed) const {
    for (const std::size_t k : changed) {
      PlannedSubgraph* const run = &runs[k];
      const Piece piece = make_piece(network_, hardware_, *run, readers_);
      std::vector<BufferPlace>& places = run->placements.front().placement.places;
      // Behind those of the run's own tensors.
      const auto passing =
          static_cast<std::ptrdiff_t>(piece.part.passing.size() + piece.part.kept_rows.size());
      const std::size_t needed = piece.lowering.buffers.size();
      if (needed >= places.size())
        places.insert(places.end() - passing, needed - places.size(), BufferPlace{});
      else
        places.erase(places.end() - passing - static_cast<std::ptrdiff_t>(places.size() - needed),
                     places.end() - passing);
      cost_as_placed(piece, *run);
    }
    return runs;
  }
};

}  // namespace

bool may_come_early(const Network& network, const Hardware& hardware) {
  return hardware.tiling.early == Early::weights && network.ops.size() > 1 &&
         off_chip::behind(hardware) == nullptr;
}

bool take_early(const Network& network, const Hardware& hardware, const PlanParams& params,
                NetworkPlan& plan) {
  return EarlyWeights(network, hardware, params, plan).improve(plan);
}

}  // namespace tessera::planner
