// The groups that the schedule search combines.
//
//   GroupPool pool = make_pool(graph, costs, {.per_op = 8});
//   if (pool.complete) ...                       // every connected set of ops is in it
//
// Groups grow op by op. Of each size those are kept whose price undercuts that of their parts the
// most. All parts of a group are not kept in general, so that a group may grow through sets that do
// not pay by themselves.
#pragma once

#include <functional>
#include <vector>

#include "search/schedule/graph.h"
#include "search/schedule/op_set.h"

namespace tessera::search {

struct Group {
  std::vector<OpId> members{};
  OpSet ops{};
  OpSet outside{};            ///< items it reads and does not make
  std::vector<OpId> sinks{};  ///< items that no op of it reads
  std::vector<OpId> inner{};  ///< items that an op of it reads, and an op outside reads as well
  double bound = 0;           ///< lower bound of its price
  double price = 0;           ///< nothing resident or kept, all inner items written
};

struct GroupPool {
  std::vector<Group> groups{};  ///< each with a finite bound
  bool complete = false;        ///< no connected set of ops with a finite bound is missing
};

struct PoolLimits {
  std::size_t per_op = 1000;  ///< groups of each number of ops with the same first op
  std::size_t largest = static_cast<std::size_t>(-1);  ///< ops of a group
  std::int64_t work = 0;                               ///< of the cost model, for the whole pool
  std::function<bool()> stop{};                        ///< polled between groups
};

[[nodiscard]] GroupPool make_pool(const GroupGraph& graph, GroupCosts& costs,
                                  const PoolLimits& limits);

}  // namespace tessera::search
