#include "io/graph_json.h"

#include <unordered_map>

#include "io/files.h"
#include "io/text.h"
#include "io/tree.h"
#include "model/json_write.h"

namespace tessera::io {
namespace {

class GraphReader {
 public:
  explicit GraphReader(const Sources& sources) : sources_(sources) {}

  Graph read(const Node& root) {
    Fields fields(sources_, root, "the graph");
    require_kind(sources_, fields, "graph/1");
    fields.take("name", graph_.name);
    for (const Node& node : as_list(sources_, fields.need("tensors"), "tensors")) read_tensor(node);
    for (const Node& node : as_list(sources_, fields.need("ops"), "ops")) read_op(node);
    read_names(fields, "weights", [&](std::size_t t) { graph_.tensors[t].weight = true; });
    read_names(fields, "outputs", [&](std::size_t t) { graph_.tensors[t].stays = true; });
    read_pairs(fields, "in_place", [&](std::size_t x, std::size_t y, const Node&) {
      graph_.in_place.emplace_back(x, y);
    });
    read_pairs(fields, "inside", [&](std::size_t part, std::size_t whole, const Node& node) {
      if (graph_.tensors[part].inside)
        throw sources_.error(node,
                             "tensor " + shown(graph_.tensors[part].id) + " is inside two tensors");
      graph_.tensors[part].inside = whole;
    });
    if (const Node* pairs = fields.find("before"))
      for (const Node& node : as_list(sources_, *pairs, "before")) {
        const auto [first, second] = as_pair(sources_, node, "before");
        graph_.before.emplace_back(index(ops_, *first, "op"), index(ops_, *second, "op"));
      }
    fields.finish();
    return std::move(graph_);
  }

 private:
  using Numbers = std::unordered_map<std::string, std::size_t>;

  void add(Numbers& numbers, const Node& node, const std::string& id, const char* what) {
    if (id.empty()) throw sources_.error(node, std::string("an id in `") + what + "s` is empty");
    if (!numbers.emplace(id, numbers.size()).second)
      throw sources_.error(node, std::string(what) + " " + shown(id) + " is given twice");
  }

  [[nodiscard]] std::size_t index(const Numbers& numbers, const Node& node,
                                  const char* what) const {
    const std::string& id = as_text(sources_, node, what);
    const auto found = numbers.find(id);
    if (found == numbers.end())
      throw sources_.error(node, std::string("there is no ") + what + " " + shown(id),
                           std::string("list it in `") + what + "s`");
    return found->second;
  }

  void read_tensor(const Node& node) {
    Fields fields(sources_, node, "a tensor");
    const Node& id = fields.need("id");
    GraphTensor tensor{.id = as_text(sources_, id, "id")};
    add(tensors_, id, tensor.id, "tensor");
    tensor.size = as_size(sources_, fields.need("size"), "size");
    fields.finish();
    graph_.tensors.push_back(std::move(tensor));
  }

  void read_op(const Node& node) {
    Fields fields(sources_, node, "an op");
    const Node& id = fields.need("id");
    GraphOp op{.id = as_text(sources_, id, "id")};
    add(ops_, id, op.id, "op");
    read_names(fields, "inputs", [&](std::size_t t) { op.inputs.push_back(t); });
    read_names(fields, "outputs", [&](std::size_t t) { op.outputs.push_back(t); });
    fields.finish();
    graph_.ops.push_back(std::move(op));
  }

  template <typename Take>
  void read_names(Fields& fields, const char* key, Take take) {
    if (const Node* list = fields.find(key))
      for (const Node& node : as_list(sources_, *list, key)) take(index(tensors_, node, "tensor"));
  }

  template <typename Take>
  void read_pairs(Fields& fields, const char* key, Take take) {
    if (const Node* list = fields.find(key))
      for (const Node& node : as_list(sources_, *list, key)) {
        const auto [first, second] = as_pair(sources_, node, key);
        take(index(tensors_, *first, "tensor"), index(tensors_, *second, "tensor"), node);
      }
  }

  const Sources& sources_;
  Graph graph_;
  Numbers tensors_;
  Numbers ops_;
};

}  // namespace

bool is_graph_json(std::string_view text) {
  const std::string_view begin = text.substr(0, 4096);
  const std::size_t key = begin.find("\"tessera\"");
  if (key == begin.npos) return false;
  std::string_view value = trimmed(begin.substr(key + 9));
  if (!value.starts_with(':')) return false;
  value.remove_prefix(1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\n' ||
                            value.front() == '\t' || value.front() == '\r'))
    value.remove_prefix(1);
  return value.starts_with("\"graph/");
}

Graph read_graph_json(std::string_view text, const std::string& file) {
  const Sources sources(file);
  const Node root = parse_json(text, sources);
  Graph graph = GraphReader(sources).read(root);
  if (graph.name.empty()) graph.name = stem_of(file);
  const std::vector<std::string> wrong = check_graph(graph);
  if (!wrong.empty()) throw sources.error(root, wrong.front());
  return graph;
}

std::string write_graph_json(const Graph& graph) {
  const auto tensor = [&](std::size_t t) { return json_string(graph.tensors[t].id); };
  const auto op = [&](std::size_t k) { return json_string(graph.ops[k].id); };
  const auto pair = [](auto name) {
    return [name](const auto& each) {
      return "[" + name(each.first) + ", " + name(each.second) + "]";
    };
  };
  std::vector<std::size_t> weights, outputs;
  std::vector<std::pair<std::size_t, std::size_t>> inside;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].weight) weights.push_back(t);
    if (graph.tensors[t].stays) outputs.push_back(t);
    if (graph.tensors[t].inside) inside.emplace_back(t, *graph.tensors[t].inside);
  }
  std::string out;
  JsonObject object(out);
  object.text("tessera", "graph/1");
  if (!graph.name.empty()) object.text("name", graph.name);
  object.list(
      "tensors", graph.tensors,
      [](const GraphTensor& each) {
        return json_object([&](JsonObject& one) {
          one.text("id", each.id);
          one.number("size", each.size);
        });
      },
      ",\n  ");
  object.list(
      "ops", graph.ops,
      [&](const GraphOp& each) {
        return json_object([&](JsonObject& one) {
          one.text("id", each.id);
          one.list("inputs", each.inputs, tensor);
          one.list("outputs", each.outputs, tensor);
        });
      },
      ",\n  ");
  if (!weights.empty()) object.list("weights", weights, tensor);
  if (!outputs.empty()) object.list("outputs", outputs, tensor);
  if (!graph.in_place.empty()) object.list("in_place", graph.in_place, pair(tensor));
  if (!inside.empty()) object.list("inside", inside, pair(tensor));
  if (!graph.before.empty()) object.list("before", graph.before, pair(op));
  object.close();
  return out + "\n";
}

}  // namespace tessera::io
