// Common code of heuristics that place buffers with parts and prove nothing.
//
//   return make_heuristic_engine("taa", taa_features(), [](const auto& problem, const auto& search)
//   {
//     TaaResult low = tile_aware_allocation(problem, {.budget = search.budget});
//     return HeuristicResult{std::move(low.placement), low.stop};
//   });
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/engine.h"

namespace tessera::search {

/// Features that all of them support: parts, and buffers restricted to one memory.
inline constexpr facts::FeatureSet heuristic_features{facts::Feature::several_memories,
                                                      facts::Feature::buffer_alignment,
                                                      facts::Feature::several_lives,
                                                      facts::Feature::gap,
                                                      facts::Feature::gap_window,
                                                      facts::Feature::parts,
                                                      facts::Feature::banks,
                                                      facts::Feature::may_overlap};

struct HeuristicResult {
  std::optional<Placement> placement{};  ///< within the capacities
  StopReason stop = StopReason::completed;
  Stats stats{};
};

/// An engine that never reports infeasibility.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_heuristic_engine(
    std::string_view name, facts::FeatureSet features,
    std::function<HeuristicResult(const PlacementProblem&, const engine::SearchParams&)> place);

}  // namespace tessera::search
