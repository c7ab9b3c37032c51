// Conversion of the element types of a network.
//
//   replace_floating(network, ElementType::int8);      // filters int8, biases int32
#pragma once

#include <vector>

#include "tessera/network.h"

namespace tessera {

/// Convolutions and matrix products: inputs x, weights, [bias].
[[nodiscard]] constexpr bool multiplies(OpKind kind) {
  return kind == OpKind::conv || kind == OpKind::conv_transpose || kind == OpKind::matmul;
}

/// Weights with own storage: factors of products, and biases that are added to the sums.
struct ProductWeights {
  std::vector<bool> factors;  ///< per tensor
  std::vector<bool> biases;
};
[[nodiscard]] ProductWeights product_weights(const Network& network);

/// Converts every floating tensor; biases of products get bias_type(). int4 and uint4 only apply to
/// factors of products: other tensors get the unpacked type.
void replace_floating(Network& network, ElementType type);

}  // namespace tessera
