// Lexicographic objectives: each is minimised (the benefit: maximised) subject to the values
// reached for the previous ones.
//
//   const InOrder best = solve_in_order(problem, {Objective::height, Objective::cost}, params);
//   best.bounds[1];                 // no placement of the height reached pays less
//
// The first objective is solved as if it were alone. Its value then limits the others: a height
// reduces the capacity, a cost is an upper limit, a benefit a lower limit. All optional buffers are
// left out until the benefit is optimised, since fewer buffers never need more.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "placer/decide.h"
#include "placer/height.h"
#include "tessera/place.h"

namespace tessera::placer {

struct InOrderParams {
  engine::SearchParams search{};
  DecideParams settings{};
  std::function<void(std::string_view phase)> phase{};  ///< may be empty
};

struct InOrder {
  Decision answer;  ///< a placement of the whole problem, with the buffers left out
  /// Per objective: proved over all placements with the values reached before. Empty without a
  /// placement.
  std::vector<std::int64_t> bounds;
  HeightResult least;  ///< if height is the first objective: its proof
  /// If benefit is the first objective: sets without a placement that its bound may depend on.
  std::vector<std::vector<std::uint32_t>> refuted;
};

/// require: validate(problem) is empty; the objectives are heights, costs and benefits, each once;
/// the engine of the settings takes the problem for each of them.
[[nodiscard]] InOrder solve_in_order(const PlacementProblem& problem,
                                     const std::vector<Objective>& objectives,
                                     const InOrderParams& params);

}  // namespace tessera::placer
