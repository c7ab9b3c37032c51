// When are two runs of ops the same question?
//
//   std::string key = structure_key(make_subgraph(net, {first, last}));
//   if (auto known = cache.find(key); known != cache.end()) reuse(known->second);
//
// Two runs with equal keys have the same ops with the same attributes in the same order, tensors
// with the same shapes, types and parts to play (loaded, stored, weight, who reads what), and so
// the same tiles, placements and costs; only names differ. A residual network repeats a dozen of
// its blocks, and keys hold across networks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiling/subgraph.h"

namespace tessera::search {

/// ensure: equal keys if and only if the runs are equal up to names. (Keys are the whole
/// description, not a hash of it: no collision can mix up two runs.)
[[nodiscard]] std::string structure_key(const tiling::Subgraph& subgraph);

/// A number per op. Two runs of equally many ops have one structure_key() if these numbers are the
/// same, one by one: each tells of its op all that a run can see, and how far away the op is that
/// touched each of its tensors before, and the one that reads it last. Runs may have one key with
/// different numbers where the difference lies outside of them.
/// require: readers is last_readers(network); `stays` is sorted, and each of it may (may_stay());
/// `made_in` says of each of it where the op that makes it leaves it (tiling/reach.h), or is empty.
[[nodiscard]] std::vector<std::uint32_t> like_ops(
    const Network& network, const std::vector<std::optional<OpIndex>>& readers,
    std::span<const TensorIndex> stays = {}, std::span<const tiling::Memories> made_in = {});

}  // namespace tessera::search
