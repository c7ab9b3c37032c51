// Networks of one op, for tests of op costs.
//
//   const One one = convolution({32, 16, 16, 64, 8, 8, 3, 2}, false);
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/network.h"

namespace tessera::testing {

/// A network of one op.
struct One {
  Network net;
  TensorIndex tensor(std::vector<Dim> shape, TensorKind kind = TensorKind::activation) {
    net.tensors.push_back({.name = "t" + std::to_string(net.tensors.size()),
                           .shape = std::move(shape),
                           .type = ElementType::int8,
                           .kind = kind});
    return net.tensors.size() - 1;
  }
};

struct Shape {
  Dim channels, height, width, outputs, rows, columns, kernel, stride;
};

/// Padded such that the output has `rows` x `columns`.
inline One convolution(const Shape& s, bool depthwise) {
  One one;
  Op op{.name = "conv", .kind = OpKind::conv};
  op.inputs = {
      one.tensor({1, s.channels, s.height, s.width}),
      one.tensor({s.outputs, depthwise ? 1 : s.channels, s.kernel, s.kernel}, TensorKind::weight)};
  op.outputs = {one.tensor({1, s.outputs, s.rows, s.columns})};
  op.stride = {s.stride, s.stride};
  op.dilation = {1, 1};
  op.groups = depthwise ? s.channels : 1;
  one.net.ops = {op};
  return one;
}

}  // namespace tessera::testing
