// The engine `sat`: every rule of the model as clauses, decided by CaDiCaL.
//
//   auto engine = make_sat_engine({});
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//   SearchResult least = engine->solve(problem, {.goal = Objective::cost});    // least.bound is
//   proved auto session = engine->open(problem);                                 // new sizes, same
//   rules
//
// docs/internals/encoder.md describes the formula and its encodings. The engine writes no proofs:
// certificates come from the learning engine. The result depends on the problem, the parameters and
// the seed alone, unless a time limit ends the search.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/hitting_set.h"

namespace tessera::encoder {

enum class OffsetEncoding : std::uint8_t {
  automatic,  ///< order for small domains, else chains; binary if neither is suitable
  order,      ///< one Boolean for every "offset >= v"
  binary,     ///< two's complement bits and comparators
  chains,     ///< no variables: lemmas about chains of orders, added when needed
};

struct SatParams {
  OffsetEncoding encoding = OffsetEncoding::automatic;
  /// Orders interchangeable buffers and, for mirror-symmetric memories, fixes the order of one
  /// pair. Sessions repeat this for each size layer.
  bool break_symmetry = true;
  /// Decides by the load of one step without a solver if possible.
  bool balance = true;  ///< clauses of orders that follow from two steps together
  bool load_cut = true;
  bool try_orders = true;  ///< sessions: try earlier and usual orders before the solver
  /// Known lower bounds on the number of paying pairs; costs are then minimised by hitting sets
  /// (hitting.h).
  std::vector<engine::PairRule> rules{};
};

[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_sat_engine(const SatParams& params);

}  // namespace tessera::encoder
