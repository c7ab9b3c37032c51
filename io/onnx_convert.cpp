#include "io/onnx_convert.h"

#include <algorithm>

#include "io/network_onnx.h"
#include "model/network_order.h"
#include "tessera/network_shapes.h"

namespace tessera::io::onnx_reader {
namespace {

using onnx::NodeProto;
using onnx::TensorProto;

std::optional<ElementType> element_type(int type) {
  switch (type) {
    case TensorProto::FLOAT:
      return ElementType::float32;
    case TensorProto::DOUBLE:
      return ElementType::float64;
    case TensorProto::FLOAT16:
      return ElementType::float16;
    case TensorProto::BFLOAT16:
      return ElementType::bfloat16;
    case TensorProto::INT64:
      return ElementType::int64;
    case TensorProto::INT32:
      return ElementType::int32;
    case TensorProto::INT16:
      return ElementType::int16;
    case TensorProto::INT8:
      return ElementType::int8;
    case TensorProto::UINT64:
      return ElementType::uint64;
    case TensorProto::UINT32:
      return ElementType::uint32;
    case TensorProto::UINT16:
      return ElementType::uint16;
    case TensorProto::UINT8:
      return ElementType::uint8;
    case TensorProto::BOOL:
      return ElementType::boolean;
    case int4_type:
      return ElementType::int4;
    case uint4_type:
      return ElementType::uint4;
    default:
      return std::nullopt;
  }
}

/// Operators with parameters at these input positions, independent of the file.
std::pair<int, int> parameters(const std::string& type) {
  if (type == "Conv" || type == "ConvTranspose" || type == "Gemm" || type == "LayerNormalization" ||
      type == "InstanceNormalization")
    return {1, 2};
  if (type == "BatchNormalization") return {1, 4};
  if (type == "PRelu") return {1, 1};
  return {0, -1};
}

/// Does this input look like weights: a right factor of a product with at most two axes, or smaller
/// than the node's output?
bool like_a_weight(const Model& model, const NodeProto& node, int position) {
  const auto in = model.tensors.find(node.input(position));
  const auto out = model.tensors.find(node.output_size() > 0 ? node.output(0) : "");
  if (in == model.tensors.end() || out == model.tensors.end()) return false;
  if (node.op_type() == "MatMul") return position == 1 && in->second.shape.size() <= 2;
  static const std::unordered_set<std::string> elementwise{"Add", "Sub", "Mul", "Div", "Pow"};
  return elementwise.contains(node.op_type()) &&
         element_count(in->second.shape) < element_count(out->second.shape);
}

}  // namespace

std::unordered_set<std::string> find_weights(const Model& model) {
  const onnx::GraphProto& graph = model.proto.graph();
  bool as_inputs = false;
  for (const auto& entry : model.proto.metadata_props())
    if (entry.key() == "weights_as_inputs" && entry.value() == "1") as_inputs = true;

  std::unordered_set<std::string> candidates;
  for (const auto& input : graph.input())
    if (!model.initializers.contains(input.name())) candidates.insert(input.name());
  // An Identity of an input is equivalent to that input.
  std::unordered_map<std::string, std::string> same;
  const auto origin = [&](const std::string& name) {
    const auto at = same.find(name);
    return at == same.end() ? name : at->second;
  };
  for (const NodeProto* each : model.nodes) {
    const NodeProto& node = *each;
    if (node.op_type() == "Identity" && node.input_size() == 1 && node.output_size() == 1)
      same[node.output(0)] = origin(node.input(0));
  }

  std::unordered_set<std::string> yes;
  std::unordered_set<std::string> no;
  for (const NodeProto* each : model.nodes) {
    const NodeProto& node = *each;
    if (node.op_type() == "Identity") continue;
    const auto [first, last] = parameters(node.op_type());
    for (int k = 0; k < node.input_size(); ++k) {
      const std::string name = origin(node.input(k));
      if (!candidates.contains(name)) continue;
      const bool parameter =
          (first <= k && k <= last) || (as_inputs && like_a_weight(model, node, k));
      (parameter ? yes : no).insert(name);
    }
  }
  for (const auto& output : graph.output()) no.insert(origin(output.name()));
  for (const std::string& name : no) yes.erase(name);
  return yes;
}

Converter::Converter(Model& model) : model_(model), weights_(find_weights(model)) {}

void Converter::fail(const NodeProto& node, const std::string& what,
                     const std::string& hint) const {
  throw InputError(model_.file, 0, named(node) + " " + what, hint);
}

const Known& Converter::known(const NodeProto& node, const std::string& name) const {
  const auto at = model_.tensors.find(name);
  if (at == model_.tensors.end())
    fail(node, "has a tensor " + shown(name) + " of unknown shape",
         "its shape depends on data or on an unknown operator; declare it in the value_info of the "
         "file");
  return at->second;
}

const std::vector<Dim>& Converter::made(const NodeProto& node) const {
  return known(node, node.output(0)).shape;
}

TensorIndex Converter::add(Tensor tensor) {
  net_.tensors.push_back(std::move(tensor));
  return net_.tensors.size() - 1;
}

TensorIndex Converter::tensor(const NodeProto& node, const std::string& name) {
  const auto at = by_name_.find(name);
  if (at != by_name_.end()) return at->second;
  const Known& facts = known(node, name);
  const std::optional<ElementType> type = element_type(facts.type);
  if (!type) fail(node, "has a tensor " + shown(name) + " of a type without a fixed size");
  if (facts.shape.size() > max_rank)
    fail(node,
         "has a tensor " + shown(name) + " with more than " + std::to_string(max_rank) + " axes");
  for (const Dim extent : facts.shape)
    if (extent < 1 || extent > max_extent)
      fail(node, "has a tensor " + shown(name) + " with extent " + std::to_string(extent));
  const bool weight = model_.initializers.contains(name) || weights_.contains(name);
  const TensorIndex index = add({.name = name,
                                 .shape = facts.shape,
                                 .type = weight ? *type : unpacked(*type),
                                 .kind = weight ? TensorKind::weight : TensorKind::activation,
                                 .view_of = std::nullopt});
  by_name_[name] = index;
  return index;
}

TensorIndex Converter::view(TensorIndex of, std::vector<Dim> shape, const std::string& name) {
  if (net_.tensors[of].shape == shape) return of;
  const Tensor& source = net_.tensors[of];
  return add({.name = name,
              .shape = std::move(shape),
              .type = source.type,
              .kind = source.kind,
              .view_of = storage_of(net_, of)});
}

std::optional<std::vector<std::int64_t>> Converter::list(const NodeProto& node, int position,
                                                         const char* name) const {
  return list_of(model_, node, position, name);
}

std::vector<std::size_t> Converter::axes_of(const NodeProto& node, std::size_t rank,
                                            const std::vector<std::int64_t>& given) const {
  std::vector<std::size_t> axes;
  for (std::int64_t axis : given) {
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
      fail(node, "names axis " + std::to_string(axis) + " of a tensor with " +
                     std::to_string(rank) + " axes");
    axes.push_back(static_cast<std::size_t>(axis));
  }
  return axes;
}

void Converter::alias(const NodeProto& node) {
  by_name_[node.output(0)] = input(node, 0);
  handled_ = true;
}

void Converter::unknown(const NodeProto& node, Op& op, const std::string& why) {
  op = Op{};
  op.name = node.name();
  op.kind = OpKind::opaque;
  op.function = node.op_type();
  const std::string key =
      why.empty() ? "operator " + node.op_type() + " is not supported" : node.op_type() + " " + why;
  auto& [first, count] = unknown_.try_emplace(key, node.name(), 0).first->second;
  ++count;
  for (int k = 0; k < node.input_size(); ++k)
    if (has(node, k) && constant(node, k) == nullptr) op.inputs.push_back(input(node, k));
  if (op.inputs.empty())  // depends on constants only
    for (int k = 0; k < node.input_size(); ++k)
      if (has(node, k)) op.inputs.push_back(input(node, k));
  if (op.inputs.empty())
    fail(node, "produces elements from an empty tensor, which is not supported",
         "replace its output by an input of the model or an initializer");
  for (const std::string& output : node.output())
    if (!output.empty()) op.outputs.push_back(tensor(node, output));
}

void Converter::finish(const NodeProto& node, Op& op) {
  if (op.outputs.empty()) op.outputs = {tensor(node, node.output(0))};
  net_.ops.push_back(std::move(op));
}

Network Converter::convert() {
  const onnx::GraphProto& graph = model_.proto.graph();
  net_.name = graph.name();
  const NodeProto& any = *model_.nodes.front();
  for (const auto& info : graph.input())
    if (!model_.initializers.contains(info.name()) && !weights_.contains(info.name()))
      net_.inputs.push_back(tensor(any, info.name()));
  for (const NodeProto* each : model_.nodes) {
    const NodeProto& node = *each;
    model_.poll(poll_units);
    if (std::ranges::all_of(node.output(), &std::string::empty)) continue;
    Op op;
    op.name = node.name();
    handled_ = false;
    const Entry* entry = standard_domain(node.domain()) ? entry_of(node.op_type()) : nullptr;
    if (entry == nullptr)
      unknown(node, op, "");
    else
      (this->*entry->convert)(node, op);
    if (!handled_) finish(node, op);
  }
  for (const auto& info : graph.output()) net_.outputs.push_back(tensor(any, info.name()));
  std::vector<bool> made(net_.tensors.size());
  for (const Op& op : net_.ops)
    for (const TensorIndex t : op.outputs) made[t] = true;
  if (std::ranges::none_of(net_.outputs, [&](TensorIndex t) { return made[storage_of(net_, t)]; }))
    throw InputError(
        model_.file, 0,
        "computes nothing: each of its outputs is an input, a constant or a view of one");
  for (const auto& [what, where] : unknown_) {
    std::string text = what + ": node " + shown(where.first);
    if (where.second > 1) text += " and " + std::to_string(where.second - 1) + " more";
    model_.warnings.push_back(text + " becomes an opaque op, which is not tiled");
  }
  std::ranges::sort(model_.warnings);
  return std::move(net_);
}

}  // namespace tessera::io::onnx_reader

namespace tessera::io {

OnnxNetwork read_onnx(std::string_view bytes, const std::string& file, const OnnxOptions& options) {
  OnnxNetwork out;
  onnx_reader::Model model = onnx_reader::load_model(bytes, file, options, out);
  out.network = normalized(onnx_reader::Converter(model).convert());
  out.warnings = std::move(model.warnings);
  const std::vector<NetworkDefect> defects = check_network(out.network);
  if (!defects.empty()) throw InputError(file, 0, defects.front().message);
  return out;
}

}  // namespace tessera::io
