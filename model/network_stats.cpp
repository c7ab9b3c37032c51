#include "tessera/network_stats.h"

#include <algorithm>

namespace tessera {
namespace {

std::int64_t count(const Network& network, TensorIndex tensor) {
  return element_count(network.tensors[tensor].shape).value_or(max_address);
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  return std::min(checked_mul(a, b).value_or(max_address), max_address);
}

}  // namespace

std::int64_t macs(const Network& network, const Op& op) {
  switch (op.kind) {
    case OpKind::conv:  // each output element meets one filter: group channels x kernel
      return product(count(network, op.outputs[0]),
                     count(network, op.inputs[1]) / network.tensors[op.inputs[1]].shape[0]);
    case OpKind::conv_transpose:  // each input element is spread over one filter
      return product(count(network, op.inputs[0]),
                     count(network, op.inputs[1]) / network.tensors[op.inputs[1]].shape[0]);
    case OpKind::matmul: {
      const std::vector<Dim>& a = network.tensors[op.inputs[0]].shape;
      return product(count(network, op.outputs[0]), a[a.size() - (op.transpose_a ? 2 : 1)]);
    }
    default:
      return 0;
  }
}

NetworkStats network_stats(const Network& network) {
  NetworkStats stats;
  stats.ops = network.ops.size();
  for (const Op& op : network.ops)
    stats.macs = std::min(max_address, stats.macs + macs(network, op));
  for (const Tensor& tensor : network.tensors) {
    if (tensor.view_of) continue;
    const Size bytes = tensor_bytes(tensor);
    if (tensor.kind == TensorKind::weight) {
      stats.weights += element_count(tensor.shape).value_or(0);
      stats.weight_bytes += bytes;
    } else {
      stats.largest_activation = std::max(stats.largest_activation, bytes);
    }
  }
  return stats;
}

}  // namespace tessera
