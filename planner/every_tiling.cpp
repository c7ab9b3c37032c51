// All relevant tilings of a group: the part of Candidates used by proofs.
#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "placer/tile_engine.h"
#include "planner/candidates.h"
#include "planner/open.h"
#include "planner/option.h"
#include "planner/peaks.h"
#include "planner/piece.h"
#include "planner/shapes.h"

namespace tessera::planner {

template <typename What>
void Candidates::for_each_way(RunGeometry& run, const std::string& structure,
                              const CandidateAnswer& answer, const What& what) const {
  std::vector<TileVariant> variants = variants_of(run.part, hardware_);
  std::ranges::move(one_copy_variants(run.part, hardware_), std::back_inserter(variants));
  std::ranges::move(direct_variants(run.part, hardware_), std::back_inserter(variants));
  std::ranges::move(trailing_variants(run.part, hardware_), std::back_inserter(variants));
  for_each_variant(variants, answer, [&](const TileVariant& options, std::int64_t fewest) {
    what(run, structure, options, fewest);
  });
  for (const Reduced& split : reduced(run, structure))
    for_each_variant(in_parts(variants_of(split.run->part, hardware_), split.parts), answer,
                     [&](const TileVariant& options, std::int64_t fewest) {
                       what(*split.run, split.structure, options, fewest);
                     });
}

Candidates::Reduced Candidates::in_variant(RunGeometry& run, const std::string& structure,
                                           const TileVariant& variant) const {
  if (variant.reduction > 1)
    for (Reduced& split : reduced(run, structure))
      if (split.parts == variant.reduction) return std::move(split);
  return {1, &run, structure};
}

TilingGroups Candidates::tiling_groups(OpRange ops, const ScoreOf& score, double below) {
  static_cast<void>(answer(ops));
  TilingGroups all;
  all.open = 0;  // if a limit is met
  static_cast<void>(of_answered(
      ops, [&](RunGeometry& run, const std::string& structure, const CandidateAnswer& answer) {
        TilingGroups found;
        Poll poll(params_.budget);
        for_each_way(
            run, structure, answer,
            [&](RunGeometry& of, const std::string& name, const TileVariant& options,
                std::int64_t fewest) {
              poll.check();
              const auto bound = grid_bound({of, name, effort_at(0, params_.nodes_per_question)});
              tiling::TileGeometry& geometry = of.with(options.halo);
              const tiling::WatchedGeometry watched(geometry, poll);
              ShapeSearchParams params = shape_params(of, name, options, geometry, poll);
              params.fewest_tiles = fewest;
              params.bound = bound.get();
              params.score = score;
              params.below = below;
              const RatedGroups rated = rated_groups(geometry, hardware_, params);
              for (const RatedGroup& each : rated.groups)
                found.groups.push_back({options, each.group, each.least});
              found.open = std::min(found.open, rated.open);
            });
        all = std::move(found);
        return 0.0;
      }));
  return all;
}

std::optional<std::vector<Tiling>> Candidates::tilings_in(std::span<const TilingGroup> groups,
                                                          OpRange ops, const ScoreOf& score,
                                                          double below, std::int64_t& most) {
  std::optional<std::vector<Tiling>> all;
  static_cast<void>(
      of_answered(ops, [&](RunGeometry& run, const std::string& structure, const CandidateAnswer&) {
        std::vector<Tiling> found;
        Poll poll(params_.budget);
        for (auto first = groups.begin(); first != groups.end();) {
          const TileVariant options = first->variant;
          std::vector<search::ShapeGroup> of_variant;
          for (; first != groups.end() && first->variant == options; ++first)
            of_variant.push_back(first->group);
          const Reduced of = in_variant(run, structure, options);
          tiling::TileGeometry& geometry = of.run->with(options.halo);
          const tiling::WatchedGeometry watched(geometry, poll);
          ShapeSearchParams params = shape_params(*of.run, of.structure, options, geometry, poll);
          params.score = score;
          params.below = below;
          params.most_shapes = most;
          const std::optional<std::int64_t> looked =
              each_shape(geometry, hardware_, params, of_variant,
                         [&](const tiling::TileShape& shape, const Metrics& least) {
                           found.push_back({options, shape, least});
                         });
          shapes_ += looked.value_or(most);
          most -= looked.value_or(most);
          if (!looked) return 0.0;
        }
        all = std::move(found);
        return 0.0;
      }));
  return all;
}

Candidates::Placed Candidates::place(OpRange ops, const Tiling& tiling, Size most_peak) {
  Placed placed;
  PeakLimits limits;
  limits.peak_bytes = static_cast<double>(most_peak);
  const Hardware within = machine_within(hardware_, limits);
  std::optional<PlannedSubgraph> option;
  static_cast<void>(
      of_answered(ops, [&](RunGeometry& run, const std::string& structure, const CandidateAnswer&) {
        RunGeometry* const of = in_variant(run, structure, tiling.variant).run;
        Poll poll(params_.budget);
        tiling::TileGeometry& geometry = of->with(tiling.variant.halo);
        const tiling::WatchedGeometry watched(geometry, poll);
        const std::unique_ptr<engine::PlacementEngine> engine =
            placer::tile_engine(within, params_.engine);
        search::TileSearchResult found =
            search::find_tile(geometry, within,
                              {.options = tiling.variant,
                               .engine = engine.get(),
                               .budget = params_.budget,
                               .nodes_per_question = params_.nodes_per_question,
                               .time_per_question = params_.time_per_question,
                               .seed = params_.seed,
                               .only = tiling.shape});
        placed.status = found.status;
        if (found.status == Status::feasible)
          option = make_option(geometry, within, tiling.variant, std::move(found), engine_name_,
                               *arrays_, poll);
        return 0.0;
      }));
  // With several memories, other divisions give the same sum.
  if (placed.status == Status::infeasible && most_peak < on_chip_capacity(hardware_) &&
      !decides(hardware_, limits))
    placed.status = Status::unknown;
  if (!option) return placed;
  const std::lock_guard guard(lock_);
  Known& known = of_run_[{ops.first, ops.last}];
  if (!known.fewest) known.fewest = known.answer;
  CandidateAnswer more = *known.answer;
  placed.option = more.options.size();
  more.options.push_back(*std::move(option));
  known.answer = std::make_shared<const CandidateAnswer>(std::move(more));
  return placed;
}

}  // namespace tessera::planner
