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

namespace tessera::search {

/// What all of them know: where parts lie in a memory that a buffer does not choose, and when.
inline constexpr facts::FeatureSet heuristic_features{facts::Feature::several_memories,
                                                      facts::Feature::buffer_alignment,
                                                      facts::Feature::several_lives,
                                                      facts::Feature::gap,
                                                      facts::Feature::gap_window,
                                                      facts::Feature::parts,
                                                      facts::Feature::banks,
                                                      facts::Feature::may_overlap};

struct HeuristicAnswer {
  std::optional<Placement> placement{};  ///< within the capacities
  StopReason stop = StopReason::completed;
  Stats stats{};
};

/// An engine that never says "no".
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_heuristic_engine(
    std::string_view name, facts::FeatureSet features,
    std::function<HeuristicAnswer(const PlacementProblem&, const engine::SearchParams&)> place);

}  // namespace tessera::search
