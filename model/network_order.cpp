#include "model/network_order.h"

namespace tessera {

std::vector<bool> private_weights(const Network& network) {
  std::vector<int> uses(network.tensors.size());
  for (const Op& op : network.ops)
    for (const TensorIndex t : operands(op)) ++uses[t];
  for (const Tensor& tensor : network.tensors)
    if (tensor.view_of) uses[*tensor.view_of] += 2;
  for (const TensorIndex t : network.outputs) uses[t] += 2;
  std::vector<bool> alone(network.tensors.size());
  for (const Op& op : network.ops)
    for (std::size_t k = op.inputs.size(); k-- > 0;) {
      const Tensor& tensor = network.tensors[op.inputs[k]];
      if (tensor.kind != TensorKind::weight || tensor.view_of || uses[op.inputs[k]] != 1) break;
      alone[op.inputs[k]] = true;
    }
  return alone;
}

Network normalized(const Network& network) {
  const std::size_t count = network.tensors.size();
  const std::vector<bool> alone = private_weights(network);
  std::vector<bool> used(count);
  for (const TensorIndex t : network.inputs) used[t] = true;
  for (const TensorIndex t : network.outputs) used[t] = true;
  for (const Op& op : network.ops) {
    for (const TensorIndex t : operands(op)) used[t] = true;
    for (const TensorIndex t : op.outputs) used[t] = true;
  }
  for (TensorIndex t = count; t-- > 0;) {
    TensorIndex at = t;
    while (used[t] && network.tensors[at].view_of) used[at = *network.tensors[at].view_of] = true;
  }

  Network out = network;
  out.tensors.clear();
  std::vector<TensorIndex> place(count);
  const auto move = [&](TensorIndex t) {
    place[t] = out.tensors.size();
    out.tensors.push_back(network.tensors[t]);
  };
  for (TensorIndex t = 0; t < count; ++t)
    if (used[t] && !alone[t]) move(t);
  for (const Op& op : network.ops)
    for (const TensorIndex t : op.inputs)
      if (alone[t]) move(t);

  const auto renumber = [&](std::vector<TensorIndex>& list) {
    for (TensorIndex& t : list) t = place[t];
  };
  for (Tensor& tensor : out.tensors)
    if (tensor.view_of) tensor.view_of = place[*tensor.view_of];
  renumber(out.inputs);
  renumber(out.outputs);
  for (Op& op : out.ops) {
    renumber(op.inputs);
    renumber(op.outputs);
    for (Fused& fused : op.fused) renumber(fused.operands);
  }
  return out;
}

}  // namespace tessera
