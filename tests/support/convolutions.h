// Small networks of a few plain ops.
//
//   Network net = convolutions(3, {.channels = 16, .rows = 32, .columns = 32});
#pragma once

#include <vector>

#include "tessera/network.h"

namespace tessera::testing {

/// An int8 tensor, named after its number.
TensorIndex add_tensor(Network& network, std::vector<Dim> shape, TensorKind kind);

struct ConvolutionSizes {
  Dim channels = 1;
  Dim rows = 1;
  Dim columns = 1;
  Dim pad = 1;
};

/// `count` 3x3 convolutions in sequence, over tensors of these sizes.
[[nodiscard]] Network convolutions(int count, const ConvolutionSizes& sizes);

}  // namespace tessera::testing
