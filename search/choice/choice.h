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

namespace tessera::search {

/// What a row counts: bytes that live at a step, of buffers that may go to no other memories, each
/// rounded up to the granule.
struct RowOrigin {
  Step step = 0;
  std::vector<MemoryIndex> memories;  ///< ascending
  Size granule = 1;
  std::vector<BufferIndex> buffers;  ///< ascending
};

/// A thing for each unit, worth its benefit. Where the budget ends, or there would be too many
/// terms, rows are left out: the bound is then a weaker one.
/// `origins`: gets one for each row.
/// require: the buffers that are not optional have a placement.
[[nodiscard]] PackingProblem packing_of(const PlacementProblem& problem,
                                        std::span<const OptionalUnit> units, const Budget& budget,
                                        std::vector<RowOrigin>* origins = nullptr);

}  // namespace tessera::search
