// What the ways to place buffers with parts have in common that give a placement or nothing.
//
//   return make_heuristic_engine("taa", taa_features(), [](const auto& problem, const auto& search)
//   {
//     TaaResult low = tile_aware_allocation(problem, search.budget);
//     return HeuristicAnswer{std::move(low.placement), low.stop};
//   });
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/engine.h"

namespace tessera {

/// What all of them know: where parts lie in a memory that a buffer does not choose, and when.
inline constexpr FeatureSet heuristic_features{Feature::several_memories,
                                               Feature::buffer_alignment,
                                               Feature::several_lives,
                                               Feature::gap,
                                               Feature::gap_window,
                                               Feature::parts,
                                               Feature::banks,
                                               Feature::may_overlap};

struct HeuristicAnswer {
  std::optional<Placement> placement{};  ///< within the capacities
  StopReason stop = StopReason::completed;
  Stats stats{};
};

/// An engine that never says "no".
[[nodiscard]] std::unique_ptr<PlacementEngine> make_heuristic_engine(
    std::string_view name, FeatureSet features,
    std::function<HeuristicAnswer(const PlacementProblem&, const SearchParams&)> place);

}  // namespace tessera
