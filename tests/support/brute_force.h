// The oracle: tries everything. Shares nothing with the checker or an engine but the words of
// tessera/problem.h and the two lines that say which role allows which access.
//
//   std::optional<OracleAnswer> best = brute_force(problem, OracleGoal::height);
//   if (!best) ...                              // there is no placement at all
//
// Meant for problems of up to about 8 buffers and 20 addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::testing {

enum class OracleGoal : std::uint8_t {
  any,      ///< the first placement found
  height,   ///< least sum over memories of the largest offset + size
  top,      ///< least largest offset + size of all memories
  heights,  ///< the largest offset + size of each memory: the largest of them, then the next
  cost,     ///< least summed cost of avoid_overlap
  modes,    ///< least number of different modes used, summed over memories
};

struct OracleAnswer {
  Placement placement{};
  std::int64_t value = 0;  ///< of the goal; 0 for `any`
};

/// require: the problem is valid, and no buffer has more than 256 places to choose from.
/// ensure: nothing iff there is no placement; else one with the least value.
[[nodiscard]] std::optional<OracleAnswer> brute_force(const PlacementProblem& problem,
                                                      OracleGoal goal = OracleGoal::any);

/// Is every rule kept? Looks at every step and address one by one, as the contract words it.
/// require: the problem is valid and tiny; offsets of the placement are small.
[[nodiscard]] bool keeps_every_rule(const PlacementProblem& problem, const Placement& placement);

/// The summed cost of avoid_overlap, pair by pair.
[[nodiscard]] Cost cost_by_pairs(const PlacementProblem& problem, const Placement& placement);

/// The table of modes; for modes per bank every combination, written out.
[[nodiscard]] std::vector<Mode> all_modes(const Memory& memory);

}  // namespace tessera::testing
