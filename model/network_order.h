// One order of tensors for equal networks, so that files read back equal.
//
//   Network tidy = normalized(net);      // read_network_yaml(write_network_yaml(tidy)) == tidy
#pragma once

#include "tessera/network.h"

namespace tessera {

/// Per tensor: is it a weight of one op only, in the tail of the op's inputs that consists of such
/// weights?
[[nodiscard]] std::vector<bool> private_weights(const Network& network);

/// The network without unused tensors: first shared tensors in their order, then private weights in
/// the order of the ops.
[[nodiscard]] Network normalized(const Network& network);

}  // namespace tessera
