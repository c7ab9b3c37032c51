// The result of `plan`: `{"tessera": "plan/1", ...}`.
//
//   std::string text = write_plan_json(plan);
//   NetworkPlan plan = read_plan_json(text, "plan.json", problem_of);
//
// In addition to the keys of the contract each subgraph has its tiling (`grid`, `variant`), so that
// a checker can derive its problem again. It has `more_placements` if one placement does not hold
// every distinct tile.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "tessera/network_plan.h"

namespace tessera::io {

[[nodiscard]] std::string write_plan_json(const NetworkPlan& plan);

/// Places of tensors that a plan states for all subgraphs.
struct PlannedPlaces {
  std::vector<PlannedJoin> joined;
  std::vector<PlannedPin> pinned;
};

/// The problem of placement `index` of a subgraph. The ops, tiling and variant of the subgraph are
/// read already, as are the plan's places. May throw std::invalid_argument: the message becomes a
/// MismatchError.
using PlannedProblem = std::function<PlacementProblem(
    const PlannedPlaces& places, const PlannedSubgraph& subgraph, std::size_t index)>;

/// Claims of a placement in the file apart from its places, for the checker.
using PlannedClaims = std::function<void(const PlannedSubgraph& subgraph,
                                         const PlannedPlacement& placed, PlacementResult result)>;

/// Throws InputError if the text is no such plan, MismatchError if its subgraphs, tiles or buffers
/// are not those of the network. Correctness is not checked here.
[[nodiscard]] NetworkPlan read_plan_json(std::string_view text, const std::string& file,
                                         const PlannedProblem& problem_of,
                                         const PlannedClaims& claims = {});

/// The header of a plan file, readable without its network.
struct PlanHeader {
  bool is_plan = false;  ///< it is a JSON object with `"tessera": "plan/1"`
  std::string network;
  std::string profile;
  std::string dtype;
  std::optional<PlanReference> costs;  ///< its totals, if it is feasible
};
/// Throws InputError.
[[nodiscard]] PlanHeader read_plan_header(std::string_view text, const std::string& file);

}  // namespace tessera::io
