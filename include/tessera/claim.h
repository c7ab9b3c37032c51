// A statement about a problem that a certificate proves.
//
//   Claim claim{.kind = ClaimKind::height, .memories = {0}, .least = 4096};
//   std::cout << describe(problem, claim);        // "max height of {sram} >= 4096"
//
// Plain values. proof/ decides whether a claim is true.
#pragma once

#include <string>
#include <vector>

#include "api.h"
#include "problem.h"

namespace tessera {

/// The kinds of claims.
enum class ClaimKind : std::uint8_t {
  infeasible,  ///< there is no placement
  height,      ///< in every placement the largest height of `memories` is at least `least`
  cost,        ///< every placement has a soft cost of at least `least`
  modes,       ///< every placement uses at least `least` distinct modes, over all memories
  switches,    ///< in every placement the modes change at least `least` times, over all memories
  benefit,     ///< no placement has a benefit above `most`, for any choice of optional buffers
};

/// A claim; fields of other kinds are ignored.
struct Claim {
  ClaimKind kind = ClaimKind::infeasible;
  std::vector<MemoryIndex> memories{};  ///< for a height: one or more, ascending
  std::int64_t least = 0;               ///< for a height, cost, modes or switches: at least 1
  /// For a benefit, in thousandths. -1: no placement exists for any choice of optional buffers.
  Benefit most = 0;
  friend bool operator==(const Claim&, const Claim&) = default;
};

/// "infeasible with sram of 4096", "max height of {sram, dram} >= 4096", "cost >= 4", "modes >= 2",
/// "switches >= 3", "benefit <= 12.5", "infeasible whatever is left out with sram of 4096".
[[nodiscard]] TESSERA_API std::string describe(const PlacementProblem& problem, const Claim& claim);

}  // namespace tessera
