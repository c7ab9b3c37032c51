#include "io/tile_graph_json.h"

#include <optional>

#include "io/files.h"
#include "io/text.h"
#include "io/tree.h"
#include "model/json_write.h"

namespace tessera::io {
namespace {

/// Parallel lists of a file, each of the same length.
class ParallelLists {
 public:
  ParallelLists(const Sources& sources, Fields& fields) : sources_(sources), fields_(fields) {}

  /// The list `key`. Throws if its length is not that of the first list.
  const std::vector<Node>& need(const char* key) {
    const Node& node = fields_.need(key);
    const std::vector<Node>& list = as_list(sources_, node, key);
    if (!first_) {
      first_ = key;
      length_ = list.size();
    } else if (list.size() != length_) {
      throw sources_.error_at_key(node, "`" + std::string(key) + "` has " +
                                            std::to_string(list.size()) + " entries, `" + first_ +
                                            "` has " + std::to_string(length_));
    }
    return list;
  }

 private:
  const Sources& sources_;
  Fields& fields_;
  const char* first_ = nullptr;
  std::size_t length_ = 0;
};

std::vector<std::size_t> read_indices(const Sources& sources, const Node& node, const char* what) {
  std::vector<std::size_t> out;
  for (const Node& each : as_list(sources, node, what))
    out.push_back(static_cast<std::size_t>(as_whole(sources, each, what)));
  return out;
}

void read_tensors(const Sources& sources, Fields& fields, TileGraph& graph) {
  ParallelLists lists(sources, fields);
  for (const Node& node : lists.need("widths"))
    graph.tensors.push_back({.width = as_whole(sources, node, "widths", 1)});
  std::size_t t = 0;
  for (const Node& node : lists.need("heights"))
    graph.tensors[t++].height = as_whole(sources, node, "heights", 1);
}

void read_ops(const Sources& sources, Fields& fields, TileGraph& graph) {
  ParallelLists lists(sources, fields);
  for (const Node& node : lists.need("inputs"))
    graph.ops.push_back({.inputs = read_indices(sources, node, "inputs")});
  std::size_t k = 0;
  for (const Node& node : lists.need("outputs")) {
    const std::vector<std::size_t> outputs = read_indices(sources, node, "outputs");
    if (outputs.size() != 1)
      throw sources.error(node, "op " + std::to_string(k) + " has " +
                                    std::to_string(outputs.size()) + " outputs; one is supported");
    graph.ops[k++].output = outputs.front();
  }
  k = 0;
  for (const Node& node : lists.need("base_costs"))
    graph.ops[k++].cost = as_whole(sources, node, "base_costs");
  k = 0;
  for (const Node& node : lists.need("op_types"))
    graph.ops[k++].kind = as_one_of(sources, node, "op_types", {"MatMul", "Pointwise"}) == 0
                              ? TileOpKind::matmul
                              : TileOpKind::pointwise;
}

void read_native(const Sources& sources, Fields& fields, TileGraph& graph) {
  const Node& node = fields.need("native_granularity");
  const std::vector<Node>& list = as_list(sources, node, "native_granularity");
  if (list.size() != 2 && list.size() != 3)
    throw sources.error(node, "`native_granularity` has " + std::to_string(list.size()) +
                                  " numbers; it has a width, a height and optionally a depth");
  const auto number = [&](std::size_t k) {
    return as_whole(sources, list[k], "native_granularity", 1);
  };
  graph.native = {number(0), number(1), number(list.size() == 3 ? 2 : 0)};
}

/// Does the text begin as JSON and have these keys?
bool has_keys(std::string_view text, std::string_view one, std::string_view other) {
  text = without_bom(text);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != text.npos && text[begin] == '{' && text.find(one) != text.npos &&
         text.find(other) != text.npos;
}

std::string indices_text(const std::vector<std::size_t>& indices) {
  std::string out;
  write_list(out, indices, json_on_one_line, [](std::size_t k) { return std::to_string(k); });
  return out;
}

}  // namespace

bool is_tile_graph_json(std::string_view text) {
  return has_keys(text, "\"base_costs\"", "\"native_granularity\"");
}

TileGraph read_tile_graph_json(std::string_view text, const std::string& file) {
  const Sources sources(file);
  const Node root = parse_json(text, sources);
  Fields fields(sources, root, "the problem");
  TileGraph graph{.name = stem_of(file)};
  read_tensors(sources, fields, graph);
  read_ops(sources, fields, graph);
  graph.capacity =
      as_whole(sources, fields.need("fast_memory_capacity"), "fast_memory_capacity", 1);
  graph.bandwidth =
      as_whole(sources, fields.need("slow_memory_bandwidth"), "slow_memory_bandwidth", 1);
  read_native(sources, fields, graph);
  fields.finish();
  const std::vector<std::string> wrong = check_tile_graph(graph);
  if (!wrong.empty()) throw sources.error(root, wrong.front());
  return graph;
}

TileSchedule read_tile_schedule_json(std::string_view text, const std::string& file) {
  const Sources sources(file);
  const Node root = parse_json(text, sources);
  Fields fields(sources, root, "the solution");
  ParallelLists lists(sources, fields);
  TileSchedule schedule;
  for (const Node& node : lists.need("subgraphs"))
    schedule.steps.push_back({.ops = read_indices(sources, node, "subgraphs")});
  std::size_t k = 0;
  for (const Node& node : lists.need("granularities")) {
    const std::vector<Node>& list = as_list(sources, node, "granularities");
    if (list.size() != 3)
      throw sources.error(node, "a granularity has " + std::to_string(list.size()) +
                                    " numbers; it has a width, a height and a depth");
    const auto number = [&](std::size_t at) {
      return as_whole(sources, list[at], "granularities", 1);
    };
    schedule.steps[k++].granularity = {number(0), number(1), number(2)};
  }
  k = 0;
  for (const Node& node : lists.need("tensors_to_retain"))
    schedule.steps[k++].retained = read_indices(sources, node, "tensors_to_retain");
  k = 0;
  if (const Node* orders = fields.find("traversal_orders");
      orders != nullptr && orders->kind != Node::Kind::null)
    for (const Node& node : lists.need("traversal_orders")) {
      if (node.kind != Node::Kind::null)
        schedule.steps[k].traversal = read_indices(sources, node, "traversal_orders");
      ++k;
    }
  static_cast<void>(fields.find("subgraph_latencies"));
  fields.finish();
  return schedule;
}

std::string write_tile_schedule_json(const TileSchedule& schedule,
                                     const std::vector<double>& latencies) {
  std::string out;
  JsonObject object(out);
  const auto list = [&](const char* key, auto write) {
    object.list(key, schedule.steps, write, ",\n  ");
  };
  list("subgraphs", [](const TileStep& step) { return indices_text(step.ops); });
  list("granularities", [](const TileStep& step) {
    const Granularity& size = step.granularity;
    return "[" + std::to_string(size.width) + ", " + std::to_string(size.height) + ", " +
           std::to_string(size.depth) + "]";
  });
  list("tensors_to_retain", [](const TileStep& step) { return indices_text(step.retained); });
  list("traversal_orders", [](const TileStep& step) {
    return step.traversal ? indices_text(*step.traversal) : std::string("null");
  });
  object.list("subgraph_latencies", latencies, [](double each) { return json_number(each); });
  object.close();
  return out + "\n";
}

}  // namespace tessera::io
