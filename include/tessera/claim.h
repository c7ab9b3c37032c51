// What a certificate proves about a problem.
//
//   Claim claim{.kind = ClaimKind::height, .memories = {0}, .least = 4096};
//   std::cout << describe(problem, claim);        // "max height of {sram} >= 4096"
//
// Plain values. A claim is true or false whatever anybody wrote about it; proof/ decides which.
#pragma once

#include <string>
#include <vector>

#include "api.h"
#include "problem.h"

namespace tessera {

enum class ClaimKind : std::uint8_t {
  infeasible,  ///< there is no placement
  height,      ///< in every placement the largest height of `memories` is at least `least`
  cost,        ///< every placement pays at least `least` for its soft rules
  modes,       ///< every placement uses at least `least` distinct modes, over all memories
  benefit,     ///< whatever optional buffers are left out, no placement is worth more than `most`
};

struct Claim {
  ClaimKind kind = ClaimKind::infeasible;
  std::vector<MemoryIndex> memories{};  ///< of a height: one or more, ascending
  std::int64_t least = 0;               ///< of a height, cost or number of modes: at least 1
  /// Of a benefit, in thousandths; -1: there is no placement, whatever is left out.
  Benefit most = 0;
  friend bool operator==(const Claim&, const Claim&) = default;
};

/// "infeasible with sram of 4096", "max height of {sram, dram} >= 4096", "cost >= 4", "modes >= 2",
/// "benefit <= 12.5", "infeasible whatever is left out with sram of 4096".
[[nodiscard]] TESSERA_API std::string describe(const PlacementProblem& problem, const Claim& claim);

}  // namespace tessera
