// Cheaper tiles for runs that matter: the part of Candidates that looks beyond the fewest.
#include <algorithm>
#include <iterator>
#include <new>

#include "placer/tile_engine.h"
#include "planner/candidates.h"
#include "planner/open.h"
#include "planner/option.h"
#include "planner/piece.h"
#include "planner/shapes.h"
#include "search/partition/structure.h"

namespace tessera::planner {

namespace {

/// require: its load is known.
Metrics least_of(const KnownCost& cost) {
  Metrics metrics = cost.metrics;
  metrics.peak_bytes = cost.load.value();
  metrics.peak_bandwidth = 0;
  return metrics;
}

}  // namespace

/// The variants in which tiles of the run may be cheaper than those of the answer, with the fewest
/// tiles that might fit: what() is told of each.
template <typename What>
void Candidates::for_each_variant(const tiling::Subgraph& part, const CandidateAnswer& answer,
                                  const What& what) const {
  std::vector<TileVariant> variants = lowering_variants(hardware_.tiling);
  std::ranges::move(staying_variants(part, hardware_.tiling), std::back_inserter(variants));
  for (const TileVariant& options : variants) {
    std::int64_t fewest = 1;
    bool none = false;
    for (const CandidateAnswer::Tried& other : answer.tried) {
      if (other.variant != options && !easier(other.variant, options)) continue;
      none = none || (other.decided && !other.option);
      fewest = std::max(fewest, other.none_below);
    }
    if (!none) what(options, fewest);
  }
}

template <typename What>
double Candidates::of_answered(OpRange ops, const What& what) const {
  Known known;
  {
    const std::lock_guard guard(lock_);
    const auto at = of_run_.find({ops.first, ops.last});
    if (at == of_run_.end() || !at->second.answer) return 0;
    known = at->second;
  }
  const std::string structure = structure_of(ops);
  const std::shared_ptr<RunGeometry> run = geometry_of(ops, structure);
  const std::lock_guard guard(run->lock);
  try {
    return what(*run, structure, known.fewest ? *known.fewest : *known.answer);
  } catch (const BudgetEnded&) {
    return 0;
  }
}

double Candidates::least_score(OpRange ops, const ScoreOf& score) const {
  return of_answered(
      ops, [&](RunGeometry& run, const std::string& structure, const CandidateAnswer& answer) {
        const Question question{run, structure, effort_at(0, params_.nodes_per_question)};
        const auto bound = grid_bound(question);
        double least = std::numeric_limits<double>::infinity();
        for_each_variant(run.part, answer, [&](const TileVariant& options, std::int64_t fewest) {
          least = std::min(least, bound ? score(bound->least(fewest, options)) : 0);
        });
        return least;
      });
}

double Candidates::least_score_of_shapes(OpRange ops, const ScoreOf& score) const {
  return of_answered(
      ops, [&](RunGeometry& run, const std::string& structure, const CandidateAnswer& answer) {
        return cheaper(run, structure, answer, {.score = score, .key = {}, .most_shapes = 0})
            .open_score;
      });
}

bool Candidates::refine(OpRange ops, const ShapeGoal& goal) {
  Known known;
  {
    const std::lock_guard guard(lock_);
    known = of_run_[{ops.first, ops.last}];
  }
  if (!known.answer) return false;
  if (!known.fewest) known.fewest = known.answer;
  const std::string structure = structure_of(ops);
  const std::string key =
      hardware_key_ + "cheaper " + std::to_string(known.level) + ' ' + goal.key + '\n' + structure;
  bool fresh = false;
  const auto made_here = [&] {
    const std::shared_ptr<RunGeometry> run = geometry_of(ops, structure);
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

/// What is known of shapes from machines that differ in their capacity alone.
KnownShapes Candidates::known_shapes(const std::string& structure,
                                     const TileVariant& options) const {
  if (cost_key_.empty()) return {};
  const auto load_key = [this, structure, options](const tiling::TileShape& shape) {
    return load_key_ + cost_key_of(structure, options, shape).substr(cost_key_.size());
  };
  return {
      .fits = [this, load_key](const tiling::TileShape& shape) -> std::optional<bool> {
        const std::optional<KnownLoad> known = memory_->loads().find(load_key(shape));
        if (!known || (capacity_ < known->fits_from && capacity_ > known->fails_to))
          return std::nullopt;
        return capacity_ >= known->fits_from;
      },
      .keep_fits =
          [this, load_key](const tiling::TileShape& shape, bool fits) {
            const std::string key = load_key(shape);
            KnownLoad known = memory_->loads().find(key).value_or(KnownLoad{});
            if (fits)
              known.fits_from = std::min(known.fits_from, capacity_);
            else
              known.fails_to = std::max(known.fails_to, capacity_);
            memory_->loads().keep(key, known);
          },
      .cost = [this, structure, options](const tiling::TileShape& shape) -> std::optional<Metrics> {
        const auto known = memory_->costs().find(cost_key_of(structure, options, shape));
        if (!known || !known->load) return std::nullopt;
        return least_of(*known);
      }};
}

CandidateAnswer Candidates::cheaper(RunGeometry& run, const std::string& structure,
                                    const CandidateAnswer& answer, const ShapeGoal& goal) const {
  CandidateAnswer found;
  double least = std::numeric_limits<double>::infinity();
  for (const PlannedSubgraph& option : answer.options)
    least = std::min(least, goal.score(option.metrics));
  Poll poll(params_.budget);
  const std::unique_ptr<engine::PlacementEngine> engine = placer::tile_engine(hardware_);
  const Question question{run, structure, effort_at(0, params_.nodes_per_question)};
  const std::shared_ptr<const cost::GridBound> bound = grid_bound(question);
  double open = std::numeric_limits<double>::infinity();
  for_each_variant(run.part, answer, [&](const TileVariant& options, std::int64_t fewest) {
    tiling::TileGeometry& geometry =
        run.of_halo.try_emplace(options.halo, run.part, options.halo).first->second;
    const tiling::WatchedGeometry watched(geometry, poll);
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
             [&](const tiling::TileGrid& grid, const tiling::Lowering& lowering) {
               KnownCost cost =
                   cost_anywhere(run.part, grid, lowering, cheapest_, *cheapest_arrays_, poll);
               cost.load = peak_load(
                   lowering, tiling::demands(run.part, geometry.space(), lowering, grid.tiles));
               if (!cost_key_.empty())
                 memory_->costs().keep(cost_key_of(structure, options, grid.shape), cost);
               return least_of(cost);
             },
         .groups = &run.groups.try_emplace(options.halo, geometry.space()).first->second,
         .first_loads =
             load_key_.empty() ? nullptr : &run.first_loads[load_key_ + variant_word(options)],
         .known = known_shapes(structure, options),
         .below = least,
         .most_shapes = goal.most_shapes});
    shapes_ += best.looked;
    open = std::min(open, best.open);
    if (!best.found) return;
    std::optional<KnownCost> known;
    if (!cost_key_.empty())
      known = memory_->costs().find(cost_key_of(structure, options, best.found->shape));
    PlannedSubgraph option = make_option(geometry, hardware_, options, std::move(*best.found),
                                         engine_name_, *arrays_, poll, known ? &*known : nullptr);
    const double cost = goal.score(option.metrics);
    // Where its places cost more than they might, other places might cost less.
    if (cost > best.cost) open = std::min(open, best.cost);
    if (cost >= least) return;
    least = cost;
    found.options.push_back(std::move(option));
  });
  if (open < least) found.open_score = open;
  return found;
}

}  // namespace tessera::planner
