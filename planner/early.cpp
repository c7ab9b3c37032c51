#include "planner/early.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/tiled_run.h"
#include "model/off_chip.h"
#include "planner/later_look.h"
#include "planner/piece.h"

namespace tessera::planner {
namespace {

class EarlyWeights : LaterLook {
 public:
  EarlyWeights(const Network& network, const Hardware& hardware, const PlanParams& params,
               const NetworkPlan& plan)
      : LaterLook(network, hardware, params, plan) {}

  bool improve(NetworkPlan& plan) {
    NetworkPlan next = plan;
    std::vector<PlannedSubgraph>& runs = next.subgraphs;
    bool any = false;
    for (std::size_t k = 1; k < runs.size() && !budget_.exhausted(); ++k)
      any = look(runs, k) || any;
    return any && take_if_better(plan, std::move(next));
  }

 private:
  /// All weights of run `k` that may come early, or else one after the other, as its ops need them.
  bool look(std::vector<PlannedSubgraph>& runs, std::size_t k) const {
    if (runs[k - 1].variant.reduction > 1 || runs[k].variant.reduction > 1) return false;
    const std::vector<std::string> weights = weights_of(runs[k - 1], runs[k]);
    if (weights.empty()) return false;
    if (take(runs, k, weights)) return true;
    bool any = false;
    if (weights.size() > 1)
      for (const std::string& weight : weights)
        if (!budget_.exhausted()) any = take(runs, k, {weight}) || any;
    return any;
  }

  [[nodiscard]] std::vector<std::string> weights_of(const PlannedSubgraph& before,
                                                    const PlannedSubgraph& run) const {
    if (run.variant.weights != WeightPolicy::resident) return {};
    const Piece piece = make_piece(network_, hardware_, run, readers_);
    const tiling::Subgraph other = planned_part(network_, hardware_, before, readers_);
    std::vector<std::pair<Step, std::string>> found;
    for (std::size_t t = 0; t < piece.part.tensors.size(); ++t) {
      const tiling::LocalTensor& local = piece.part.tensors[t];
      const auto copied = [&](const tiling::LaterShare& share) { return share.tensor == t; };
      if (!local.weight || local.consumers.empty() ||
          std::ranges::any_of(piece.lowering.later, copied) ||
          std::ranges::find(other.tensors, local.tensor, &tiling::LocalTensor::tensor) !=
              other.tensors.end())
        continue;
      found.emplace_back(local.consumers.front(), piece.part.tensor(t).name);
    }
    std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first; });
    std::vector<std::string> names;
    for (auto& [step, name] : found) names.push_back(std::move(name));
    return names;
  }

  /// These besides those that come early already, where that is better and all has a place.
  bool take(std::vector<PlannedSubgraph>& runs, std::size_t k,
            const std::vector<std::string>& weights) const {
    std::vector<PlannedSubgraph> next = runs;
    for (const std::string& weight : weights) {
      next[k].early.push_back(weight);
      next[k - 1].ahead.push_back(weight);
    }
    const double before = score_of(runs);
    if (score_as_placed(runs, next, k) >= before * less || !settle(next, k - 1, k)) return false;
    if (score_of(next) >= before * less) return false;
    runs = std::move(next);
    return true;
  }

  /// As if there were room beside what is placed already: where that is lies makes no difference to
  /// time.
  [[nodiscard]] double score_as_placed(const std::vector<PlannedSubgraph>& runs,
                                       const std::vector<PlannedSubgraph>& next,
                                       std::size_t k) const {
    std::vector<PlannedSubgraph> both{next[k - 1], next[k]};
    for (PlannedSubgraph& run : both) {
      const Piece piece = make_piece(network_, hardware_, run, readers_);
      run.placements.erase(run.placements.begin() + 1, run.placements.end());
      PlannedPlacement& placed = run.placements.front();
      placed.problem = piece_problem(piece, 0);
      std::vector<BufferPlace>& places = placed.placement.places;
      const std::size_t missing = piece.lowering.buffers.size() - places.size();
      places.insert(places.end() - static_cast<std::ptrdiff_t>(piece.part.passing.size()), missing,
                    BufferPlace{});
      const Size peak = run.metrics.peak_bytes;
      run.metrics = cost::run_cost(piece_run(piece, hardware_, run.placements)).metrics;
      run.metrics.peak_bytes = peak;
    }
    std::vector<PlannedSubgraph> all = runs;
    all[k - 1] = std::move(both[0]);
    all[k] = std::move(both[1]);
    return score_of(all);
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
