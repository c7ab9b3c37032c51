// Choice of the memory size.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/parallel.h"
#include "model/shared_work.h"
#include "planner/plannings.h"

namespace tessera::planner {

void Plannings::look_further(NetworkPlan& plan, double fewest) {
  NetworkPlan quick = plan;
  const std::vector<Level> levels = best_levels(quick, fewest);
  plan = quick;
  std::vector<NetworkPlan> full(levels.size());
  each_sharing(
      {.threads = params_.limits.threads}, levels.size(), [&](std::size_t k, SharedWork& shared) {
        PlanParams params = rest();
        params.progress = progress_from(plan);
        params.limits.threads = threads_of_each(params_.limits.threads, levels.size());
        full[k] =
            plan_once(
                network_, hardware_, params,
                {.most_peak = levels[k].most_peak, .side_by_side = side_by_side_, .outer = &shared})
                .plan;
      });
  for (NetworkPlan& each : full) {
    solved_ += each.search.solved;
    note(each.stop);
    take_if_better(plan, std::move(each));
  }
}

std::vector<Plannings::Quick> Plannings::quick_looks(Descent descent,
                                                     const NetworkPlan& plan) const {
  PlanParams params = rest();
  params.progress = progress_from(plan);
  std::vector<Quick> looks;
  const auto threads = static_cast<std::size_t>(std::max(1, params.limits.threads));
  do {
    looks.push_back({.level = descent.level, .worth_below = descent.worth_below()});
    ++descent.in_vain;
  } while (looks.size() < threads && descent.step() > 0);
  params.limits.threads = threads_of_each(params_.limits.threads, looks.size());
  each_sharing({.threads = params_.limits.threads}, looks.size(),
               [&](std::size_t k, SharedWork& shared) {
                 Quick& look = looks[k];
                 look.planned = plan_once(network_, hardware_, params,
                                          {.most_peak = look.level,
                                           .quick = true,
                                           .worth_below = look.worth_below,
                                           .side_by_side = side_by_side_,
                                           .outer = &shared});
               });
  return looks;
}

std::vector<Level> Plannings::best_levels(NetworkPlan& plan, double fewest) {
  std::vector<Level> levels{{.score = plan.score}};
  Descent descent{.level = plan.totals.peak_bytes, .fewest = fewest};
  descent.see(plan);
  std::vector<Quick> looks;
  while (may_go_on(plan) && descent.step() > 0) {
    const auto is_of_now = [&](const Quick& look) {
      return look.level == descent.level && look.says_below(descent.worth_below());
    };
    auto look = std::ranges::find_if(looks, is_of_now);
    if (look == looks.end()) {
      looks = quick_looks(descent, plan);
      look = looks.begin();
    }
    auto [lower, lower_fewest] = std::move(look->planned);
    looks.erase(look);
    solved_ += lower.search.solved;
    note(lower.stop);
    if (lower.status == Status::feasible) levels.push_back({descent.level, lower.score});
    if (lower.status != Status::feasible || lower.score >= plan.score) {
      ++descent.in_vain;
      continue;
    }
    descent.in_vain = Descent::most_in_vain - 1;
    descent.fewest = lower_fewest;
    take_if_better(plan, std::move(lower));
    descent.see(plan);
  }
  return worth_it(std::move(levels), network_.ops.size() <= few_ops);
}

}  // namespace tessera::planner
