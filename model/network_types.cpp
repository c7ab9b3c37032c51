#include "model/network_types.h"

namespace tessera {

ProductWeights product_weights(const Network& network) {
  ProductWeights found{.factors = std::vector<bool>(network.tensors.size()),
                       .biases = std::vector<bool>(network.tensors.size())};
  for (const Op& op : network.ops) {
    if (!multiplies(op.kind)) continue;
    const auto mark = [&](std::size_t position, std::vector<bool>& list) {
      if (op.inputs.size() <= position) return;
      const TensorIndex storage = storage_of(network, op.inputs[position]);
      if (network.tensors[storage].kind == TensorKind::weight) list[storage] = true;
    };
    mark(1, found.factors);
    mark(2, found.biases);
  }
  return found;
}

void replace_floating(Network& network, ElementType type) {
  const ProductWeights weights = product_weights(network);
  for (TensorIndex t = 0; t < network.tensors.size(); ++t) {
    Tensor& tensor = network.tensors[t];
    if (!is_floating(tensor.type)) continue;
    const TensorIndex storage = storage_of(network, t);
    tensor.type = weights.factors[storage]  ? type
                  : weights.biases[storage] ? bias_type(type)
                                            : unpacked(type);
  }
}

}  // namespace tessera
