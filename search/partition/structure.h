// Equality of groups of ops up to names.
//
//   std::string key = structure_key(make_subgraph(net, {first, last}));
//   if (auto known = cache.find(key); known != cache.end()) reuse(known->second);
//
// Two groups with equal keys have the same ops with the same attributes in the same order. Their
// tensors have the same shapes, types and roles (loaded, stored, weight, readers). They therefore
// have the same tiles, placements and costs. A residual network repeats a dozen of its blocks, and
// keys are valid across networks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiling/subgraph.h"

namespace tessera::search {

/// ensure: keys are equal if and only if the groups are equal up to names. A key is the whole
/// description and not a hash, so there are no collisions.
[[nodiscard]] std::string structure_key(const tiling::Subgraph& subgraph);

/// A number per op. Two groups of equal length have the same structure_key() if these numbers agree
/// one by one. The number of an op encodes its properties, the distance to the previous op that
/// accessed each of its tensors, and the distance to the last reader. Groups with different numbers
/// may have the same key if the difference is outside of them.
/// require: readers is last_readers(network); `stays` is sorted, and all of it is in may_stay();
/// `made_in` has the memories of the producer of each of `stays` (tiling/reach.h), or is empty.
[[nodiscard]] std::vector<std::uint32_t> like_ops(
    const Network& network, const std::vector<std::optional<OpIndex>>& readers,
    std::span<const TensorIndex> stays = {}, std::span<const tiling::Memories> made_in = {});

}  // namespace tessera::search
