// Small random networks with every kind of op, for comparing geometry with element-by-element
// definitions and drivers with exhaustive search.
//
//   Network net = random_network(seed, {.ops = 4});
#pragma once

#include <cstdint>

#include "tessera/network.h"

namespace tessera::testing {

struct RandomNetworkParams {
  std::size_t ops = 4;
  Dim extent = 8;    ///< of the input along H and W, at most
  Dim channels = 4;  ///< at most
  bool views = true;
  bool spatial_only = false;  ///< convolutions, pools and additions: no layout ops
};

/// ensure: check_network(result) is empty; every op feeds a later one or an output.
[[nodiscard]] Network random_network(std::uint64_t seed, const RandomNetworkParams& params = {});

/// One that joins a lot: convolutions and activations, and concatenations along channels of
/// whatever was made before, as dense networks and inception blocks have them. `views` and
/// `spatial_only` are not looked at. ensure: as of random_network()
[[nodiscard]] Network random_dense_network(std::uint64_t seed,
                                           const RandomNetworkParams& params = {});

/// Of all its tensors together.
[[nodiscard]] Size bytes_of(const Network& network);

}  // namespace tessera::testing
