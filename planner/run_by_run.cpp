#include "planner/run_by_run.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/off_chip.h"
#include "model/parallel.h"
#include "planner/candidates.h"
#include "planner/cheaper.h"
#include "planner/describe.h"
#include "planner/later_look.h"
#include "planner/peaks.h"
#include "planner/planning.h"
#include "tiling/trailing.h"

namespace tessera::planner {
namespace {

class RunByRun : LaterLook {
 public:
  RunByRun(const Network& network, const Hardware& hardware, const PlanParams& params,
           const NetworkPlan& plan)
      : LaterLook(network, hardware, params, plan),
        candidates_(network, within_, candidates_with(stays_of(plan.subgraphs)),
                    params.memory ? params.memory : make_plan_memory()) {}

  bool improve(NetworkPlan& plan) {
    NetworkPlan next = plan;
    bool any = false;
    // The group's own peak is charged if it may be that of the plan.
    std::vector<Size> frees{peak_of(plan.subgraphs)};
    if (cost::peak_weight(score_) > 0) frees.push_back(0);
    for (const Size free : frees) {
      std::vector<std::optional<PlannedSubgraph>> found(next.subgraphs.size());
      each_together(params_.limits.threads, found.size(), [&](std::size_t k) {
        if (!budget_.exhausted()) found[k] = better_run(next.subgraphs[k], free);
      });
      for (std::size_t k = 0; k < found.size(); ++k)
        if (found[k]) any = take(next.subgraphs, k, *std::move(found[k])) || any;
    }
    return any && take_if_better(plan, std::move(next));
  }

 private:
  [[nodiscard]] std::optional<PlannedSubgraph> better_run(const PlannedSubgraph& now, Size free) {
    const bool alone = now.ops.first == now.ops.last;
    if (alone ? !may_be_direct(hardware_) : !tiling::works_side_by_side(hardware_))
      return std::nullopt;
    static_cast<void>(candidates_.answer(now.ops));
    ShapeGoal goal = shape_goal(score_, limits_, params_.tile_shapes, free);
    goal.last = alone ? ShapeGoal::Stage::direct : ShapeGoal::Stage::side_by_side;
    // The plan already has the best options of the earlier stages.
    goal.alone = !alone;
    candidates_.refine(now.ops, goal);
    const auto answer = candidates_.answer(now.ops);
    const PlannedSubgraph* best = nullptr;
    for (const PlannedSubgraph& option : answer->options) {
      if (alone ? option.variant.direct == Direct::none : option.variant.trailing == 0) continue;
      const double score = goal.score(option.metrics);
      if (score < goal.score(best != nullptr ? best->metrics : now.metrics) * less) best = &option;
    }
    if (best == nullptr) return std::nullopt;
    return subgraph_of(network_, hardware_, now.ops, *best, candidates_.kept(now.ops), readers_);
  }

  /// True if the score is no higher and resident tensors keep a common address. A lower peak of one
  /// group may pay off once other groups have one, too.
  bool take(std::vector<PlannedSubgraph>& runs, std::size_t k, PlannedSubgraph run) const {
    std::vector<PlannedSubgraph> next = runs;
    const Size peak = next[k].metrics.peak_bytes;
    next[k] = std::move(run);
    if (!settle(next, k, k)) return false;
    const double before = score_of(runs);
    const double now = score_of(next);
    if (now > before || (now >= before * less && next[k].metrics.peak_bytes >= peak)) return false;
    runs = std::move(next);
    return true;
  }

  Candidates candidates_;
};

}  // namespace

bool may_be_direct(const Hardware& hardware) {
  return off_chip::reached(hardware) != nullptr && hardware.tiling.direct.size() > 1;
}

bool take_run_by_run(const Network& network, const Hardware& hardware, const PlanParams& params,
                     NetworkPlan& plan) {
  return RunByRun(network, hardware, params, plan).improve(plan);
}

}  // namespace tessera::planner
