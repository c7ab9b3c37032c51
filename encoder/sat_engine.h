// The engine `sat`: every rule of the model as clauses, decided by CaDiCaL.
//
//   auto engine = make_sat_engine({});
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//   SearchResult least = engine->solve(problem, {.goal = Objective::cost});    // least.bound is
//   proved auto session = engine->open(problem);                                 // new sizes, same
//   rules
//
// The formula and its encodings are described in docs/encoding.md. It writes no proofs: a
// certificate of what it refuted comes from the learning engine. The answer depends on the problem,
// the parameters and the seed alone, except where a limit of time strikes.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/hitting_set.h"

namespace tessera::encoder {

/// How offsets become Booleans.
enum class OffsetEncoding : std::uint8_t {
  automatic,  ///< order where the domains are small, else chains; binary where those do not suit
  order,      ///< one Boolean for every "offset >= v"
  binary,     ///< two's complement bits and comparators
  chains,     ///< none: lemmas about chains of orders, added when they are needed
};

struct SatParams {
  OffsetEncoding encoding = OffsetEncoding::automatic;
  /// Orders interchangeable buffers and, where there is nothing to tell top from bottom, fixes the
  /// order of one pair. Sessions do so anew for each size layer.
  bool break_symmetry = true;
  /// Answers from the load of one step without a solver where that is enough.
  bool balance = true;  ///< what two steps say together, as clauses of orders
  bool load_cut = true;
  /// What pairs are known to pay at least: costs are then minimised by hitting sets (hitting.h).
  std::vector<engine::PairRule> rules{};
};

[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_sat_engine(const SatParams& params);

}  // namespace tessera::encoder
