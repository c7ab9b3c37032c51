#include "planner/stay_items.h"

#include <algorithm>

#include "model/stored.h"
#include "tiling/subgraph.h"

namespace tessera::planner {

StayItems stay_items(const Network& network, const Hardware& hardware, Size room,
                     const search::GroupsOf& groups, std::int64_t most) {
  std::vector<OpIndex> makers(network.tensors.size(), 0);
  for (OpIndex op = 0; op < network.ops.size(); ++op)
    for (const TensorIndex t : network.ops[op].outputs) makers[t] = op;
  const auto readers = tiling::last_readers(network);
  const Dim brick = on_chip_layout(hardware).brick;
  StayItems all;
  for (const TensorIndex t : tiling::may_stay(network, readers)) {
    const Size bytes = stored_bytes(network.tensors[t], brick);
    if (bytes > room) continue;
    all.tensors.push_back(t);
    all.items.push_back({makers[t], *readers[t], bytes});
  }
  const std::vector<std::size_t> told = search::distinct_items(all.items, groups, most);
  StayItems may;
  for (std::size_t k = 0; k < all.tensors.size(); ++k) {
    if (!std::ranges::binary_search(told, k)) {
      may.others.push_back(all.tensors[k]);
      continue;
    }
    may.tensors.push_back(all.tensors[k]);
    may.items.push_back(all.items[k]);
  }
  return may;
}

}  // namespace tessera::planner
