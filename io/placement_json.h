// The answer of `place` and of other placers: `{"tessera": "placement/1", ...}`.
//
//   std::string text = write_placement_json(problem, result);
//   PlacementResult same = read_placement_json(text, "result.json", problem);
//
// Besides the keys of the contract: `heights` and `lower_bounds` per memory where there are
// several, `address` of each buffer where a memory has a base, `cost_bound`, and `reason` where
// there is no placement. Keys may come in any order; only `tessera`, `status` and, if feasible,
// `buffers` have to be there. Whether the placement is right is not asked here: that is check() of
// model/.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/error.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::io {

/// require: validate(problem) is empty; the placement, if any, has one place per buffer.
[[nodiscard]] std::string write_placement_json(const PlacementProblem& problem,
                                               const PlacementResult& result);

/// Throws InputError for what is not such a result or is not about this problem: a buffer that
/// is missing, unknown, named twice, or of another size; an unknown memory.
/// ensure: feasible => placement has a place for every buffer, in the problem's order.
[[nodiscard]] PlacementResult read_placement_json(std::string_view text, const std::string& file,
                                                  const PlacementProblem& problem);
[[nodiscard]] PlacementResult read_placement_json_file(const std::filesystem::path& path,
                                                       const PlacementProblem& problem);

}  // namespace tessera::io
