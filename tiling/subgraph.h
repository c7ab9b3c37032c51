// A run of consecutive ops, and the tensors it touches.
//
//   Subgraph part = make_subgraph(net, {first, last});
//   for (const LocalTensor& t : part.tensors) std::cout << net.tensors[t.tensor].name << '\n';
//
// Op k of the run is step k. Only tensors with memory of their own are listed: reading a view is
// reading its source.
#pragma once

#include <optional>
#include <vector>

#include "model/network.h"

namespace tessera {

struct LocalTensor {
  TensorIndex tensor = 0;
  bool weight = false;
  std::optional<Step> producer;  ///< nothing: comes from outside
  std::vector<Step> consumers;   ///< sorted, each once
  bool leaves = false;           ///< is needed after the run, by another op or as a result
};

/// One use of a local tensor by an op: operand `operand` of step `step`, through a view or not.
struct Use {
  Step step = 0;
  std::size_t operand = 0;
  TensorIndex seen_as = 0;  ///< the tensor the op names
};

struct Subgraph {
  const Network* network = nullptr;  ///< outlives the subgraph
  OpRange ops;
  std::vector<LocalTensor> tensors;    ///< in order of first appearance
  std::vector<std::vector<Use>> uses;  ///< per local tensor
  [[nodiscard]] std::size_t steps() const { return ops.size(); }
  [[nodiscard]] const Op& op(Step step) const {
    return network->ops[ops.first + static_cast<std::size_t>(step)];
  }
};

/// require: check_network(network) is empty, range inside the network.
[[nodiscard]] Subgraph make_subgraph(const Network& network, OpRange range);

}  // namespace tessera
