// Prices per op, from a linear program over groups: the dual of covering all ops with groups.
//
//   std::vector<double> value = op_values(3, {{{0, 1}, 5.0}, {{1, 2}, 4.0}, {{0}, 3.0}});
//
// No group's values add up to more than its bound, and their sum over all ops is as large as
// possible. The values of ops that still have to run are a lower bound of the remaining cost, if
// every group that can run them is listed.
#pragma once

#include <functional>
#include <vector>

#include "search/order/graph.h"

namespace tessera::search {

struct BoundedGroup {
  std::vector<OpId> ops{};
  double bound = 0;  ///< at least 0
};

/// ensure: values are at least 0, and fit every group, also if stop() ends the call early.
[[nodiscard]] std::vector<double> op_values(std::size_t ops,
                                            const std::vector<BoundedGroup>& groups,
                                            const std::function<bool()>& stop = {});

}  // namespace tessera::search
