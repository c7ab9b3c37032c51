#include <optional>
#include <string>
#include <utility>

#include "io/files.h"
#include "io/graph_json.h"
#include "io/order_picture.h"
#include "io/tflite.h"
#include "model/graph_links.h"
#include "model/json_write.h"
#include "tessera/order.h"

namespace tessera {

Graph read_graph_text(std::string_view text, const std::string& name) {
  return io::read_graph_json(text, name);
}

bool is_graph_file(const std::string& path) {
  const std::optional<std::string> bytes = io::beginning_of(path);
  return bytes && io::is_graph_json(*bytes);
}

OrderInput load_order_input(const std::string& path, const ImportOptions& options) {
  OrderInput out{.file = path};
  std::string bytes = io::read_file(io::input_path(path));
  if (io::is_tflite(bytes, path)) {
    out.graph = io::read_tflite_graph(bytes, path);
    out.format = "tflite";
    out.bytes = std::move(bytes);
  } else if (io::is_graph_json(bytes) || path.ends_with(".json")) {
    out.graph = io::read_graph_json(bytes, path);
    out.format = "graph";
  } else {
    ImportedNetwork in = read_network_bytes(bytes, path, options);
    out.graph = graph_of(in.network);
    out.format = std::move(in.format);
    out.network = std::move(in.network);
    out.warnings = std::move(in.warnings);
  }
  return out;
}

std::string graph_json(const Graph& graph) {
  return io::write_graph_json(graph);
}

std::string order_json(const Graph& graph, const OrderResult& result) {
  std::string out;
  JsonObject object(out);
  object.text("tessera", "order/1");
  object.text("status", to_string(result.status));
  object.text("stop", to_string(result.stop));
  object.number("peak", result.peak);
  object.number("bound", result.bound);
  object.truth("proved", result.proved);
  object.number("first_peak", result.first_peak);
  if (result.height) {
    object.number("height", *result.height);
    object.number("height_bound", *result.height_bound);
    object.truth("height_proved", *result.height == *result.height_bound);
  }
  object.list("order", result.order, [&](std::size_t op) { return json_string(graph.ops[op].id); });
  if (result.placement) {
    const PlacementProblem problem = ordered_problem(graph, result.order);
    std::vector<BufferIndex> all(problem.buffers.size());
    for (BufferIndex b = 0; b < all.size(); ++b) all[b] = b;
    object.list(
        "buffers", all,
        [&](BufferIndex b) {
          return json_object([&](JsonObject& one) {
            one.text("id", problem.buffers[b].id);
            one.number("offset", result.placement->places[b].offset);
            one.number("size", problem.buffers[b].size);
            one.list("live", problem.buffers[b].live, [](const StepRange& live) {
              return "[" + json_number(live.lower) + ", " + json_number(live.upper) + "]";
            });
          });
        },
        ",\n  ");
  }
  object.real("seconds", result.seconds);
  object.close();
  return out + "\n";
}

std::string ordered_tflite(const OrderInput& input, const std::vector<std::size_t>& order) {
  if (input.format != "tflite")
    throw BadInput(input.file + ": is not a TensorFlow Lite model, so no model can be written",
                   "use .json, or .yaml for a network");
  return io::write_tflite_order(input.bytes, input.file, order);
}

std::string ordered_network_yaml(const OrderInput& input, const std::vector<std::size_t>& order) {
  if (!input.network)
    throw BadInput(input.file + ": is not an ONNX or YAML network, so no network can be written",
                   "use .json, or .tflite for a TensorFlow Lite model");
  return network_yaml(reordered(*input.network, order));
}

std::string order_picture(const Graph& graph, const std::vector<std::size_t>& order) {
  const std::vector<std::size_t> first = any_order(GraphLinks(graph));
  return io::order_svg({{"order of the file", live_bytes_of(graph, first)},
                        {"this order", live_bytes_of(graph, order)}},
                       graph.name);
}

}  // namespace tessera
