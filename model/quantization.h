// Scales and zero points: what is valid, and which ops compute with the numbers that elements stand
// for.
//
//   std::string why = quantization_error(scales, tensor.shape, tensor.type);
//   if (!why.empty()) report("tensor 'x' " + why);
#pragma once

#include <string>
#include <vector>

#include "tessera/network.h"

namespace tessera {

/// "has a scale of 0; scales are positive", or empty if the scales are valid for such a tensor.
[[nodiscard]] std::string quantization_error(const Quantization& given,
                                             const std::vector<Dim>& shape, ElementType type);

/// The same for an op: "multiplies by weights with scales along axis 1, not 0".
/// require: shapes and scales of its tensors are valid, and its inputs fit its kind
[[nodiscard]] std::string quantization_error(const Network& network, const Op& op);

/// Does the op compute with numbers that elements stand for? The bias of a product is an integer in
/// any case.
[[nodiscard]] bool is_quantized(const Network& network, const Op& op);

}  // namespace tessera
