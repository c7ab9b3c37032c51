// Ops with inputs and outputs, in no fixed order: a placement problem before its lifetimes are
// known.
//
//   Graph graph;
//   graph.tensors = {{.id = "x", .size = 64}, {.id = "y", .size = 32}};
//   graph.ops = {{.id = "conv1", .inputs = {0}, .outputs = {1}}};
//   assert(check_graph(graph).empty());
//   PlacementProblem problem = ordered_problem(graph, {0});
//
// A tensor that no op makes is live from the start to its last reader, and a tensor that no op
// reads is live to the end. While an op runs, its inputs and outputs are live. order.h searches for
// an order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api.h"
#include "network.h"
#include "problem.h"
#include "units.h"

namespace tessera {

/// A tensor of a graph.
struct GraphTensor {
  std::string id{};
  Size size = 0;        ///< in bytes
  bool weight = false;  ///< a constant: live only while an op that reads it runs
  bool stays = false;   ///< live to the end, also after its last reader
  /// The tensor that contains it, as in a concatenation without copies. Both share the bytes of the
  /// containing tensor, which are live from the first op that makes a part of it to the last reader
  /// of any of them.
  std::optional<std::size_t> inside{};
};

/// An op of a graph.
struct GraphOp {
  std::string id{};
  std::vector<std::size_t> inputs{};   ///< positions in Graph::tensors
  std::vector<std::size_t> outputs{};  ///< no other op makes them
};

/// A graph; see check_graph() for its invariants.
struct Graph {
  std::string name{};
  std::vector<GraphTensor> tensors{};
  std::vector<GraphOp> ops{};  ///< in any order; a file's order is the one to improve
  /// Pairs (input, output) of an op that may write its output over this input. It does so whenever
  /// it is the last op that needs the input. Of several inputs for one output, the largest is
  /// taken.
  std::vector<std::pair<std::size_t, std::size_t>> in_place{};
  /// Pairs of ops: the first runs before the second, whatever they read.
  std::vector<std::pair<std::size_t, std::size_t>> before{};
  Size alignment = 1;  ///< of every tensor in a placement problem
};

/// All errors, as sentences; empty for a valid graph: ids are text and unique, every index is in
/// range, sizes are not negative and add up to at most max_address, at most one op makes a tensor,
/// no op makes a weight or what it reads, a tensor lies inside a tensor that is no smaller, no
/// cycle.
[[nodiscard]] TESSERA_API std::vector<std::string> check_graph(const Graph& graph);

/// The ops of a network with its activations. Weights are outside of the memory, views are their
/// sources, and outputs of the network stay. require: check_network(network) is empty.
[[nodiscard]] TESSERA_API Graph graph_of(const Network& network);

/// The graph with its ops in this order as a placement problem with one memory "memory", without a
/// capacity, and the objective height: a step per op, a buffer per tensor that shares its bytes
/// with no other, and the relation same_offset for what an op writes in place. require:
/// check_graph(graph) is empty; `order` has every op once, after the makers of its inputs.
[[nodiscard]] TESSERA_API PlacementProblem ordered_problem(const Graph& graph,
                                                           const std::vector<std::size_t>& order);

/// Is this a topological order of all ops?
[[nodiscard]] TESSERA_API bool is_order_of(const Graph& graph,
                                           const std::vector<std::size_t>& order);

/// The network with its ops in this order.
/// require: is_order_of(graph_of(network), order).
[[nodiscard]] TESSERA_API Network reordered(const Network& network,
                                            const std::vector<std::size_t>& order);

}  // namespace tessera
