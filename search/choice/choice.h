// Which optional buffers could be together, by adding up: the sums behind a choice.
//
//   const std::vector<OptionalUnit> units = optional_units(problem);   // model/optional.h
//   PackingProblem packing = packing_of(problem, units);
//   const PackingAnswer best = best_packing(packing, 0, budget);
//   // No placement has a larger benefit than best.bound.
//
// At each step what lives needs disjoint bytes of the memories it may go to; so there is a row for
// each set of buffers alive together that no other contains, and each set of memories that some
// buffer is limited to. That is a relaxation: what a row lets in need not have a placement.
#pragma once

#include <span>

#include "model/optional.h"
#include "search/choice/packing.h"

namespace tessera {

/// A thing for each unit, worth its benefit. Where the budget ends, or there would be too many
/// terms, rows are left out: the bound is then a weaker one.
/// require: the buffers that are not optional have a placement.
[[nodiscard]] PackingProblem packing_of(const PlacementProblem& problem,
                                        std::span<const OptionalUnit> units, const Budget& budget);

}  // namespace tessera
