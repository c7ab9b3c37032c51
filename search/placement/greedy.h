// Greedy placement: several orders of first fit, of which the best is kept.
//
//   GreedyResult quick = place_greedily(problem, {});
//   if (quick.placement) use(*quick.placement, quick.heights);   // passes the checker
//
// Small problems use first fit (the lowest hole that fits) in several orders. Problems with very
// many overlaps use the skyline variant (on top of placed buffers). It needs O(n log n) and places
// a million buffers in seconds. All rules are respected except relations about banks, modes and
// soft costs; of several permitted memories, the one with the most free space is tried first. A
// failure proves nothing.
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
  /// Stop at the first placement within the capacities instead of searching for the lowest.
  bool first_fit_is_enough = false;
  /// First fit visits every overlapping pair; above this number of pairs the skyline is used.
  std::int64_t max_pairs = 20'000'000;
  /// Only this order, without variations, to measure a single heuristic. Empty: all.
  std::string only_order{};
  int rounds = 8;  ///< further orders derived from the best one, with noise
};

struct GreedyResult {
  std::optional<Placement> placement;  ///< within the capacities
  std::vector<Size> heights;           ///< per memory, of `placement`
  std::string order;                   ///< name of the best order
  Stats stats;
};

/// Names for GreedyParams::only_order.
[[nodiscard]] std::vector<std::string> greedy_orders();

/// The features that greedy placement supports.
[[nodiscard]] facts::FeatureSet greedy_features();

/// require: validate(problem) is empty, and greedy_features() contains all its features.
/// ensure: a placement satisfies every hard rule of the problem.
[[nodiscard]] GreedyResult place_greedily(const PlacementProblem& problem,
                                          const GreedyParams& params = {});

}  // namespace tessera::search
