// The least cost of parts that have nothing to do with each other: it adds up.
//
//   if (auto answer = decide_by_parts(problem, params, settings)) return std::move(*answer);
#pragma once

#include <optional>

#include "placer/decide.h"

namespace tessera::placer {

/// Nothing where the problem is one part or very large, or costs are not what is asked about. Each
/// part has a share of the time, the smaller ones first; what they leave goes to those whose cost
/// is not proved.
[[nodiscard]] std::optional<Decision> decide_by_parts(const PlacementProblem& problem,
                                                      const engine::SearchParams& params,
                                                      const DecideParams& settings);

}  // namespace tessera::placer
