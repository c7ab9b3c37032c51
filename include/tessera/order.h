// Searches for the order of ops that needs the least memory.
//
//   OrderInput in = load_order_input("cells.json", {});  // or a network
//   OrderResult best = order_ops(in.graph, {});
//   std::cout << best.peak << " bytes, at least " << best.bound << '\n';
//   write_output("order.json", order_json(in.graph, best));  // files.h
//
// The peak is the largest number of live bytes while an op runs. The height also counts what
// addresses waste: it is the least height of a placement of the ordered graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "graph.h"
#include "import.h"
#include "limits.h"
#include "network.h"
#include "placement.h"

namespace tessera {

enum class OrderGoal : std::uint8_t { peak, height };

/// Parameters of order_ops(). Without a limit, the search ends by itself, proved or not.
struct OrderParams {
  OrderGoal minimize = OrderGoal::peak;
  Limits limits{};
};

/// The best order found.
struct OrderResult {
  Status status = Status::unknown;  ///< feasible: every graph has an order
  StopReason stop = StopReason::completed;
  std::vector<std::size_t> order{};  ///< positions in Graph::ops
  Size peak = 0;                     ///< the largest number of live bytes
  Size bound = 0;                    ///< proved: no order has a lower peak
  bool proved = false;               ///< peak == bound
  Size first_peak = 0;               ///< of the order of the file, as far as that runs makers first
  /// Only for the goal height: of the placement, and proved for all orders. The peak is that of the
  /// same order.
  std::optional<Size> height{};
  std::optional<Size> height_bound{};
  std::optional<Placement> placement{};  ///< of ordered_problem(graph, order)
  double seconds = 0;
  Stats stats{};
};

/// Searches for an order. Equal graphs and work limits give equal orders.
/// ensure: is_order_of(graph, result.order); a placement passes check().
/// throws: BadInput if check_graph(graph) is not empty.
[[nodiscard]] TESSERA_API OrderResult order_ops(const Graph& graph, const OrderParams& params = {});

/// The live bytes while each op of the order runs.
/// require: is_order_of(graph, order).
[[nodiscard]] TESSERA_API std::vector<Size> live_bytes_of(const Graph& graph,
                                                          const std::vector<std::size_t>& order);

/// A graph and where it came from.
struct OrderInput {
  Graph graph{};
  std::string format{};              ///< "graph", "tflite", "onnx" or "yaml"
  std::optional<Network> network{};  ///< for "onnx" and "yaml"
  std::string bytes{};               ///< for "tflite"
  std::string file{};
  std::vector<std::string> warnings{};  ///< complete sentences
};

/// Reads a graph, or a network as a graph. A TensorFlow Lite model gives its operators and the
/// tensors of its arena; of the options, only limits then apply. ensure: throws BadInput, and
/// ImportStopped at a limit.
[[nodiscard]] TESSERA_API OrderInput load_order_input(const std::string& path,
                                                      const ImportOptions& options);

/// The graph in a text; `name` is used in messages, and without its extension becomes the name of
/// the graph. ensure: throws BadInput, and check_graph(result) is empty.
[[nodiscard]] TESSERA_API Graph read_graph_text(std::string_view text, const std::string& name);

/// Is this file a graph of Tessera's format? False for a file that cannot be read twice.
[[nodiscard]] TESSERA_API bool is_graph_file(const std::string& path);

/// The graph, and the result, as JSON.
[[nodiscard]] TESSERA_API std::string graph_json(const Graph& graph);
[[nodiscard]] TESSERA_API std::string order_json(const Graph& graph, const OrderResult& result);

/// The input with its ops in this order: a TensorFlow Lite model or a network YAML.
/// ensure: throws BadInput if the input is a graph, or a model with a plan of its arena.
[[nodiscard]] TESSERA_API std::string ordered_tflite(const OrderInput& input,
                                                     const std::vector<std::size_t>& order);
[[nodiscard]] TESSERA_API std::string ordered_network_yaml(const OrderInput& input,
                                                           const std::vector<std::size_t>& order);

/// The live bytes over time of the file's order and of this one, as an SVG picture.
[[nodiscard]] TESSERA_API std::string order_picture(const Graph& graph,
                                                    const std::vector<std::size_t>& order);

}  // namespace tessera
