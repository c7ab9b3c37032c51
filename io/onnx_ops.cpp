// Conversion of each ONNX operator to an op.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "io/onnx_convert.h"
#include "tessera/network_shapes.h"

namespace tessera::io::onnx_reader {
namespace {

using onnx::NodeProto;

/// HardSwish -> hard_swish, PRelu -> prelu
std::string function_name(const std::string& type) {
  if (type == "PRelu" || type == "LeakyRelu" || type == "HardSwish" || type == "HardSigmoid") {
    static const std::array<std::pair<const char*, const char*>, 4> names{
        {{"PRelu", "prelu"},
         {"LeakyRelu", "leaky_relu"},
         {"HardSwish", "hard_swish"},
         {"HardSigmoid", "hard_sigmoid"}}};
    for (const auto& [from, to] : names)
      if (type == from) return to;
  }
  if (type == "QuantizeLinear") return "quantize";
  if (type == "DequantizeLinear") return "dequantize";
  std::string name = type;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::vector<Dim> or_ones(std::vector<std::int64_t> list, std::size_t size) {
  if (list.empty()) list.assign(size, 1);
  return list;
}

}  // namespace

const Converter::Entry* Converter::entry_of(const std::string& type) {
  static const Entry entries[] = {
      {"Conv", &Converter::convolution},
      {"ConvTranspose", &Converter::convolution},
      {"MaxPool", &Converter::pool},
      {"AveragePool", &Converter::pool},
      {"LpPool", &Converter::pool},
      {"GlobalAveragePool", &Converter::global_pool},
      {"GlobalMaxPool", &Converter::global_pool},
      {"ReduceMean", &Converter::reduce},
      {"ReduceSum", &Converter::reduce},
      {"ReduceMax", &Converter::reduce},
      {"ReduceMin", &Converter::reduce},
      {"ReduceProd", &Converter::reduce},
      {"ReduceL1", &Converter::reduce},
      {"ReduceL2", &Converter::reduce},
      {"ReduceSumSquare", &Converter::reduce},
      {"ReduceLogSumExp", &Converter::reduce},
      {"ArgMax", &Converter::reduce},
      {"ArgMin", &Converter::reduce},
      {"MatMul", &Converter::matmul},
      {"Gemm", &Converter::gemm},
      {"Softmax", &Converter::along_axis},
      {"LogSoftmax", &Converter::along_axis},
      {"Hardmax", &Converter::along_axis},
      {"LpNormalization", &Converter::along_axis},
      {"LayerNormalization", &Converter::layer_norm},
      {"InstanceNormalization", &Converter::instance_norm},
      {"LRN", &Converter::channel_norm},
      {"BatchNormalization", &Converter::batch_norm},
      {"Concat", &Converter::concat},
      {"Split", &Converter::split},
      {"Slice", &Converter::slice},
      {"Gather", &Converter::gather},
      {"Pad", &Converter::pad},
      {"Resize", &Converter::resize},
      {"Upsample", &Converter::resize},
      {"Reshape", &Converter::reshape},
      {"Flatten", &Converter::reshape},
      {"Squeeze", &Converter::reshape},
      {"Unsqueeze", &Converter::reshape},
      {"Identity", &Converter::reshape},
      {"Dropout", &Converter::reshape},
      {"Expand", &Converter::reshape},
      {"Transpose", &Converter::transpose},
      {"DepthToSpace", &Converter::blocks},
      {"SpaceToDepth", &Converter::blocks},
      {"Clip", &Converter::first_only},
      {"Cast", &Converter::first_only},
      {"QuantizeLinear", &Converter::first_only},
      {"DequantizeLinear", &Converter::first_only},
  };
  for (const Entry& entry : entries)
    if (type == entry.type) return &entry;
  static const Entry any{"", &Converter::elementwise};
  static const std::unordered_set<std::string> pointwise{
      "Abs",       "Add",   "And",  "Ceil",    "Cos",     "Div",         "Elu",
      "Equal",     "Erf",   "Exp",  "Floor",   "Greater", "HardSigmoid", "HardSwish",
      "LeakyRelu", "Less",  "Log",  "Max",     "Min",     "Mish",        "Mod",
      "Mul",       "Neg",   "Not",  "Or",      "PRelu",   "Pow",         "Reciprocal",
      "Relu",      "Round", "Selu", "Sigmoid", "Sign",    "Sin",         "Softplus",
      "Softsign",  "Sqrt",  "Sub",  "Tanh",    "Where",   "Xor"};
  return pointwise.contains(type) ? &any : nullptr;
}

void Converter::windows(const NodeProto& node, Op& op, std::size_t spatial) {
  op.stride = or_ones(ints_attribute(node, "strides"), spatial);
  op.dilation = or_ones(ints_attribute(node, "dilations"), spatial);
  std::vector<Dim> pads = ints_attribute(node, "pads");
  if (pads.empty()) pads.assign(2 * spatial, 0);
  if (op.kernel.size() != spatial || op.stride.size() != spatial || op.dilation.size() != spatial ||
      pads.size() != 2 * spatial)
    fail(node, "has kernel, stride, dilation or padding with the wrong number of entries");
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(spatial);
  op.pad_begin.assign(pads.begin(), middle);
  op.pad_end.assign(middle, pads.end());
  for (std::size_t axis = 0; axis < spatial; ++axis)
    if (op.stride[axis] < 1 || op.dilation[axis] < 1 || op.kernel[axis] < 1)
      fail(node, "has a kernel, stride or dilation below 1");
}

/// auto_pad determines the padding, as does ceil_mode, whose last window may exceed the input; the
/// declared shape tells by how much.
void Converter::automatic_padding(const NodeProto& node, Op& op) {
  const std::string rule = text_attribute(node, "auto_pad", "NOTSET");
  const std::vector<Dim>& in = shape(op.inputs[0]);
  const std::vector<Dim>& out = made(node);
  if (out.size() != in.size() || in.size() != op.kernel.size() + 2)
    fail(node, "produces a tensor with another number of axes");
  for (std::size_t axis = 0; axis < op.kernel.size(); ++axis) {
    const Dim span = op.dilation[axis] * (op.kernel[axis] - 1) + 1;
    Dim total = (out[axis + 2] - 1) * op.stride[axis] + span - in[axis + 2];
    if (op.kind == OpKind::conv_transpose)
      total = (in[axis + 2] - 1) * op.stride[axis] + span + op.output_padding[axis] - out[axis + 2];
    if (rule == "SAME_UPPER" || rule == "SAME_LOWER" ||
        (op.kind == OpKind::conv_transpose && attribute(node, "output_shape") != nullptr)) {
      total = std::max<Dim>(total, 0);
      // ConvTranspose without auto_pad puts the odd pixel in front.
      const bool upper = rule == "SAME_UPPER";
      op.pad_begin[axis] = upper ? total / 2 : total - total / 2;
      op.pad_end[axis] = total - op.pad_begin[axis];
    } else if (int_attribute(node, "ceil_mode", 0) != 0) {
      op.pad_end[axis] = std::max(op.pad_end[axis], total - op.pad_begin[axis]);
    }
  }
}

void Converter::convolution(const NodeProto& node, Op& op) {
  op.kind = node.op_type() == "Conv" ? OpKind::conv : OpKind::conv_transpose;
  op.inputs = {input(node, 0), input(node, 1)};
  if (has(node, 2)) op.inputs.push_back(input(node, 2));
  const std::vector<Dim>& w = shape(op.inputs[1]);
  if (w.size() < 3) fail(node, "has weights without spatial axes");
  op.kernel.assign(w.begin() + 2, w.end());
  windows(node, op, w.size() - 2);
  op.groups = int_attribute(node, "group", 1);
  if (op.kind == OpKind::conv_transpose) {
    op.output_padding = ints_attribute(node, "output_padding");
    if (op.output_padding.empty()) op.output_padding.assign(op.kernel.size(), 0);
    if (op.output_padding.size() != op.kernel.size())
      fail(node, "has an output_padding with the wrong number of entries");
  }
  automatic_padding(node, op);
}

void Converter::pool(const NodeProto& node, Op& op) {
  if (node.output_size() > 1 && !node.output(1).empty())
    return unknown(node, op, "with indices is not supported");
  op.kind = node.op_type() == "MaxPool" ? OpKind::max_pool : OpKind::average_pool;
  op.inputs = {input(node, 0)};
  op.kernel = ints_attribute(node, "kernel_shape");
  windows(node, op, op.kernel.size());
  automatic_padding(node, op);
}

void Converter::global_pool(const NodeProto& node, Op& op) {
  op.kind = OpKind::reduce;
  op.function = node.op_type() == "GlobalMaxPool" ? "max" : "mean";
  op.inputs = {input(node, 0)};
  for (std::size_t axis = 2; axis < shape(op.inputs[0]).size(); ++axis) op.axes.push_back(axis);
}

void Converter::reduce(const NodeProto& node, Op& op) {
  op.kind = OpKind::reduce;
  op.inputs = {input(node, 0)};
  const std::size_t rank = shape(op.inputs[0]).size();
  op.keep_dims = int_attribute(node, "keepdims", 1) != 0;
  const std::string& type = node.op_type();
  op.function = function_name(type.starts_with("Reduce") ? type.substr(6) : type);
  std::optional<std::vector<std::int64_t>> given;
  if (type.starts_with("Arg"))
    given = {int_attribute(node, "axis", 0)};
  else
    given = list(node, 1, "axes");
  if (!given) return unknown(node, op, "over axes that are computed is not supported");
  op.axes = axes_of(node, rank, *given);
  std::ranges::sort(op.axes);
  if (op.axes.empty() && int_attribute(node, "noop_with_empty_axes", 0) != 0) return alias(node);
  if (op.axes.empty())
    for (std::size_t axis = 0; axis < rank; ++axis) op.axes.push_back(axis);
}

void Converter::matmul(const NodeProto& node, Op& op) {
  op.kind = OpKind::matmul;
  op.inputs = {input(node, 0), input(node, 1)};
  if (shape(op.inputs[0]).size() < 2 || shape(op.inputs[1]).size() < 2)
    unknown(node, op, "of a vector is not supported");
}

void Converter::gemm(const NodeProto& node, Op& op) {
  op.kind = OpKind::matmul;
  op.inputs = {input(node, 0), input(node, 1)};
  if (has(node, 2)) op.inputs.push_back(input(node, 2));
  op.transpose_a = int_attribute(node, "transA", 0) != 0;
  op.transpose_b = int_attribute(node, "transB", 0) != 0;
}

void Converter::elementwise(const NodeProto& node, Op& op) {
  op.kind = OpKind::elementwise;
  op.function = function_name(node.op_type());
  for (int k = 0; k < node.input_size(); ++k) {
    const Constant* value = constant(node, k);
    if (!has(node, k) || (value != nullptr && value->size() == 1))
      continue;  // part of the function
    op.inputs.push_back(input(node, k));
  }
  std::vector<std::vector<Dim>> shapes;
  for (const TensorIndex t : op.inputs) shapes.push_back(shape(t));
  // A constant with a higher rank than the result's shape suggests: [1, 1, 1] plus a vector.
  if (op.inputs.empty() || broadcast_shape(shapes) != made(node)) {
    op.inputs.clear();
    for (int k = 0; k < node.input_size(); ++k)
      if (has(node, k)) op.inputs.push_back(input(node, k));
  }
}

/// Bounds, scales and types are part of the function.
void Converter::first_only(const NodeProto& node, Op& op) {
  op.kind = OpKind::elementwise;
  op.function = function_name(node.op_type());
  op.inputs = {input(node, 0)};
}

void Converter::along_axis(const NodeProto& node, Op& op) {
  op.kind = node.op_type() == "LpNormalization" ? OpKind::normalize : OpKind::softmax;
  op.inputs = {input(node, 0)};
  const std::size_t rank = shape(op.inputs[0]).size();
  const bool old = model_.opset < 13 && op.kind == OpKind::softmax;
  op.axes = axes_of(node, rank, {int_attribute(node, "axis", old ? 1 : -1)});
  if (old)  // everything from the axis on is one vector
    for (std::size_t axis = op.axes[0] + 1; axis < rank; ++axis) op.axes.push_back(axis);
}

void Converter::layer_norm(const NodeProto& node, Op& op) {
  op.kind = OpKind::normalize;
  for (int k = 0; k < std::min(3, node.input_size()); ++k)
    if (has(node, k)) op.inputs.push_back(input(node, k));
  const std::size_t rank = shape(op.inputs[0]).size();
  const std::size_t first = axes_of(node, rank, {int_attribute(node, "axis", -1)})[0];
  for (std::size_t axis = first; axis < rank; ++axis) op.axes.push_back(axis);
  for (int k = 1; k < node.output_size(); ++k)
    if (!node.output(k).empty()) return unknown(node, op, "with its statistics is not supported");
}

void Converter::instance_norm(const NodeProto& node, Op& op) {
  op.kind = OpKind::normalize;
  op.inputs = {input(node, 0)};
  const std::size_t rank = shape(op.inputs[0]).size();
  for (std::size_t axis = 2; axis < rank; ++axis) op.axes.push_back(axis);
  for (int k = 1; k < 3; ++k) {  // one value per channel
    const TensorIndex scale = input(node, k);
    std::vector<Dim> column(rank - 1, 1);
    column[0] = shape(scale).empty() ? 1 : shape(scale)[0];
    op.inputs.push_back(view(scale, column, node.name() + (k == 1 ? ".scale" : ".bias")));
  }
}

/// LRN reads neighbouring channels; modelled as a norm over all channels.
void Converter::channel_norm(const NodeProto& node, Op& op) {
  op.kind = OpKind::normalize;
  op.inputs = {input(node, 0)};
  op.axes = {1};
}

void Converter::batch_norm(const NodeProto& node, Op& op) {
  for (int k = 1; k < node.output_size(); ++k)
    if (!node.output(k).empty()) return unknown(node, op, "in training mode is not supported");
  op.kind = OpKind::batch_norm;
  for (int k = 0; k < node.input_size(); ++k) op.inputs.push_back(input(node, k));
}

void Converter::concat(const NodeProto& node, Op& op) {
  op.kind = OpKind::concat;
  for (int k = 0; k < node.input_size(); ++k) op.inputs.push_back(input(node, k));
  op.axes = axes_of(node, shape(op.inputs[0]).size(), {int_attribute(node, "axis", 1)});
  if (op.inputs.size() == 1) alias(node);
}

void Converter::split(const NodeProto& node, Op&) {
  handled_ = true;
  const TensorIndex from = input(node, 0);
  const std::size_t axis =
      axes_of(node, shape(from).size(), {int_attribute(node, "axis", 0)}).front();
  Dim begin = 0;
  for (int k = 0; k < node.output_size(); ++k) {
    if (node.output(k).empty()) fail(node, "leaves out an output");
    const TensorIndex piece = tensor(node, node.output(k));
    Op op;
    op.name = node.name() + "." + std::to_string(k);
    op.kind = OpKind::slice;
    op.inputs = {from};
    op.outputs = {piece};
    op.axes = {axis};
    op.begins = {begin};
    op.steps = {1};
    if (shape(piece).size() <= axis) fail(node, "produces a slice with too few axes");
    op.extents = {shape(piece)[axis]};
    begin += op.extents[0];
    net_.ops.push_back(std::move(op));
  }
}

void Converter::slice(const NodeProto& node, Op& op) {
  op.kind = OpKind::slice;
  op.inputs = {input(node, 0)};
  const std::vector<Dim>& in = shape(op.inputs[0]);
  const auto starts = list(node, 1, "starts");
  auto axes = list(node, 3, "axes");
  auto steps = list(node, 4, "steps");
  if (!starts || !axes || !steps) return unknown(node, op, "with computed bounds is not supported");
  if (axes->empty())
    for (std::size_t k = 0; k < starts->size(); ++k) axes->push_back(static_cast<Dim>(k));
  if (steps->empty()) steps->assign(starts->size(), 1);
  // If the ends are computed, only the file says what is made.
  if (made(node).size() != in.size()) fail(node, "produces a tensor with another number of axes");
  op.axes = axes_of(node, in.size(), *axes);
  if (op.axes.size() != starts->size() || steps->size() != starts->size())
    fail(node, "has different numbers of starts, axes and steps");
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const Dim extent = in[op.axes[k]];
    Dim begin = (*starts)[k];
    if (begin < 0) begin = std::max<Dim>(begin, -extent) + extent;
    if ((*steps)[k] < 1) return unknown(node, op, "backwards is not supported");
    op.begins.push_back(std::min(begin, extent - 1));
    op.steps.push_back((*steps)[k]);
    op.extents.push_back(made(node)[op.axes[k]]);
  }
  if (made(node) == in) alias(node);
}

/// A single constant index is a slice with its axis removed; other indices are a table look-up.
void Converter::gather(const NodeProto& node, Op& op) {
  const Constant* index = constant(node, 1);
  const TensorIndex from = input(node, 0);
  const std::vector<Dim>& in = shape(from);
  const std::size_t axis = axes_of(node, in.size(), {int_attribute(node, "axis", 0)}).front();
  const bool slices = net_.tensors[from].kind == TensorKind::activation && index != nullptr &&
                      index->integer && index->size() == 1;
  if (!slices) return unknown(node, op, "");
  op.kind = OpKind::slice;
  op.inputs = {from};
  op.axes = {axis};
  op.begins = {index->integers[0] < 0 ? index->integers[0] + in[axis] : index->integers[0]};
  op.steps = {1};
  op.extents = {1};
  std::vector<Dim> one = in;
  one[axis] = 1;
  const TensorIndex piece = add({.name = node.name() + ".slice",
                                 .shape = one,
                                 .type = net_.tensors[from].type,
                                 .kind = TensorKind::activation,
                                 .view_of = std::nullopt});
  op.outputs = {piece};
  by_name_[node.output(0)] = view(piece, made(node), node.output(0));
  net_.ops.push_back(op);
  handled_ = true;
}

void Converter::pad(const NodeProto& node, Op& op) {
  op.kind = OpKind::pad;
  op.inputs = {input(node, 0)};
  op.function = text_attribute(node, "mode", "constant");
  const std::size_t rank = shape(op.inputs[0]).size();
  const auto pads = list(node, 1, model_.opset < 2 ? "paddings" : "pads");
  const auto given = list(node, 3, "axes");
  if (!pads || !given ||
      (op.function != "constant" && op.function != "edge" && op.function != "reflect"))
    return unknown(node, op, "with computed or wrapping amounts is not supported");
  std::vector<std::size_t> axes = axes_of(node, rank, *given);
  if (given->empty())
    for (std::size_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  if (pads->size() != 2 * axes.size()) fail(node, "has the wrong number of pads");
  op.pad_begin.assign(rank, 0);
  op.pad_end.assign(rank, 0);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    op.pad_begin[axes[k]] = (*pads)[k];
    op.pad_end[axes[k]] = (*pads)[k + axes.size()];
  }
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (op.function == "reflect" &&
        std::max(op.pad_begin[axis], op.pad_end[axis]) >= shape(op.inputs[0])[axis])
      return unknown(node, op, "by reflection beyond the tensor is not supported");
  if (made(node) == shape(op.inputs[0])) alias(node);
}

void Converter::resize(const NodeProto& node, Op& op) {
  op.kind = OpKind::resize;
  op.inputs = {input(node, 0)};
  op.extents = made(node);
  const std::vector<Dim>& in = shape(op.inputs[0]);
  const std::string mode = text_attribute(node, "mode", "nearest");
  const bool upsample = node.op_type() == "Upsample";
  const std::string coordinates =
      text_attribute(node, "coordinate_transformation_mode",
                     upsample || model_.opset < 11 ? "asymmetric" : "half_pixel");
  const std::string rounding =
      text_attribute(node, "nearest_mode", upsample ? "floor" : "round_prefer_floor");
  op.resize.linear = mode == "linear";
  static const std::array<const char*, 4> frames{"half_pixel", "pytorch_half_pixel", "asymmetric",
                                                 "align_corners"};
  static const std::array<const char*, 4> rules{"round_prefer_floor", "round_prefer_ceil", "floor",
                                                "ceil"};
  const auto frame = std::ranges::find(frames, coordinates);
  const auto rule = std::ranges::find(rules, rounding);
  if (frame == frames.end() || rule == rules.end() || (mode != "linear" && mode != "nearest"))
    return unknown(node, op, "by " + mode + " with " + coordinates + " is not supported");
  op.resize.coordinates =
      static_cast<ResizeRule::Coordinates>(std::distance(frames.begin(), frame));
  op.resize.nearest = static_cast<ResizeRule::Nearest>(std::distance(rules.begin(), rule));
  if (op.extents.size() != in.size()) fail(node, "produces a tensor with another number of axes");
  if (int_attribute(node, "antialias", 0) != 0 || int_attribute(node, "exclude_outside", 0) != 0)
    return unknown(node, op, "with antialiasing or without what is outside is not supported");
  // Regions are exact only where the scale is the ratio of the extents.
  std::vector<std::size_t> axes = axes_of(node, in.size(), ints_attribute(node, "axes"));
  if (axes.empty())
    for (std::size_t axis = 0; axis < in.size(); ++axis) axes.push_back(axis);
  const Constant* scales = constant(node, upsample || model_.opset < 11 ? 1 : 2);
  if (scales != nullptr && !scales->integer && scales->size() == axes.size())
    for (std::size_t k = 0; k < axes.size(); ++k)
      if (std::abs(scales->reals[k] * static_cast<double>(in[axes[k]]) -
                   static_cast<double>(op.extents[axes[k]])) > 1e-3)
        return unknown(node, op, "by scales that leave a fraction is not supported");
  if (op.extents == in) alias(node);
}

void Converter::reshape(const NodeProto& node, Op& op) {
  const TensorIndex from = input(node, 0);
  if (element_count(shape(from)) != element_count(made(node)) ||
      (node.output_size() > 1 && !node.output(1).empty() && node.op_type() != "Dropout"))
    return unknown(node, op, "");
  by_name_[node.output(0)] = view(from, made(node), node.output(0));
  handled_ = true;
}

void Converter::transpose(const NodeProto& node, Op& op) {
  op.kind = OpKind::transpose;
  op.inputs = {input(node, 0)};
  const std::vector<Dim>& in = shape(op.inputs[0]);
  std::vector<std::int64_t> order = ints_attribute(node, "perm");
  if (order.empty())
    for (std::size_t axis = in.size(); axis-- > 0;) order.push_back(static_cast<Dim>(axis));
  op.permutation = axes_of(node, in.size(), order);
  // Moving axes of extent 1 moves no element.
  std::vector<std::size_t> moved;
  for (const std::size_t axis : op.permutation)
    if (in[axis] > 1) moved.push_back(axis);
  if (!std::ranges::is_sorted(moved)) return;
  by_name_[node.output(0)] = view(op.inputs[0], made(node), node.output(0));
  handled_ = true;
}

void Converter::blocks(const NodeProto& node, Op& op) {
  op.kind = node.op_type() == "DepthToSpace" ? OpKind::depth_to_space : OpKind::space_to_depth;
  op.inputs = {input(node, 0)};
  op.block = int_attribute(node, "blocksize", 1);
  op.depth_first = text_attribute(node, "mode", "DCR") == "DCR";
}

}  // namespace tessera::io::onnx_reader
