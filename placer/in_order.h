// Several objectives, one after the other: each is minimised (the benefit: maximised) at the values
// that were reached for those before it.
//
//   const InOrder best = solve_in_order(problem, {Objective::height, Objective::cost}, params);
//   best.bounds[1];                 // no placement of the height reached pays less
//
// The first one is asked as it is asked alone. What was reached is a limit from then on: of heights
// less room, of a cost the most that may be paid, of a benefit the least that has to be in. Until
// the benefit's turn comes everything optional is left out, since fewer buffers never ask for more.
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
  Decision answer;  ///< a placement of the whole problem, with what is left out
  /// Per objective: proved of all placements that have the values of those before. Empty without a
  /// placement.
  std::vector<std::int64_t> bounds;
  HeightResult least;  ///< where the height is the first one: what is proved of it
  /// Where the benefit is the first one: sets without a placement that its bound may rest on.
  std::vector<std::vector<std::uint32_t>> refuted;
};

/// require: validate(problem) is empty; the objectives are heights, costs and benefits, each once;
/// the engine of the settings takes the problem for each of them.
[[nodiscard]] InOrder solve_in_order(const PlacementProblem& problem,
                                     const std::vector<Objective>& objectives,
                                     const InOrderParams& params);

}  // namespace tessera::placer
