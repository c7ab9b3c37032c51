// The usual baselines for placement: integer programming and constraint programming.
//
//   auto ilp = make_ilp_engine();       // CBC; nullptr in a build without it
//   auto cp = make_cp_engine();         // Gecode; likewise
//
// ilp: a position per buffer, a binary per pair with overlapping lifetimes, and big-M constraints.
// cp: one disjunctive constraint per set of buffers live at one step. Both follow the plain
// formulations of the literature, so that comparisons match published ones.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace tessera::baselines {

/// Placements are recomputed exactly from the chosen orders. "Infeasible" rests on floating-point
/// arithmetic, so it is reported only if the numbers are small enough to be safe; otherwise the
/// result is Status::unknown.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_ilp_engine();

[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_cp_engine();

}  // namespace tessera::baselines
