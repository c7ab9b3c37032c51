// The result of `place` and of other placers: `{"tessera": "placement/1", ...}`.
//
//   std::string text = write_placement_json(problem, result);
//   PlacementResult same = read_placement_json(text, "result.json", problem);
//
// In addition to the keys of the contract: `heights` and `lower_bounds` per memory if there are
// several, `address` of each buffer if a memory has a base, `cost_bound`, and `reason` if there is
// no placement. Keys may be in any order; only `tessera`, `status` and, if feasible, `buffers` are
// required. The reader does not check the placement: that is check() of model/.
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

/// Throws InputError if the text is no such result or belongs to another problem: a missing or
/// unknown buffer, a duplicate, another size; an unknown memory. ensure: feasible => placement has
/// a place for every buffer, in the problem's order.
[[nodiscard]] PlacementResult read_placement_json(std::string_view text, const std::string& file,
                                                  const PlacementProblem& problem);
[[nodiscard]] PlacementResult read_placement_json_file(const std::filesystem::path& path,
                                                       const PlacementProblem& problem);

}  // namespace tessera::io
