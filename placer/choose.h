// Which optional buffers are placed, so that their summed benefit is the largest?
//
//   const ChooseResult best = choose(problem, {.search = {.budget = budget}});
//   if (best.answer.found.status == Status::feasible && best.benefit == best.bound) proved();
//
// Two questions in turn. By adding up alone (search/choice), the best set that could be together;
// then the engines, whether that set has a placement. Where it has none, a least set of buffers
// that has none either is found (QuickXplain, Junker, AAAI 2004) and kept out of the sums from then
// on. That is logic-based Benders decomposition (Hooker and Ottosson, Mathematical Programming
// 2003): the sums are a bound at any time, what was placed an answer, and where they meet it is
// proved.
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
  /// As much as this is enough: more is not looked for, and where there cannot be so much the
  /// search ends as well.
  std::optional<Benefit> enough{};
  std::function<void(Benefit best, Benefit bound)> progress{};  ///< may be empty
};

struct ChooseResult {
  /// The placement is one of the whole problem, with what is left out. Infeasible: the buffers that
  /// are not optional have none.
  Decision answer;
  Benefit benefit = 0;
  Benefit bound = 0;  ///< proved: no placement has more
  /// Sets without a placement that the bound may rest on, besides sums: numbers of
  /// optional_units().
  std::vector<std::vector<std::uint32_t>> refuted{};
};

/// With search.at_most (and Objective::cost), only what pays no more counts as a placement.
/// require: validate(problem) is empty, but for capacities of 0; the engine of the settings takes
/// the problem.
[[nodiscard]] ChooseResult choose(const PlacementProblem& problem, const ChooseParams& params);

}  // namespace tessera::placer
