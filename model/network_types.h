// Element types of a network that is read as another type.
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

/// Weights with memory of their own that products multiply by, and those added to their sums.
struct ProductWeights {
  std::vector<bool> factors;  ///< per tensor
  std::vector<bool> biases;
};
[[nodiscard]] ProductWeights product_weights(const Network& network);

/// Gives every floating tensor the type; biases of products get bias_type(). int4 and uint4 are
/// types of what products multiply by: every other tensor gets the unpacked type.
void replace_floating(Network& network, ElementType type);

}  // namespace tessera
