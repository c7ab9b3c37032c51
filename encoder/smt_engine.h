// The engine `smt`: the same formula as `sat`, decided by Z3.
//
//   auto engine = make_smt_engine({});
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//
// Integers with difference logic where only orders and sizes matter (its speed does not depend on
// the resolution of addresses), bit-vectors where alignments differ. Z3 writes no certificate:
// CaDiCaL refutes the constraints once more for one. A build without Z3 makes nullptr.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace tessera::encoder {

enum class SmtTheory : std::uint8_t {
  automatic,   ///< differences where every alignment is one unit, bit-vectors otherwise
  difference,  ///< integers (with division where alignments differ)
  bitvector,
};

struct SmtParams {
  SmtTheory theory = SmtTheory::automatic;
  bool break_symmetry = true;  ///< as in SatParams
  bool load_cut = true;        ///< as in SatParams
};

[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_smt_engine(const SmtParams& params);

}  // namespace tessera::encoder
