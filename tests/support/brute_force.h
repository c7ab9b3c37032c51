// The oracle: enumerates everything. Shares with the checker and the engines only the types of
// tessera/problem.h and the two lines that define which role allows which access.
//
//   std::optional<OracleAnswer> best = brute_force(problem, OracleGoal::height);
//   if (!best) ...                              // there is no placement at all
//
// For problems of up to about 8 buffers and 20 addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::testing {

enum class OracleGoal : std::uint8_t {
  any,       ///< the first placement found
  height,    ///< minimum sum over memories of the largest offset + size
  top,       ///< minimum of the largest offset + size of all memories
  heights,   ///< lexicographic minimum of the memories' largest offset + size, in descending order
  cost,      ///< minimum total cost of avoid_overlap
  modes,     ///< minimum number of different modes used, summed over memories
  switches,  ///< minimum number of steps whose mode differs from the one before, over all memories
};

struct OracleAnswer {
  Placement placement{};
  std::int64_t value = 0;  ///< of the goal; 0 for `any`
};

/// require: the problem is valid, and no buffer has more than 256 possible places. ensure: none iff
/// there is no placement; otherwise one with the minimum value.
[[nodiscard]] std::optional<OracleAnswer> brute_force(const PlacementProblem& problem,
                                                      OracleGoal goal = OracleGoal::any);

/// Is every rule satisfied? Checks every step and address one by one, as the contract defines it.
/// require: the problem is valid and tiny; offsets of the placement are small.
[[nodiscard]] bool keeps_every_rule(const PlacementProblem& problem, const Placement& placement);

/// The summed cost of avoid_overlap, pair by pair.
[[nodiscard]] Cost cost_by_pairs(const PlacementProblem& problem, const Placement& placement);

/// The table of modes; for modes per bank all combinations.
[[nodiscard]] std::vector<Mode> all_modes(const Memory& memory);

}  // namespace tessera::testing
