// Size figures of a network, for comparison with published ones.
//
//   NetworkStats stats = network_stats(net);
//   std::cout << stats.macs << " MACs, " << stats.weights << " weights\n";
#pragma once

#include "api.h"
#include "network.h"

namespace tessera {

/// Multiply-accumulates of a convolution or matrix product; 0 for other ops.
/// require: check_network(network) is empty.
[[nodiscard]] TESSERA_API std::int64_t macs(const Network& network, const Op& op);

/// Size figures.
struct NetworkStats {
  std::size_t ops = 0;
  std::int64_t macs = 0;
  std::int64_t weights = 0;  ///< elements of all weight tensors
  Size weight_bytes = 0;
  Size largest_activation = 0;  ///< bytes
};

/// require: check_network(network) is empty.
[[nodiscard]] TESSERA_API NetworkStats network_stats(const Network& network);

}  // namespace tessera
