// Cheaper tiles for runs that matter: the part of Candidates that looks beyond the fewest.
#include <algorithm>
#include <iterator>
#include <new>

#include "planner/plan_candidates.h"
#include "planner/plan_open.h"
#include "planner/plan_option.h"
#include "planner/plan_piece.h"
#include "planner/plan_shapes.h"
#include "planner/tile_engine.h"
#include "search/partition/structure.h"

namespace tessera {

bool Candidates::refine(OpRange ops, const ShapeGoal& goal) {
  Known known;
  {
    const std::lock_guard guard(lock_);
    known = of_run_[{ops.first, ops.last}];
  }
  if (!known.answer || !known.answer->final) return false;
  if (!known.fewest) known.fewest = known.answer;
  std::shared_ptr<RunGeometry> run = new_run(ops);
  const std::string structure = structure_key(run->part);
  const std::string key = hardware_key_ + "cheaper " + goal.key + '\n' + structure;
  bool fresh = false;
  const auto made_here = [&] {
    if (kept_network_)
      if (auto kept = memory_->geometry(structure)) run = std::move(kept);
    const std::lock_guard guard(run->lock);
    try {
      CandidateAnswer made = cheaper(*run, structure, *known.fewest, goal);
      made.cut_short = params_.budget.exhausted() || out_of_memory_;
      return made;
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
    } catch (const BudgetEnded& ended) {
      if (ended.reason == StopReason::memory_limit) out_of_memory_ = true;
    }
    CandidateAnswer nothing;
    nothing.open_score = 0;
    nothing.cut_short = true;
    return nothing;
  };
  PlanMemory::Answer better;
  do {
    better = memory_->get(key, fresh, made_here);
    if (better->cut_short) memory_->forget(key, better);
    // Whoever made it had less time than there is here.
  } while (better->cut_short && !fresh && !params_.budget.exhausted());
  // Covers know options by their positions, and what is remembered may have been found for another
  // plan: it comes after all there is.
  CandidateAnswer more = *known.answer;
  for (const PlannedSubgraph& option : better->options)
    if (std::ranges::find(more.options, option.metrics, &PlannedSubgraph::metrics) ==
        more.options.end())
      more.options.push_back(option);
  more.open_score = better->open_score;
  const bool any = more.options.size() > known.answer->options.size();
  known.answer = std::make_shared<const CandidateAnswer>(std::move(more));
  const std::lock_guard guard(lock_);
  of_run_[{ops.first, ops.last}] = known;
  return any;
}

CandidateAnswer Candidates::cheaper(RunGeometry& run, const std::string& structure,
                                    const CandidateAnswer& answer, const ShapeGoal& goal) const {
  CandidateAnswer found;
  double least = std::numeric_limits<double>::infinity();
  for (const PlannedSubgraph& option : answer.options)
    least = std::min(least, goal.score(option.metrics));
  Poll poll(params_.budget);
  const std::unique_ptr<PlacementEngine> engine = tile_engine(hardware_);
  const Question question{run, structure, effort_at(0, params_.nodes_per_question)};
  double open = std::numeric_limits<double>::infinity();
  std::vector<LoweringOptions> variants = lowering_variants(hardware_.tiling);
  std::ranges::move(staying_variants(run.part, hardware_.tiling), std::back_inserter(variants));
  for (const LoweringOptions& options : variants) {
    std::int64_t fewest = 1;
    bool none = false;
    for (const CandidateAnswer::Tried& other : answer.tried) {
      if (other.variant != options && !easier(other.variant, options)) continue;
      none = none || (other.decided && !other.option);
      fewest = std::max(fewest, other.none_below);
    }
    if (none) continue;
    TileGeometry& geometry =
        run.of_halo.try_emplace(options.halo, run.part, options.halo).first->second;
    const WatchedGeometry watched(geometry, poll);
    const std::shared_ptr<const GridBound> bound =
        options.halo == HaloPolicy::recompute ? grid_bound(question) : nullptr;
    CheapestTile best = cheapest_tile(
        geometry, hardware_,
        {.options = options,
         .engine = engine.get(),
         .budget = params_.budget,
         .nodes_per_question = effort_at(0, params_.nodes_per_question).nodes,
         .seed = params_.seed,
         .fewest_tiles = fewest,
         .bound = bound.get(),
         .score = goal.score,
         .cost =
             [&](const TileGrid& grid, const Lowering& lowering) {
               return least_metrics(make_piece(run.part, geometry.space(), grid, lowering),
                                    cheapest_, cheapest_arrays_, poll);
             },
         .below = least,
         .most_shapes = goal.most_shapes});
    shapes_ += best.looked;
    open = std::min(open, best.open);
    if (!best.found) continue;
    PlannedSubgraph option = make_option(geometry, hardware_, options, std::move(*best.found),
                                         engine_name_, arrays_, poll);
    const double cost = goal.score(option.metrics);
    // Where its places cost more than they might, other places might cost less.
    if (cost > best.cost) open = std::min(open, best.cost);
    if (cost >= least) continue;
    least = cost;
    found.options.push_back(std::move(option));
  }
  if (open < least) found.open_score = open;
  return found;
}

}  // namespace tessera
