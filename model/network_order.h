// One order of tensors for networks that say the same, so that files read back equal.
//
//   Network tidy = normalized(net);      // read_network_yaml(write_network_yaml(tidy)) == tidy
#pragma once

#include "tessera/network.h"

namespace tessera {

/// Is the tensor a weight that a single op uses, among its last inputs with nothing but such
/// weights behind it? One entry per tensor.
[[nodiscard]] std::vector<bool> private_weights(const Network& network);

/// The same network without tensors nobody uses; first what is shared, in the order it had, then
/// private weights in the order of the ops.
[[nodiscard]] Network normalized(const Network& network);

}  // namespace tessera
