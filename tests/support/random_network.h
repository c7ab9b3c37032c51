// Small random networks with every kind of op, to compare geometry with element-by-element
// definitions, and searches with exhaustive ones.
//
//   Network net = random_network(seed, {.ops = 4});
#pragma once

#include <cstdint>

#include "tessera/network.h"

namespace tessera::testing {

struct RandomNetworkParams {
  std::size_t ops = 4;
  Dim extent = 8;    ///< maximum of the input along H and W
  Dim channels = 4;  ///< maximum
  bool views = true;
  bool spatial_only = false;  ///< convolutions, pools and additions only, no layout ops
};

/// ensure: check_network(result) is empty; every op feeds a later one or an output.
[[nodiscard]] Network random_network(std::uint64_t seed, const RandomNetworkParams& params = {});

/// A network with many concatenations: convolutions, activations, and concatenations along channels
/// of earlier tensors, as in dense networks and inception blocks. Ignores `views` and
/// `spatial_only`. ensure: as random_network()
[[nodiscard]] Network random_dense_network(std::uint64_t seed,
                                           const RandomNetworkParams& params = {});

/// Of all its tensors together.
[[nodiscard]] Size bytes_of(const Network& network);

}  // namespace tessera::testing
