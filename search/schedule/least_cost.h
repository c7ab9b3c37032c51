// A schedule of least cost: order of steps, groups, kept items and ops that run again.
//
//   LeastCost result = least_cost(graph, costs, {.work = 1'000'000});
//   if (result.steps) use(*result.steps, result.bound);
//
// Passes with more and more groups and states, each bounded by the best schedule so far. The result
// depends on the work limit alone, unless stop() ends it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/numeric.h"
#include "search/schedule/graph.h"

namespace tessera::search {

struct LeastCostParams {
  std::int64_t work = 1'000'000;  ///< units of the cost model and of the search
  double bound = 0;               ///< a known lower bound
  std::function<bool()> stop{};
};

struct LeastCost {
  std::optional<std::vector<GroupStep>> steps{};
  double cost = infinity;
  double bound = 0;        ///< no schedule costs less
  bool exhausted = false;  ///< every schedule was searched: none costs less, or there is none
  std::int64_t work = 0;
  std::int64_t passes = 0;
  std::int64_t states = 0;
  std::int64_t groups = 0;  ///< of the largest pool
};

[[nodiscard]] LeastCost least_cost(const GroupGraph& graph, GroupCosts& costs,
                                   const LeastCostParams& params);

}  // namespace tessera::search
