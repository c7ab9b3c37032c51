#include "io/network_yaml.h"

#include <algorithm>
#include <unordered_map>

#include "io/text.h"
#include "io/tree.h"
#include "model/network_order.h"
#include "model/network_types.h"
#include "tessera/network_shapes.h"

namespace tessera::io {
namespace {

class NetworkReader {
 public:
  explicit NetworkReader(const Sources& sources) : sources_(sources) {}

  NetworkYaml read(const Node& root) {
    Fields fields(sources_, root, "the network");
    require_kind(sources_, fields, "network/1");
    if (const Node* node = fields.find("name")) net().name = as_text(sources_, *node, "name");
    if (const Node* node = fields.find("tensors")) read_tensors(*node);
    for (const Node& each : as_list(sources_, fields.need("inputs"), "inputs"))
      net().inputs.push_back(known(each));
    for (const Node& each : as_list(sources_, fields.need("ops"), "ops")) read_op(each);
    for (const Node& each : as_list(sources_, fields.need("outputs"), "outputs"))
      net().outputs.push_back(known(each));
    fields.finish();
    const std::vector<NetworkDefect> defects = check_network(net());
    if (!defects.empty()) {
      const NetworkDefect& first = defects.front();
      std::size_t line = root.line;
      if (first.part == NetworkPart::op) line = read_.op_lines[first.index];
      if (first.part == NetworkPart::tensor) line = lines_[first.index];
      throw InputError(sources_.newest(), line, first.message);
    }
    read_.network = normalized(read_.network);
    return std::move(read_);
  }

 private:
  Network& net() { return read_.network; }

  TensorIndex add(Tensor tensor, std::size_t line, const Node& named) {
    const auto [at, added] = by_name_.try_emplace(tensor.name, net().tensors.size());
    if (!added) throw sources_.error(named, "duplicate tensor " + shown(tensor.name) + " already");
    net().tensors.push_back(std::move(tensor));
    lines_.push_back(line);
    return at->second;
  }

  TensorIndex known(const Node& node) {
    const std::string& name = as_text(sources_, node, "a tensor");
    const auto at = by_name_.find(name);
    if (at == by_name_.end())
      throw sources_.error(node, "unknown tensor " + shown(name),
                           "declare it under `tensors`, or list the op that produces it earlier");
    return at->second;
  }

  std::vector<TensorIndex> known_list(const Node& node, std::string_view what) {
    std::vector<TensorIndex> list;
    for (const Node& each : as_list(sources_, node, what)) list.push_back(known(each));
    return list;
  }

  ElementType type(const Node& node) const {
    const std::string& text = as_text(sources_, node, "dtype");
    if (const std::optional<ElementType> found = element_type_from(text)) return *found;
    throw sources_.error(node, shown(text) + " is not an element type",
                         "types are int4, int8, uint8, int16, int32, int64, float16, bfloat16, "
                         "float32, float64, bool and the like");
  }

  template <typename Value>
  std::vector<Value> numbers(const Node& node, std::string_view what, std::int64_t least,
                             std::int64_t most = max_extent) const {
    std::vector<Value> list;
    for (const Node& each : as_list(sources_, node, what))
      list.push_back(static_cast<Value>(as_whole(sources_, each, what, least, most)));
    return list;
  }

  Quantization quantization(const Node& node, const std::string& name) const {
    Fields fields(sources_, node, "`quantization` of " + shown(name));
    Quantization read;
    for (const Node& each : as_list(sources_, fields.need("scale"), "scale"))
      read.scale.push_back(as_real(sources_, each, "scale"));
    read.zero_point.assign(read.scale.size(), 0);
    if (const Node* n = fields.find("zero_point")) {
      read.zero_point.clear();
      for (const Node& each : as_list(sources_, *n, "zero_point"))
        read.zero_point.push_back(as_whole(sources_, each, "zero_point", -max_address));
    }
    if (const Node* n = fields.find("axis"))
      read.axis = static_cast<std::size_t>(
          as_whole(sources_, *n, "axis", 0, static_cast<std::int64_t>(max_rank) - 1));
    fields.finish();
    if (read.scale.size() == 1) read.axis = 0;  // one entry has no axis
    return read;
  }

  void read_tensors(const Node& node) {
    std::vector<std::pair<TensorIndex, const Node*>> views;
    for (const Node& each : Fields(sources_, node, "`tensors`").node().children) {
      Fields fields(sources_, each, "tensor " + shown(each.key));
      Tensor tensor;
      tensor.name = each.key;
      tensor.shape = numbers<Dim>(fields.need("shape"), "shape", 1);
      if (const Node* n = fields.find("dtype")) tensor.type = type(*n);
      if (const Node* n = fields.find("kind"))
        tensor.kind = as_one_of(sources_, *n, "kind", {"activation", "weight"}) == 0
                          ? TensorKind::activation
                          : TensorKind::weight;
      if (const Node* n = fields.find("encoded")) {
        if (tensor.kind != TensorKind::weight)
          throw sources_.error(*n, "`encoded` needs a weight", "put `kind: weight` before it");
        tensor.encoded = as_size(sources_, *n, "encoded", 1);
      }
      if (const Node* n = fields.find("quantization"))
        tensor.quantization = quantization(*n, tensor.name);
      const Node* view = fields.find("view_of");
      fields.finish();
      const TensorIndex index = add(std::move(tensor), each.key_line, each);
      if (view != nullptr) views.emplace_back(index, view);
    }
    for (const auto& [index, view] : views) net().tensors[index].view_of = known(*view);
  }

  /// `weights: {shape: [...]}` or a list of these; each is a new tensor.
  void read_weights(Op& op, const Node& node, ElementType standard) {
    const auto one = [&](const Node& each, std::size_t number) {
      Fields fields(sources_, each, "the weights of op " + shown(op.name));
      Tensor tensor;
      tensor.kind = TensorKind::weight;
      tensor.name = op.name + (number == 0 ? ".weights" : ".weights" + std::to_string(number + 1));
      if (const Node* n = fields.find("name")) tensor.name = as_text(sources_, *n, "name");
      tensor.shape = numbers<Dim>(fields.need("shape"), "shape", 1);
      const Node* n = fields.find("dtype");
      const bool bias = multiplies(op.kind) && op.inputs.size() == 2;
      tensor.type = n != nullptr ? type(*n) : bias ? bias_type(standard) : standard;
      if (const Node* e = fields.find("encoded"))
        tensor.encoded = as_size(sources_, *e, "encoded", 1);
      if (const Node* q = fields.find("quantization"))
        tensor.quantization = quantization(*q, tensor.name);
      fields.finish();
      op.inputs.push_back(add(std::move(tensor), each.line, each));
    };
    if (node.kind == Node::Kind::null) return;  // `weights:` without a value
    if (node.kind != Node::Kind::list) return one(node, 0);
    for (std::size_t k = 0; k < node.children.size(); ++k) one(node.children[k], k);
  }

  void read_type(Op& op, Fields& fields) {
    const Node& node = fields.need("type");
    const std::string& text = as_text(sources_, node, "type");
    const std::vector<std::string_view>& functions = elementwise_functions();
    if (std::ranges::find(functions, text) != functions.end()) {
      op.kind = OpKind::elementwise;
      op.function = text;
    } else if (const std::optional<OpKind> kind = op_kind_from(text)) {
      op.kind = *kind;
    } else if (text == "global_average_pool" || text == "global_max_pool") {
      op.kind = OpKind::reduce;
      op.function = text == "global_max_pool" ? "max" : "mean";
    } else {
      std::vector<std::string_view> words;
      for (int k = 0; k <= static_cast<int>(OpKind::opaque); ++k)
        words.push_back(to_string(static_cast<OpKind>(k)));
      words.insert(words.end(), functions.begin(), functions.end());
      const std::string_view near = closest_word(text, words);
      throw sources_.error(node, shown(text) + " is not a type of op",
                           near.empty() ? "use `type: opaque` and declare the shapes of its outputs"
                                        : "did you mean `" + std::string(near) + "`?");
    }
    if (const Node* n = fields.find("function")) op.function = as_text(sources_, *n, "function");
  }

  std::vector<std::size_t> axes(const Node& node, std::size_t rank) const {
    std::vector<std::size_t> list;
    const auto signed_rank = static_cast<std::int64_t>(rank);
    for (const std::int64_t axis :
         numbers<std::int64_t>(node, "axes", -signed_rank, signed_rank - 1))
      list.push_back(static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis));
    return list;
  }
  std::vector<std::size_t> axis_set(const Node& node, std::size_t rank) const {
    std::vector<std::size_t> list = axes(node, rank);
    std::ranges::sort(list);
    return list;
  }

  void read_windows(Op& op, Fields& fields) {
    const std::vector<Dim>& x = net().tensors[op.inputs[0]].shape;
    const std::size_t spatial = x.size() > 2 ? x.size() - 2 : 0;
    if (op.kind == OpKind::conv || op.kind == OpKind::conv_transpose) {
      if (op.inputs.size() > 1) {
        const std::vector<Dim>& w = net().tensors[op.inputs[1]].shape;
        if (w.size() > 2) op.kernel.assign(w.begin() + 2, w.end());
      }
      if (const Node* n = fields.find("groups"))
        op.groups = as_whole(sources_, *n, "groups", 1, max_extent);
    } else {
      op.kernel = numbers<Dim>(fields.need("kernel"), "kernel", 1);
      if (const Node* n = fields.find("ceil_mode"))
        op.ceil_mode = as_bool(sources_, *n, "ceil_mode");
    }
    op.stride = optional_list(fields, "stride", spatial, 1, 1);
    op.dilation = optional_list(fields, "dilation", spatial, 1, 1);
    const std::vector<Dim> pad = optional_list(fields, "pad", 2 * spatial, 0, 0);
    split(pad, op);
    if (op.kind == OpKind::conv_transpose)
      op.output_padding = optional_list(fields, "output_padding", spatial, 0, 0);
  }

  std::vector<Dim> optional_list(Fields& fields, const char* key, std::size_t size, Dim standard,
                                 Dim least) {
    const Node* node = fields.find(key);
    if (node == nullptr) return std::vector<Dim>(size, standard);
    std::vector<Dim> list = numbers<Dim>(*node, key, least);
    if (list.size() != size)
      throw sources_.error(*node, "`" + std::string(key) + "` has " + std::to_string(list.size()) +
                                      " entries where " + std::to_string(size) + " are needed");
    return list;
  }

  static void split(const std::vector<Dim>& pad, Op& op) {
    const auto middle = pad.begin() + static_cast<std::ptrdiff_t>(pad.size() / 2);
    op.pad_begin.assign(pad.begin(), middle);
    op.pad_end.assign(middle, pad.end());
  }

  void read_resize(Op& op, Fields& fields) {
    op.extents = numbers<Dim>(fields.need("shape"), "shape", 1);
    if (const Node* n = fields.find("mode"))
      op.resize.linear = as_one_of(sources_, *n, "mode", {"nearest", "linear"}) == 1;
    if (const Node* n = fields.find("coordinates"))
      op.resize.coordinates = static_cast<ResizeRule::Coordinates>(
          as_one_of(sources_, *n, "coordinates",
                    {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"}));
    if (const Node* n = fields.find("nearest"))
      op.resize.nearest = static_cast<ResizeRule::Nearest>(as_one_of(
          sources_, *n, "nearest", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
  }

  void read_attributes(Op& op, Fields& fields) {
    if (op.inputs.empty()) return;
    const std::size_t rank = net().tensors[op.inputs[0]].shape.size();
    switch (op.kind) {
      case OpKind::conv:
      case OpKind::conv_transpose:
      case OpKind::max_pool:
      case OpKind::average_pool:
        return read_windows(op, fields);
      case OpKind::reduce:
        if (const Node* n = fields.find("axes"))
          op.axes = axis_set(*n, rank);
        else
          for (std::size_t axis = 2; axis < rank; ++axis) op.axes.push_back(axis);
        if (const Node* n = fields.find("keep_dims"))
          op.keep_dims = as_bool(sources_, *n, "keep_dims");
        return;
      case OpKind::softmax:
      case OpKind::normalize:
        if (const Node* n = fields.find("axes"))
          op.axes = axis_set(*n, rank);
        else if (rank > 0)
          op.axes = {rank - 1};
        return;
      case OpKind::concat:
        op.axes = axes(fields.need("axes"), rank);
        return;
      case OpKind::slice:
        op.axes = axes(fields.need("axes"), rank);
        op.begins = optional_list(fields, "begins", op.axes.size(), 0, 0);
        op.steps = optional_list(fields, "steps", op.axes.size(), 1, 1);
        op.extents = numbers<Dim>(fields.need("extents"), "extents", 1);
        return;
      case OpKind::pad: {
        split(optional_list(fields, "pad", 2 * rank, 0, -max_extent), op);
        const Node* n = fields.find("mode");
        const std::size_t mode =
            n == nullptr ? 0 : as_one_of(sources_, *n, "mode", {"constant", "edge", "reflect"});
        op.function = mode == 0 ? "constant" : mode == 1 ? "edge" : "reflect";
        return;
      }
      case OpKind::resize:
        return read_resize(op, fields);
      case OpKind::reshape:
        op.extents = numbers<Dim>(fields.need("shape"), "shape", 1);
        return;
      case OpKind::transpose:
        op.permutation = numbers<std::size_t>(fields.need("permutation"), "permutation", 0);
        return;
      case OpKind::depth_to_space:
        if (const Node* n = fields.find("order"))
          op.depth_first = as_one_of(sources_, *n, "order", {"dcr", "crd"}) == 0;
        [[fallthrough]];
      case OpKind::space_to_depth:
        op.block = as_whole(sources_, fields.need("block"), "block", 1, max_extent);
        return;
      case OpKind::matmul:
        if (const Node* n = fields.find("transpose_a"))
          op.transpose_a = as_bool(sources_, *n, "transpose_a");
        if (const Node* n = fields.find("transpose_b"))
          op.transpose_b = as_bool(sources_, *n, "transpose_b");
        return;
      case OpKind::elementwise:
      case OpKind::batch_norm:
      case OpKind::opaque:
        return;
    }
  }

  void read_fused(Op& op, const Node& node) {
    for (const Node& each : as_list(sources_, node, "fused")) {
      if (each.kind != Node::Kind::map) {
        op.fused.push_back({as_text(sources_, each, "fused"), {}});
        continue;
      }
      Fields fields(sources_, each, "what is fused into op " + shown(op.name));
      Fused fused;
      fused.function = as_text(sources_, fields.need("function"), "function");
      if (const Node* n = fields.find("operands")) fused.operands = known_list(*n, "operands");
      fields.finish();
      op.fused.push_back(std::move(fused));
    }
  }

  void read_op(const Node& node) {
    Fields fields(sources_, node, "op " + std::to_string(net().ops.size() + 1));
    Op op;
    op.name = as_text(sources_, fields.need("name"), "name");
    read_type(op, fields);
    if (const Node* n = fields.find("inputs")) op.inputs = known_list(*n, "inputs");
    const ElementType standard =
        op.inputs.empty() ? ElementType::float32 : unpacked(net().tensors[op.inputs[0]].type);
    if (const Node* n = fields.find("weights")) read_weights(op, *n, standard);
    if (op.inputs.empty()) throw sources_.error(node, "op " + shown(op.name) + " has no inputs");
    read_attributes(op, fields);
    if (const Node* n = fields.find("fused")) read_fused(op, *n);

    const Node* single = fields.find("output");
    const Node* several = fields.find("outputs");
    if ((single == nullptr) == (several == nullptr))
      throw sources_.error(node, "op " + shown(op.name) + " needs `output` or `outputs`, not both");
    std::vector<const Node*> outputs;
    if (single != nullptr)
      outputs.push_back(single);
    else
      for (const Node& each : as_list(sources_, *several, "outputs")) outputs.push_back(&each);
    for (const Node* output : outputs) op.outputs.push_back(made_by(op, *output, standard));
    fields.finish();
    read_.op_lines.push_back(node.line);
    net().ops.push_back(std::move(op));
  }

  /// The output tensor: declared, or new with the shape inferred from the op.
  TensorIndex made_by(const Op& op, const Node& output, ElementType standard) {
    const std::string& name = as_text(sources_, output, "output");
    if (by_name_.contains(name)) return known(output);
    if (op.kind == OpKind::opaque)
      throw sources_.error(
          output, "the shape of " + shown(name) + " is unknown",
          "declare it under `tensors`: the output shapes of an opaque op are not inferred");
    std::vector<std::vector<Dim>> shapes;
    for (const TensorIndex t : op.inputs) shapes.push_back(net().tensors[t].shape);
    std::string error;
    const std::optional<std::vector<Dim>> shape = output_shape(op, shapes, error);
    if (!shape)
      throw sources_.error(
          output, "op " + shown(op.name) + " (" + std::string(to_string(op.kind)) + ") " + error);
    Tensor tensor;
    tensor.name = name;
    tensor.shape = *shape;
    tensor.type = standard;
    return add(std::move(tensor), output.line, output);
  }

  const Sources& sources_;
  NetworkYaml read_;
  std::unordered_map<std::string, TensorIndex> by_name_;
  std::vector<std::size_t> lines_;  ///< of each tensor
};

}  // namespace

const std::vector<std::string_view>& elementwise_functions() {
  static const std::vector<std::string_view> functions{
      "abs",      "add",          "and",        "cast",     "ceil",       "clip",       "cos",
      "div",      "elu",          "equal",      "erf",      "exp",        "floor",      "gelu",
      "greater",  "hard_sigmoid", "hard_swish", "identity", "leaky_relu", "less",       "log",
      "max",      "min",          "mish",       "mod",      "mul",        "neg",        "not",
      "or",       "pow",          "prelu",      "quantize", "dequantize", "reciprocal", "relu",
      "relu6",    "round",        "selu",       "sigmoid",  "sign",       "silu",       "sin",
      "softplus", "softsign",     "sqrt",       "sub",      "tanh",       "where",      "xor"};
  return functions;
}

NetworkYaml read_network_yaml(std::string_view text, const std::string& file) {
  const Sources sources(file);
  const Node root = parse_yaml(text, sources);
  return NetworkReader(sources).read(root);
}

}  // namespace tessera::io
