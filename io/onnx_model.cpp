#include "io/onnx_model.h"

#include <onnx/checker.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "model/network_shapes.h"

namespace tessera::onnx_reader {
namespace {

using onnx::GraphProto;
using onnx::NodeProto;

/// Messages of the library on one line and not endless.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  if (text.size() > 300) text = text.substr(0, 297) + "...";
  return text;
}

class Loader {
 public:
  Loader(std::string_view bytes, const std::string& file, const OnnxOptions& options,
         OnnxNetwork& out)
      : options_(options), out_(out) {
    model_.file = file;
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
        !model_.proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      fail("is not a whole ONNX model; it may have been cut short");
    if (!model_.proto.has_graph() || model_.proto.graph().node_size() == 0)
      fail("is an ONNX model without nodes");
  }

  Model load() {
    for (const onnx::OperatorSetIdProto& opset : model_.proto.opset_import())
      if (opset.domain().empty() || opset.domain() == "ai.onnx")
        model_.opset = static_cast<int>(opset.version());
    if (model_.opset == 0) fail("does not say which version of the ONNX operators it uses");
    GraphProto& graph = *model_.proto.mutable_graph();
    import_domains(graph);
    initializers(graph);
    inputs(graph);
    name_nodes(graph);
    order(graph);
    schemas(graph);
    windows(graph);
    declared(graph);
    infer();
    return std::move(model_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw InputError(model_.file, 0, what, hint);
  }

  /// The library refuses a node of a domain the file does not list; here it is only unknown.
  void import_domains(const GraphProto& graph) {
    std::unordered_set<std::string> listed{"", "ai.onnx"};
    for (const auto& opset : model_.proto.opset_import()) listed.insert(opset.domain());
    for (const NodeProto& node : graph.node()) {
      if (!listed.insert(node.domain()).second) continue;
      onnx::OperatorSetIdProto& opset = *model_.proto.add_opset_import();
      opset.set_domain(node.domain());
      opset.set_version(1);
    }
  }

  void initializers(const GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) {
      std::vector<Dim> shape(tensor.dims().begin(), tensor.dims().end());
      if (std::optional<Constant> value = constant_of(tensor))
        model_.constants[tensor.name()] = std::move(*value);
      model_.initializers[tensor.name()] = {std::move(shape), tensor.data_type()};
    }
  }

  /// Gives every input fixed extents.
  void inputs(GraphProto& graph) {
    for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
      if (model_.initializers.contains(input.name())) continue;
      if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape())
        fail("input " + shown(input.name()) + " is no tensor with a shape");
      int axis = 0;
      for (auto& dim :
           *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
        fix(input.name(), axis, dim);
        ++axis;
      }
    }
  }

  void fix(const std::string& input, int axis, onnx::TensorShapeProto::Dimension& dim) {
    if (dim.has_dim_value() && dim.dim_value() >= 1) return;
    const std::string name = dim.has_dim_param() ? dim.dim_param() : std::string();
    for (const auto& [given, extent] : options_.dims)
      if (given == name) return dim.set_dim_value(extent);
    const std::string what = "input " + shown(input) + " has a dynamic dimension" +
                             (name.empty() ? "" : " " + shown(name)) + " on axis " +
                             std::to_string(axis);
    if (axis != 0 || dim.has_dim_value())
      fail(what, name.empty() ? "export the model with fixed shapes"
                              : "give it an extent with --dim " + name + "=N");
    model_.warnings.push_back(what + "; taken as a batch of 1");
    dim.set_dim_value(1);
  }

  /// Exporters may leave names out; messages and ops need them, each once.
  static void name_nodes(GraphProto& graph) {
    std::unordered_set<std::string> taken;
    for (NodeProto& node : *graph.mutable_node()) {
      std::string name = node.name();
      if (name.empty()) name = node.output_size() > 0 ? node.output(0) : node.op_type();
      std::string unique = name;
      for (int k = 2; !taken.insert(unique).second; ++k) unique = name + "_" + std::to_string(k);
      node.set_name(unique);
    }
  }

  /// Sorts the nodes so that each comes after what it reads (Kahn 1962), keeping the file's order
  /// where it can.
  void order(GraphProto& graph) const {
    const int count = graph.node_size();
    std::unordered_map<std::string, int> producer;
    std::unordered_set<std::string> outside{""};
    for (const auto& input : graph.input()) outside.insert(input.name());
    for (const auto& tensor : graph.initializer()) outside.insert(tensor.name());
    for (const auto& tensor : graph.sparse_initializer()) outside.insert(tensor.values().name());
    for (int k = 0; k < count; ++k)
      for (const std::string& output : graph.node(k).output()) {
        if (output.empty()) continue;
        if (outside.contains(output) || !producer.try_emplace(output, k).second)
          fail(named(graph.node(k)) + " makes " + shown(output) +
               ", which is there already: an input, an initializer or another node's output");
      }
    std::vector<std::vector<int>> readers(static_cast<std::size_t>(count));
    std::vector<int> waiting(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k)
      for (const std::string& input : graph.node(k).input()) {
        if (outside.contains(input)) continue;
        const auto at = producer.find(input);
        if (at == producer.end())
          fail(named(graph.node(k)) + " reads " + shown(input) + ", which nothing makes");
        readers[static_cast<std::size_t>(at->second)].push_back(k);
        ++waiting[static_cast<std::size_t>(k)];
      }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int k = 0; k < count; ++k)
      if (waiting[static_cast<std::size_t>(k)] == 0) ready.push(k);
    GraphProto sorted;
    while (!ready.empty()) {
      const int k = ready.top();
      ready.pop();
      *sorted.add_node() = graph.node(k);
      for (const int reader : readers[static_cast<std::size_t>(k)])
        if (--waiting[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
    }
    if (sorted.node_size() != count)
      for (int k = 0; k < count; ++k)
        if (waiting[static_cast<std::size_t>(k)] > 0)
          fail(named(graph.node(k)) + " is part of a cycle, or waits for one");
    graph.mutable_node()->Swap(sorted.mutable_node());
  }

  /// Numbers of inputs and outputs and kinds of attributes, by the library's own schemas.
  void schemas(const GraphProto& graph) const {
    for (const NodeProto& node : graph.node()) {
      if (!node.domain().empty() && node.domain() != "ai.onnx") continue;
      const onnx::OpSchema* schema =
          onnx::OpSchemaRegistry::Schema(node.op_type(), model_.opset, "");
      if (schema == nullptr) continue;
      try {
        schema->Verify(node);
      } catch (const std::exception& error) {
        fail(named(node) + " is malformed: " + one_line(error.what()));
      }
    }
  }

  /// The library's inference for windows (1.12) divides by strides and indexes by the rank of the
  /// weights without looking: it gets only nodes for which that is safe.
  void windows(GraphProto& graph) const {
    static const std::unordered_set<std::string> types{
        "Conv",      "ConvTranspose", "MaxPool",     "AveragePool", "LpPool",
        "MaxUnpool", "ConvInteger",   "QLinearConv", "GlobalLpPool"};
    for (NodeProto& node : *graph.mutable_node()) {
      if (!types.contains(node.op_type())) continue;
      for (const char* name : {"strides", "dilations", "kernel_shape"})
        for (const std::int64_t value : ints_attribute(node, name))
          if (value < 1 || value > max_extent)
            fail(named(node) + " has " + name + " " + std::to_string(value));
      if (attribute(node, "kernel_shape") != nullptr) continue;
      if (node.op_type() != "Conv" && node.op_type() != "ConvTranspose") continue;
      const std::optional<std::vector<Dim>> weights = shape_outside(graph, node.input(1));
      if (!weights || weights->size() < 3)
        fail(named(node) + " has neither a kernel_shape nor weights of a known shape");
      onnx::AttributeProto& kernel = *node.add_attribute();
      kernel.set_name("kernel_shape");
      kernel.set_type(onnx::AttributeProto::INTS);
      for (std::size_t axis = 2; axis < weights->size(); ++axis) kernel.add_ints((*weights)[axis]);
    }
  }

  /// Of an initializer or an input, through any number of Identity nodes.
  std::optional<std::vector<Dim>> shape_outside(const GraphProto& graph, std::string name) const {
    for (int k = graph.node_size(); k-- > 0;) {  // nodes are in order
      const NodeProto& node = graph.node(k);
      if (node.op_type() == "Identity" && node.output_size() == 1 && node.output(0) == name)
        name = node.input(0);
    }
    const auto at = model_.initializers.find(name);
    if (at != model_.initializers.end()) return at->second.shape;
    for (const auto& input : graph.input())
      if (input.name() == name)
        if (const std::optional<Known> known = known_of(input)) return known->shape;
    return std::nullopt;
  }

  void declared(GraphProto& graph) {
    const auto take = [&](const onnx::ValueInfoProto& info) {
      if (const std::optional<Known> known = known_of(info))
        out_.declared.emplace_back(info.name(), known->shape);
    };
    for (const auto& info : graph.value_info()) take(info);
    for (const auto& info : graph.output()) take(info);
    if (!options_.ignore_declared_shapes) return;
    graph.clear_value_info();
    for (onnx::ValueInfoProto& output : *graph.mutable_output())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
  }

  static std::optional<Known> known_of(const onnx::ValueInfoProto& info) {
    if (!info.type().has_tensor_type() || !info.type().tensor_type().has_shape())
      return std::nullopt;
    Known known{{}, info.type().tensor_type().elem_type()};
    for (const auto& dim : info.type().tensor_type().shape().dim()) {
      if (!dim.has_dim_value() || dim.dim_value() < 0) return std::nullopt;
      known.shape.push_back(dim.dim_value());
    }
    return known;
  }

  void collect() {
    const GraphProto& graph = model_.proto.graph();
    const auto take = [&](const onnx::ValueInfoProto& info) {
      if (std::optional<Known> known = known_of(info))
        model_.tensors[info.name()] = std::move(*known);
    };
    for (const auto& info : graph.input()) take(info);
    for (const auto& info : graph.value_info()) take(info);
    for (const auto& info : graph.output()) take(info);
    for (const auto& [name, known] : model_.initializers) model_.tensors[name] = known;
  }

  /// Replaces nodes whose result is known by initializers; true if there was one.
  bool fold() {
    GraphProto& graph = *model_.proto.mutable_graph();
    GraphProto rest;
    for (NodeProto& node : *graph.mutable_node()) {
      const std::optional<Constant> value = evaluate(model_, node);
      if (!value) {
        rest.add_node()->Swap(&node);
        continue;
      }
      const std::string& name = node.output(0);
      model_.initializers[name] = {value->shape, value->type};
      model_.tensors[name] = {value->shape, value->type};
      *graph.add_initializer() = tensor_of(*value, name);
      model_.constants[name] = *value;
    }
    const bool any = rest.node_size() != graph.node_size();
    graph.mutable_node()->Swap(rest.mutable_node());
    return any;
  }

  /// Inference and folding feed each other: a folded constant gives the next shape.
  void infer() {
    do {
      try {
        onnx::shape_inference::InferShapes(model_.proto, onnx::OpSchemaRegistry::Instance(),
                                           onnx::ShapeInferenceOptions(false, 1, true));
      } catch (const std::exception& error) {
        fail("shapes disagree: " + one_line(error.what()));
      }
      collect();
    } while (fold());
    if (model_.proto.graph().node_size() == 0) fail("computes nothing but constants");
  }

  const OnnxOptions& options_;
  OnnxNetwork& out_;
  Model model_;
};

}  // namespace

std::string named(const NodeProto& node) {
  return "node " + shown(node.name()) + " (" + node.op_type() + ")";
}

const onnx::AttributeProto* attribute(const NodeProto& node, const char* name) {
  for (const onnx::AttributeProto& each : node.attribute())
    if (each.name() == name) return &each;
  return nullptr;
}

std::int64_t int_attribute(const NodeProto& node, const char* name, std::int64_t standard) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found != nullptr ? found->i() : standard;
}

std::vector<std::int64_t> ints_attribute(const NodeProto& node, const char* name) {
  const onnx::AttributeProto* found = attribute(node, name);
  if (found == nullptr) return {};
  return {found->ints().begin(), found->ints().end()};
}

std::string text_attribute(const NodeProto& node, const char* name, const char* standard) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found != nullptr ? found->s() : standard;
}

Model load_model(std::string_view bytes, const std::string& file, const OnnxOptions& options,
                 OnnxNetwork& out) {
  return Loader(bytes, file, options, out).load();
}

}  // namespace tessera::onnx_reader
