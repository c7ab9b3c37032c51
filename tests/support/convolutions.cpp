#include "tests/support/convolutions.h"

#include <string>
#include <utility>

namespace tessera::testing {

TensorIndex add_tensor(Network& network, std::vector<Dim> shape, TensorKind kind) {
  network.tensors.push_back({.name = "t" + std::to_string(network.tensors.size()),
                             .shape = std::move(shape),
                             .type = ElementType::int8,
                             .kind = kind,
                             .view_of = std::nullopt});
  return network.tensors.size() - 1;
}

Network convolutions(int count, const ConvolutionSizes& sizes) {
  const auto& [channels, rows, columns, pad] = sizes;
  const std::vector<Dim> feature = {1, channels, rows, columns};
  Network net;
  TensorIndex last = add_tensor(net, feature, TensorKind::activation);
  net.inputs = {last};
  for (int k = 0; k < count; ++k) {
    Op op;
    op.name = "c" + std::to_string(k);
    op.kind = OpKind::conv;
    op.inputs = {last, add_tensor(net, {channels, channels, 3, 3}, TensorKind::weight)};
    op.kernel = {3, 3};
    op.stride = op.dilation = {1, 1};
    op.pad_begin = op.pad_end = {pad, pad};
    last = add_tensor(net, feature, TensorKind::activation);
    op.outputs = {last};
    net.ops.push_back(std::move(op));
  }
  net.outputs = {last};
  return net;
}

}  // namespace tessera::testing
