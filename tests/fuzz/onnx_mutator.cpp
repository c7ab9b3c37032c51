#include "tests/fuzz/onnx_mutator.h"

#include <limits>

namespace tessera::fuzz {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx::NodeProto;
using onnx::TensorProto;
using onnx::ValueInfoProto;

/// Boundary values: signs, small counts, the limits of extents and types.
std::int64_t OnnxMutator::number() {
  static const std::vector<std::int64_t> edges{std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::int64_t>::min() + 1,
                                               -(std::int64_t{1} << 62),
                                               -(std::int64_t{1} << 31),
                                               -9,
                                               -2,
                                               -1,
                                               0,
                                               1,
                                               2,
                                               3,
                                               4,
                                               8,
                                               9,
                                               16,
                                               4096,
                                               4097,
                                               std::int64_t{1} << 14,
                                               std::int64_t{1} << 20,
                                               std::int64_t{1} << 30,
                                               (std::int64_t{1} << 30) + 1,
                                               std::int64_t{1} << 31,
                                               std::int64_t{1} << 32,
                                               std::int64_t{1} << 40,
                                               std::int64_t{1} << 61,
                                               std::int64_t{1} << 62,
                                               std::numeric_limits<std::int64_t>::max() - 1,
                                               std::numeric_limits<std::int64_t>::max()};
  return random_.chance(40) ? random_.between(-4, 8) : random_.pick(edges);
}

std::int64_t OnnxMutator::extent() {
  return random_.chance(80) ? random_.between(1, 9) : number();
}

std::string OnnxMutator::tensor_name(const GraphProto& graph) {
  for (int attempt = 0; attempt < 4; ++attempt) switch (random_.below(4)) {
      case 0:
        if (graph.input_size() > 0) return graph.input(any(graph.input())).name();
        break;
      case 1:
        if (graph.initializer_size() > 0) return graph.initializer(any(graph.initializer())).name();
        break;
      default:
        if (graph.node_size() == 0) break;
        const NodeProto& node = graph.node(any(graph.node()));
        if (node.output_size() > 0) return node.output(any(node.output()));
    }
  return random_.chance(50) ? "" : "t" + std::to_string(random_.below(10));
}

const NodeProto& OnnxMutator::foreign_node() {
  const GraphProto& graph = random_.pick(seeds_).graph();
  return graph.node(any(graph.node()));
}

void OnnxMutator::mutate(ModelProto& model) {
  int changes = 1;
  while (changes < 8 && random_.chance(40)) ++changes;
  while (changes-- > 0) change(model);
}

void OnnxMutator::change(ModelProto& model) {
  GraphProto& graph = *model.mutable_graph();
  const std::size_t kind = random_.below(100);
  if (kind < 14) return node(graph);
  if (kind < 30) return edge(graph);
  if (kind < 48) return attributes(graph);
  if (kind < 64) return initializer(graph);
  if (kind < 80) return value(graph);
  if (kind < 90) return splice(graph);
  if (kind < 94) return version(model);
  if (kind < 97) return names(graph);
  refused(model);
}

void OnnxMutator::node(GraphProto& graph) {
  if (graph.node_size() == 0) {
    *graph.add_node() = foreign_node();
    return;
  }
  const int k = any(graph.node());
  NodeProto& at = *graph.mutable_node(k);
  switch (random_.below(7)) {
    case 0:
      if (graph.node_size() > 1) graph.mutable_node()->DeleteSubrange(k, 1);
      break;
    case 1: {  // a copy with other names
      if (graph.node_size() > 64) break;
      NodeProto copy = at;
      for (std::string& output : *copy.mutable_output()) output += "'";
      *graph.add_node() = std::move(copy);
      break;
    }
    case 2:
      graph.mutable_node()->SwapElements(k, any(graph.node()));
      break;
    case 3:
    case 4:
      at.set_op_type(foreign_node().op_type());
      break;
    case 5: {  // another node with the same edges
      const NodeProto& other = foreign_node();
      at.set_op_type(other.op_type());
      *at.mutable_attribute() = other.attribute();
      break;
    }
    default:
      at.set_domain(random_.chance(50) ? "custom" : random_.chance(50) ? "ai.onnx" : "");
      break;
  }
}

void OnnxMutator::edge(GraphProto& graph) {
  if (graph.node_size() == 0) return;
  NodeProto& at = *graph.mutable_node(any(graph.node()));
  switch (random_.below(10)) {
    case 0:
      at.add_input(tensor_name(graph));
      break;
    case 1:
      if (at.input_size() > 0) at.mutable_input()->RemoveLast();
      break;
    case 2:
      if (at.input_size() > 0) at.mutable_input()->SwapElements(any(at.input()), any(at.input()));
      break;
    case 3:
      at.add_output("o" + std::to_string(random_.below(1000)));
      break;
    case 4:
      if (at.output_size() > 0) at.mutable_output()->RemoveLast();
      break;
    case 5:
      if (at.output_size() > 0) at.set_output(any(at.output()), tensor_name(graph));
      break;
    case 6: {
      const std::string name = tensor_name(graph);
      if (random_.chance(50)) graph.clear_output();
      graph.add_output()->set_name(name);
      break;
    }
    default:
      if (at.input_size() > 0)
        at.set_input(any(at.input()), random_.chance(85) ? tensor_name(graph) : "");
      break;
  }
}

void OnnxMutator::attributes(GraphProto& graph) {
  if (graph.node_size() == 0) return;
  NodeProto& at = *graph.mutable_node(any(graph.node()));
  if (at.attribute_size() == 0 || random_.chance(25)) {
    const NodeProto& other = foreign_node();
    if (other.attribute_size() == 0) return;
    *at.add_attribute() = other.attribute(any(other.attribute()));
    return;
  }
  const int k = any(at.attribute());
  if (random_.chance(15))
    at.mutable_attribute()->DeleteSubrange(k, 1);
  else
    attribute(*at.mutable_attribute(k));
}

void OnnxMutator::attribute(AttributeProto& at) {
  if (random_.chance(6)) {
    at.set_type(static_cast<AttributeProto::AttributeType>(random_.below(12)));
    return;
  }
  if (random_.chance(4)) {
    at.set_name(random_.chance(50) ? "axis" : "value");
    return;
  }
  switch (at.type()) {
    case AttributeProto::INT:
      at.set_i(number());
      break;
    case AttributeProto::INTS:
      if (random_.chance(20))
        at.add_ints(number());
      else if (at.ints_size() > 0 && random_.chance(20))
        at.mutable_ints()->RemoveLast();
      else if (at.ints_size() > 0)
        at.set_ints(any(at.ints()), number());
      break;
    case AttributeProto::FLOAT:
      at.set_f(static_cast<float>(number()) / 2);
      break;
    case AttributeProto::FLOATS:
      if (at.floats_size() == 0 || random_.chance(20))
        at.add_floats(1);
      else
        at.set_floats(any(at.floats()), static_cast<float>(number()) / 2);
      break;
    case AttributeProto::STRING: {
      static const std::vector<std::string> words{"NOTSET",       "VALID",
                                                  "SAME_UPPER",   "SAME_LOWER",
                                                  "linear",       "nearest",
                                                  "cubic",        "reflect",
                                                  "edge",         "wrap",
                                                  "constant",     "DCR",
                                                  "CRD",          "floor",
                                                  "half_pixel",   "align_corners",
                                                  "asymmetric",   "bidirectional",
                                                  "reverse",      "",
                                                  "not_smaller",  "tf_crop_and_resize",
                                                  "bij,bjk->bik", "ij->...ji",
                                                  "...,",         "->",
                                                  "\xff\n"};
      at.set_s(random_.pick(words));
      break;
    }
    case AttributeProto::TENSOR:
      tensor(*at.mutable_t());
      break;
    default:
      at.set_i(number());
      break;
  }
}

void OnnxMutator::initializer(GraphProto& graph) {
  if (graph.initializer_size() == 0 || random_.chance(10)) {
    const GraphProto& other = random_.pick(seeds_).graph();
    if (other.initializer_size() > 0)
      *graph.add_initializer() = other.initializer(any(other.initializer()));
    return;
  }
  const int k = any(graph.initializer());
  if (random_.chance(10)) {  // its values come from outside
    const TensorProto& gone = graph.initializer(k);
    ValueInfoProto& info = *graph.add_input();
    info.set_name(gone.name());
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(gone.data_type());
    type.mutable_shape();
    for (const std::int64_t each : gone.dims())
      type.mutable_shape()->add_dim()->set_dim_value(each);
    graph.mutable_initializer()->DeleteSubrange(k, 1);
    return;
  }
  tensor(*graph.mutable_initializer(k));
}

void OnnxMutator::tensor(TensorProto& at) {
  switch (random_.below(8)) {
    case 0:  // another extent, with matching data
    case 1: {
      if (at.dims_size() == 0) break;
      at.set_dims(any(at.dims()), extent());
      std::int64_t count = 1;
      for (const std::int64_t each : at.dims())
        count = each < 0 || each > 4096 || count > 4096 ? 0 : count * each;
      if (count > 20000) count = 0;
      const auto size = static_cast<std::size_t>(count);
      if (at.data_type() == TensorProto::INT64) {
        at.clear_raw_data();
        at.mutable_int64_data()->Resize(static_cast<int>(count), number());
      } else if (at.data_type() == TensorProto::FLOAT) {
        at.clear_raw_data();
        at.mutable_float_data()->Resize(static_cast<int>(count), 1);
      } else {
        at.clear_int32_data();
        at.set_raw_data(std::string(size, '\1'));
      }
      break;
    }
    case 2:  // without the data
      if (random_.chance(50) && at.dims_size() > 0) at.set_dims(any(at.dims()), number());
      if (random_.chance(30) && at.dims_size() > 0) at.mutable_dims()->RemoveLast();
      break;
    case 3:
      at.set_data_type(static_cast<int>(random_.below(24)));
      break;
    case 4:
      if (random_.chance(50))
        at.clear_raw_data();
      else
        at.set_raw_data(at.raw_data().substr(at.raw_data().size() / 2));
      break;
    default:  // values
      if (at.int64_data_size() > 0)
        at.set_int64_data(any(at.int64_data()), number());
      else if (at.float_data_size() > 0)
        at.set_float_data(any(at.float_data()), static_cast<float>(number()) / 2);
      else if (at.int32_data_size() > 0)
        at.set_int32_data(any(at.int32_data()), static_cast<std::int32_t>(random_.below(300)));
      else if (!at.raw_data().empty())
        (*at.mutable_raw_data())[random_.below(at.raw_data().size())] =
            static_cast<char>(random_.below(256));
      break;
  }
}

void OnnxMutator::value(GraphProto& graph) {
  switch (random_.below(6)) {
    case 0: {  // states a shape or type of a tensor
      ValueInfoProto& info = *graph.add_value_info();
      info.set_name(tensor_name(graph));
      info.mutable_type()->mutable_tensor_type()->set_elem_type(
          random_.chance(70) ? 1 : static_cast<int>(random_.below(18)));
      for (std::size_t k = random_.below(6); k > 0; --k)
        info.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(
            extent());
      break;
    }
    case 1:
      if (graph.value_info_size() > 0) shape(*graph.mutable_value_info(any(graph.value_info())));
      break;
    case 2:
      if (graph.output_size() > 0) shape(*graph.mutable_output(any(graph.output())));
      break;
    default:
      if (graph.input_size() > 0) shape(*graph.mutable_input(any(graph.input())));
      break;
  }
}

void OnnxMutator::shape(ValueInfoProto& info) {
  auto& type = *info.mutable_type()->mutable_tensor_type();
  auto& shape = *type.mutable_shape();
  switch (random_.below(10)) {
    case 0:
      type.set_elem_type(static_cast<int>(random_.below(18)));
      break;
    case 1:
      type.clear_shape();
      break;
    case 2:
      shape.add_dim()->set_dim_value(extent());
      break;
    case 3:
      if (shape.dim_size() > 0) shape.mutable_dim()->RemoveLast();
      break;
    case 4:
      if (shape.dim_size() > 0) shape.mutable_dim(any(shape.dim()))->set_dim_param("N");
      break;
    case 5:
      if (shape.dim_size() > 0)
        shape.mutable_dim()->SwapElements(any(shape.dim()), any(shape.dim()));
      break;
    default:
      if (shape.dim_size() > 0) shape.mutable_dim(any(shape.dim()))->set_dim_value(extent());
      break;
  }
}

/// Appends the nodes of another model with new names.
void OnnxMutator::splice(GraphProto& graph) {
  const GraphProto& other = random_.pick(seeds_).graph();
  if (graph.node_size() + other.node_size() > 64) return;
  const std::string suffix = "." + std::to_string(random_.below(100000));
  const std::string joint = tensor_name(graph);
  const std::string old = other.input_size() > 0 ? other.input(0).name() : "";
  const auto renamed = [&](const std::string& name) {
    return name.empty() ? name : name == old && !joint.empty() ? joint : name + suffix;
  };
  for (const ValueInfoProto& input : other.input()) {
    if (input.name() == old && !joint.empty()) continue;
    *graph.add_input() = input;
    graph.mutable_input()->rbegin()->set_name(input.name() + suffix);
  }
  for (const TensorProto& each : other.initializer()) {
    *graph.add_initializer() = each;
    graph.mutable_initializer()->rbegin()->set_name(each.name() + suffix);
  }
  for (const NodeProto& each : other.node()) {
    NodeProto copy = each;
    for (std::string& name : *copy.mutable_input()) name = renamed(name);
    for (std::string& name : *copy.mutable_output()) name += suffix;
    *graph.add_node() = std::move(copy);
  }
  if (random_.chance(70)) graph.clear_output();
  for (const ValueInfoProto& output : other.output())
    graph.add_output()->set_name(output.name() + suffix);
}

void OnnxMutator::version(ModelProto& model) {
  switch (random_.below(4)) {
    case 0:
      model.add_opset_import()->set_version(number());
      break;
    case 1: {
      auto& entry = *model.add_metadata_props();
      entry.set_key("weights_as_inputs");
      entry.set_value("1");
      break;
    }
    default:
      if (model.opset_import_size() > 0)
        model.mutable_opset_import(any(model.opset_import()))
            ->set_version(random_.chance(80) ? random_.between(1, 24) : number());
      break;
  }
}

void OnnxMutator::names(GraphProto& graph) {
  static const std::vector<std::string> odd{"",
                                            "a",
                                            "y",
                                            "in0",
                                            "a\nb",
                                            std::string(3, '\0'),
                                            "\xff",
                                            "\xc3\xa9",
                                            "null",
                                            "- x: {",
                                            "'\"\\",
                                            "node1.0",
                                            "\xef\xbf\xbe",
                                            "\xc2\x85",
                                            std::string(2000, 'n')};
  const std::string& name = random_.pick(odd);
  if (random_.chance(20)) return graph.set_name(name);
  if (graph.node_size() == 0) return;
  NodeProto& at = *graph.mutable_node(any(graph.node()));
  if (random_.chance(40)) return at.set_name(name);
  if (random_.chance(20)) return at.set_op_type(name);
  if (at.output_size() == 0) return;
  // Replaces a tensor everywhere.
  const std::string old = at.output(0);
  for (NodeProto& node : *graph.mutable_node()) {
    for (std::string& each : *node.mutable_input())
      if (each == old) each = name;
    for (std::string& each : *node.mutable_output())
      if (each == old) each = name;
  }
  for (ValueInfoProto& each : *graph.mutable_output())
    if (each.name() == old) each.set_name(name);
}

void OnnxMutator::refused(ModelProto& model) {
  GraphProto& graph = *model.mutable_graph();
  switch (random_.below(5)) {
    case 0: {
      auto& function = *model.add_functions();
      function.set_name("F");
      *function.add_node() = foreign_node();
      break;
    }
    case 1:
      if (graph.node_size() > 0) {
        AttributeProto& at = *graph.mutable_node(any(graph.node()))->add_attribute();
        at.set_name("body");
        at.set_type(AttributeProto::GRAPH);
        GraphProto inner;
        if (graph.ByteSizeLong() < 4000) inner = graph;
        *at.mutable_g() = std::move(inner);
      }
      break;
    case 2:
      graph.add_sparse_initializer()->mutable_values()->set_name(tensor_name(graph));
      break;
    case 3:
      if (graph.initializer_size() > 0) {
        TensorProto& at = *graph.mutable_initializer(any(graph.initializer()));
        at.set_data_location(TensorProto::EXTERNAL);
        at.clear_raw_data();
      }
      break;
    default:
      if (graph.initializer_size() > 0)
        graph.mutable_initializer(any(graph.initializer()))->mutable_segment()->set_end(1);
      break;
  }
}

}  // namespace tessera::fuzz
