// The answer of `plan`: `{"tessera": "plan/1", ...}`.
//
//   std::string text = write_plan_json(plan);
//   NetworkPlan plan = read_plan_json(text, "plan.json", problem_of);
//
// Besides the keys of the contract each subgraph says how it is tiled (`grid`, `variant`), so
// that a checker can derive its problem again, and `more_placements` where one does not hold every
// distinct tile.
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

/// What a plan says of where tensors lie in all subgraphs.
struct PlannedPlaces {
  std::vector<PlannedJoin> joined;
  std::vector<PlannedPin> pinned;
};

/// The problem that placement `index` of a subgraph (whose ops, tiling and variant are read
/// already, as are the plan's places) claims to answer. May throw std::invalid_argument: the
/// message becomes a MismatchError.
using PlannedProblem = std::function<PlacementProblem(
    const PlannedPlaces& places, const PlannedSubgraph& subgraph, std::size_t index)>;

/// What a placement of the file says besides its places, for whoever judges that.
using PlannedClaims = std::function<void(const PlannedSubgraph& subgraph,
                                         const PlannedPlacement& placed, PlacementResult result)>;

/// Throws InputError for what is not such a plan, MismatchError for one whose subgraphs, tiles or
/// buffers are not those of the network. Whether it is right is not asked here.
[[nodiscard]] NetworkPlan read_plan_json(std::string_view text, const std::string& file,
                                         const PlannedProblem& problem_of,
                                         const PlannedClaims& claims = {});

/// What a file says of itself before its network is known.
struct PlanHeader {
  bool is_plan = false;  ///< it is a JSON object with `"tessera": "plan/1"`
  std::string network;
  std::string profile;
  std::string dtype;
  std::optional<PlanReference> costs;  ///< its totals, where it is feasible
};
/// Throws InputError.
[[nodiscard]] PlanHeader read_plan_header(std::string_view text, const std::string& file);

}  // namespace tessera::io
