// Operators of a model as a graph, and a model with its operators in another order.
//
// The list of operators holds a 32-bit offset to each, relative to its own place and forwards. The
// operators themselves lie outside of the list, so behind its end: any of its places can hold any
// offset.
#include <algorithm>
#include <array>

#include "io/files.h"
#include "io/tflite.h"
#include "io/tflite_model.h"

namespace tessera::io {
namespace {

using tflite_reader::arena_alignment;
using tflite_reader::arena_bytes;
using tflite_reader::FlatBytes;
using tflite_reader::FlatTable;
using tflite_reader::TfliteIndex;
using tflite_reader::TfliteModel;
using tflite_reader::TfliteOperator;

// Fields of Model and SubGraph (see tflite_model.h).
constexpr unsigned graphs_of_model = 2;
constexpr unsigned operators_of_graph = 3;

/// Does the operator depend on something other than its tensors?
bool has_state(const TfliteModel& model, const TfliteOperator& op) {
  static constexpr std::array<std::string_view, 7> states{
      "VAR_HANDLE",  "READ_VARIABLE", "ASSIGN_VARIABLE", "HASHTABLE", "RANDOM",
      "MULTINOMIAL", "CALL"};
  if (std::ranges::any_of(states, [&](std::string_view s) { return op.type.starts_with(s); }))
    return true;
  const auto variable = [&](TfliteIndex t) {
    return t >= 0 && model.tensors[static_cast<std::size_t>(t)].variable;
  };
  return std::ranges::any_of(op.inputs, variable) || std::ranges::any_of(op.outputs, variable);
}

class GraphOfModel {
 public:
  GraphOfModel(const TfliteModel& model, const std::string& file)
      : model_(model), file_(file), place_(model.tensors.size(), absent) {}

  Graph build() {
    for (const TfliteIndex t : model_.inputs) static_cast<void>(number(t));
    std::optional<std::size_t> state;
    for (const TfliteOperator& op : model_.operators) {
      const std::size_t at = graph_.ops.size();
      GraphOp made{.id = op.name};
      for (const TfliteIndex t : op.inputs) add(made.inputs, t);
      for (const TfliteIndex t : op.outputs) add(made.outputs, t);
      graph_.ops.push_back(std::move(made));
      if (!has_state(model_, op)) continue;
      if (state) graph_.before.emplace_back(*state, at);
      state = at;
    }
    for (const TfliteIndex t : model_.outputs)
      if (const std::size_t at = number(t); at != absent) graph_.tensors[at].stays = true;
    return std::move(graph_);
  }

 private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  /// A variable is live throughout, so no operator needs to name it.
  void add(std::vector<std::size_t>& list, TfliteIndex t) {
    if (t < 0) return;
    const std::size_t at = number(t);
    if (at != absent && !model_.tensors[static_cast<std::size_t>(t)].variable) list.push_back(at);
  }

  /// In the graph; absent for constants and tensors without bytes.
  std::size_t number(TfliteIndex index) {
    const auto t = static_cast<std::size_t>(index);
    const tflite_reader::TfliteTensor& tensor = model_.tensors[t];
    if (place_[t] != absent || (tensor.constant && !tensor.variable)) return place_[t];
    const Size bytes = arena_bytes(model_, t, file_);
    place_[t] = graph_.tensors.size();
    graph_.tensors.push_back({.id = tensor.name, .size = bytes, .stays = tensor.variable});
    return place_[t];
  }

  const TfliteModel& model_;
  const std::string& file_;
  std::vector<std::size_t> place_;
  Graph graph_{.alignment = arena_alignment};
};

}  // namespace

Graph read_tflite_graph(std::string_view bytes, const std::string& file) {
  const FlatBytes flat(bytes, file);
  Graph graph = GraphOfModel(tflite_reader::read_tflite_model(flat), file).build();
  graph.name = stem_of(file);
  const std::vector<std::string> wrong = check_graph(graph);
  if (!wrong.empty()) throw InputError(file, 0, wrong.front());
  return graph;
}

std::string write_tflite_order(std::string_view bytes, const std::string& file,
                               const std::vector<std::size_t>& order) {
  const FlatBytes flat(bytes, file);
  for (const char* const plan : {tflite_reader::plan_name, tflite_reader::scratch_name})
    if (tflite_reader::metadata_of(flat, plan))
      throw InputError(file, 0, "has a plan of its arena, which holds for its present order only",
                       "order the model first, then write a plan with tessera place");
  const FlatTable graph = flat.root("Model").tables(graphs_of_model, "SubGraph").front();
  const std::vector<FlatTable> operators = graph.tables(operators_of_graph, "Operator");
  std::string out(bytes);
  if (operators.empty()) return out;
  const std::uint64_t list =
      flat.follow(graph.place_of(operators_of_graph, sizeof(std::uint32_t)).value(), "SubGraph");
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint64_t at = list + sizeof(std::uint32_t) * (k + 1);
    const std::uint64_t target = operators[order[k]].position();
    if (target <= at)
      throw InputError(file, 0, "has operators before their list, which cannot be reordered");
    const auto offset = static_cast<std::uint32_t>(target - at);
    for (unsigned byte = 0; byte < sizeof offset; ++byte)
      out[at + byte] = static_cast<char>(offset >> (8 * byte));
  }
  return out;
}

}  // namespace tessera::io
