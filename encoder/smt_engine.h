// The engine `smt`: the same formula as `sat`, decided by Z3.
//
//   auto engine = make_smt_engine({});
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//
// Uses integers with difference logic if only orders and sizes matter (the speed does not depend on
// the resolution of addresses), and bit-vectors if alignments differ. Z3 writes no certificates. A
// build without Z3 returns nullptr.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace tessera::encoder {

enum class SmtTheory : std::uint8_t {
  automatic,   ///< differences if every alignment is one unit, bit-vectors otherwise
  difference,  ///< integers (with division if alignments differ)
  bitvector,
};

struct SmtParams {
  SmtTheory theory = SmtTheory::automatic;
  bool break_symmetry = true;  ///< as in SatParams
  bool load_cut = true;        ///< as in SatParams
  bool try_orders = true;      ///< as in SatParams
};

[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_smt_engine(const SmtParams& params);

}  // namespace tessera::encoder
