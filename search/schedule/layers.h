// A search over sets of finished ops, layer by layer.
//
//   Layers layers(graph, costs, pool, values);
//   LayerResult result = layers.search({.width = 64, .below = incumbent});
//
// A state is what the future depends on: the ops that ran, the items in slow memory, the items kept
// for the next step, and the closed items: made inside a step that did not write them, so that no
// later step may read them from outside. Its cost is that of the cheapest steps known that lead to
// it, and its estimate adds the values (potential.h) of all ops that have to run, again or for the
// first time. States with equally many finished ops are a layer; the best `width` of them are
// expanded. A state is dropped if another one of its layer with the same ops and kept items has at
// least its items, no more closed items and no higher cost.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "model/numeric.h"
#include "search/schedule/graph.h"
#include "search/schedule/op_set.h"
#include "search/schedule/pool.h"

namespace tessera::search {

struct LayerParams {
  std::size_t width = 1;    ///< states per layer that are expanded
  double below = infinity;  ///< only schedules that cost less count
  bool keep = true;         ///< steps may keep items, and leave items to run again
  /// All choices of every step: an exact search, if the pool is complete and no layer is cut. A
  /// step writes the items that it makes and that no op reads.
  bool all_choices = false;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  ///< ways to run a group
  std::function<bool()> stop{};
};

struct LayerResult {
  std::optional<std::vector<GroupStep>> steps{};
  double cost = infinity;
  bool cut = false;  ///< a state or choice was left out
  std::int64_t expanded = 0;
  std::int64_t tried = 0;  ///< ways to run a group
};

/// Values that estimate the cost of the ops that have to run, and values that bound it from below.
struct OpValues {
  std::vector<double> estimate{};
  std::vector<double> bound{};
};

/// The least cost of all schedules of the pool's groups in which no item is kept in vain, as far
/// as the parameters let it search.
[[nodiscard]] LayerResult search_layers(const GroupGraph& graph, GroupCosts& costs,
                                        const GroupPool& pool, const OpValues& values,
                                        const LayerParams& params);

}  // namespace tessera::search
