// A placement at once, good or not: several orders of first fit, best kept.
//
//   GreedyResult quick = place_greedily(problem, {});
//   if (quick.placement) use(*quick.placement, quick.heights);   // passes the checker
//
// Small problems get first fit (lowest hole that takes the buffer) in several orders; problems
// with very many overlaps get the skyline variant (on top of what is there), which needs
// O(n log n) and places a million buffers in seconds. Honours everything but relations about
// banks, modes and soft costs; several allowed memories are tried in order of free space.
// Finding nothing proves nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::search {

struct GreedyParams {
  Budget budget{};
  std::uint64_t seed = 0;
  /// Stop at the first placement that keeps the capacities instead of looking for the lowest.
  bool first_fit_is_enough = false;
  /// First fit looks at every overlapping pair; above this many pairs the skyline is used.
  std::int64_t max_pairs = 20'000'000;
  /// Only this order and no variations of it: what a single heuristic is worth. Empty: all.
  std::string only_order{};
  int rounds = 8;  ///< more orders derived from the best one, with noise
};

struct GreedyResult {
  std::optional<Placement> placement;  ///< within the capacities
  std::vector<Size> heights;           ///< per memory, of `placement`
  std::string order;                   ///< name of the winning order
  Stats stats;
};

/// Names for GreedyParams::only_order.
[[nodiscard]] std::vector<std::string> greedy_orders();

/// What a problem may use for greedy placement to try it.
[[nodiscard]] facts::FeatureSet greedy_features();

/// require: validate(problem) is empty, greedy_features() has all it uses.
/// ensure: a placement, if there is one, keeps every hard rule of the problem.
[[nodiscard]] GreedyResult place_greedily(const PlacementProblem& problem,
                                          const GreedyParams& params = {});

}  // namespace tessera::search
