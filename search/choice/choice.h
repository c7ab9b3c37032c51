// The packing relaxation of a choice of optional buffers.
//
//   const std::vector<OptionalUnit> units = optional_units(problem);   // model/optional.h
//   PackingProblem packing = packing_of(problem, units);
//   const PackingResult best = best_packing(packing, 0, budget);
//   // No placement has a larger benefit than best.bound.
//
// At each step the live buffers need disjoint bytes of the memories they may use. Therefore there
// is a row for each maximal set of live buffers and each set of memories that some buffer is
// restricted to. This is a relaxation: a choice that satisfies all rows may have no placement.
#pragma once

#include <span>

#include "model/optional.h"
#include "search/choice/packing.h"

namespace tessera::search {

/// The bytes that a row counts: bytes live at a step of buffers that may only use these memories,
/// each rounded up to the granule.
struct RowOrigin {
  Step step = 0;
  std::vector<MemoryIndex> memories;  ///< ascending
  Size granule = 1;
  std::vector<BufferIndex> buffers;  ///< ascending
};

/// One item per unit, with its benefit. If the budget ends or there are too many terms, rows are
/// left out, and the bound is weaker. `origins` receives one entry per row.
/// require: the buffers that are not optional have a placement.
[[nodiscard]] PackingProblem packing_of(const PlacementProblem& problem,
                                        std::span<const OptionalUnit> units, const Budget& budget,
                                        std::vector<RowOrigin>* origins = nullptr);

}  // namespace tessera::search
