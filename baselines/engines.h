// The baselines that placement is mostly compared with: a linear program with integers, and
// constraint programming.
//
//   auto ilp = make_ilp_engine();       // CBC; nullptr in a build without it
//   auto cp = make_cp_engine();         // Gecode; likewise
//
// ilp: a position for every buffer, a binary for every pair that meets, and a big M. cp: the
// disjunction itself, for every set of buffers that live together. Both are as plain as in the
// papers that compare themselves with them, so that the comparison is the usual one.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace tessera::baselines {

/// A placement it finds is made exact from the orders it chose. Its "no" rests on floating-point
/// arithmetic and is only passed on where numbers are small enough for that to be safe; otherwise
/// the answer is Status::unknown.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_ilp_engine();

[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_cp_engine();

}  // namespace tessera::baselines
