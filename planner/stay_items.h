// Tensors that may be resident over cut points, as items distinguished by a shortest path.
//
//   const StayItems may = stay_items(network, hardware, room, {.ops = network.ops.size()}, 100000);
//   for (std::size_t k = 0; k < may.items.size(); ++k) use(may.tensors[k], may.items[k]);
//
// Private to planner/.
#pragma once

#include <cstdint>
#include <vector>

#include "search/partition/lattice.h"
#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera::planner {

struct StayItems {
  std::vector<TensorIndex> tensors{};         ///< sorted
  std::vector<search::ResidentItem> items{};  ///< one for each of them
  std::vector<TensorIndex> others{};          ///< that have room by themselves, too; sorted
};

/// Tensors that fit, as many as give at most `most` states (search::distinct_items()).
[[nodiscard]] StayItems stay_items(const Network& network, const Hardware& hardware, Size room,
                                   const search::GroupsOf& groups, std::int64_t most);

}  // namespace tessera::planner
