// Selects the optional buffers to place so that their total benefit is maximal.
//
//   const ChooseResult best = choose(problem, {.search = {.budget = budget}});
//   if (best.answer.found.status == Status::feasible && best.benefit == best.bound) proved();
//
// Two queries alternate. search/choice finds the best set by sums alone; the engines then decide
// whether that set has a placement. If not, a minimal set without a placement is found
// (QuickXplain, Junker, AAAI 2004) and excluded from the sums. This is logic-based Benders
// decomposition (Hooker and Ottosson, Mathematical Programming 2003): at any time the sums give an
// upper bound and placements a lower one; when both meet, the result is proved optimal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/engine.h"
#include "placer/decide.h"

namespace tessera::placer {

struct ChooseParams {
  engine::SearchParams search{};
  DecideParams settings{};
  /// Target benefit: the search stops if it is reached, or proved unreachable.
  std::optional<Benefit> enough{};
  std::function<void(Benefit best, Benefit bound)> progress{};  ///< may be empty
};

struct ChooseResult {
  /// A placement of the whole problem, with the buffers left out. Infeasible: the required buffers
  /// have no placement.
  Decision answer;
  Benefit benefit = 0;
  Benefit bound = 0;  ///< proved: no placement has a larger benefit
  /// Sets without a placement that the bound may depend on, in addition to sums: indices into
  /// optional_units().
  std::vector<std::vector<std::uint32_t>> refuted{};
};

/// With search.at_most (and Objective::cost), only placements within that cost count. require:
/// validate(problem) is empty, except for capacities of 0; the engine of the settings takes the
/// problem.
[[nodiscard]] ChooseResult choose(const PlacementProblem& problem, const ChooseParams& params);

}  // namespace tessera::placer
