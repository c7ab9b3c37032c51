// Conversion of each TensorFlow Lite operator to an op. Options are tables of the schema named in
// tflite_model.h, by the numbers of their fields.
#include <algorithm>
#include <array>

#include "io/tflite_convert.h"
#include "tessera/network_shapes.h"

namespace tessera::io::tflite_reader {
namespace {

struct Pointwise {
  const char* type;
  const char* function;
};
/// Elementwise operators with one or more inputs.
constexpr std::array pointwise{Pointwise{"ADD", "add"},
                               Pointwise{"ADD_N", "add"},
                               Pointwise{"SUB", "sub"},
                               Pointwise{"MUL", "mul"},
                               Pointwise{"DIV", "div"},
                               Pointwise{"FLOOR_DIV", "div"},
                               Pointwise{"FLOOR_MOD", "mod"},
                               Pointwise{"MAXIMUM", "max"},
                               Pointwise{"MINIMUM", "min"},
                               Pointwise{"POW", "pow"},
                               Pointwise{"SQUARED_DIFFERENCE", "squared_difference"},
                               Pointwise{"PRELU", "prelu"},
                               Pointwise{"EQUAL", "equal"},
                               Pointwise{"NOT_EQUAL", "equal"},
                               Pointwise{"GREATER", "greater"},
                               Pointwise{"GREATER_EQUAL", "greater"},
                               Pointwise{"LESS", "less"},
                               Pointwise{"LESS_EQUAL", "less"},
                               Pointwise{"LOGICAL_AND", "and"},
                               Pointwise{"LOGICAL_OR", "or"},
                               Pointwise{"SELECT_V2", "where"},
                               Pointwise{"ABS", "abs"},
                               Pointwise{"CAST", "cast"},
                               Pointwise{"CEIL", "ceil"},
                               Pointwise{"COS", "cos"},
                               Pointwise{"DEQUANTIZE", "dequantize"},
                               Pointwise{"ELU", "elu"},
                               Pointwise{"EXP", "exp"},
                               Pointwise{"FLOOR", "floor"},
                               Pointwise{"GELU", "gelu"},
                               Pointwise{"HARD_SWISH", "hard_swish"},
                               Pointwise{"LEAKY_RELU", "leaky_relu"},
                               Pointwise{"LOG", "log"},
                               Pointwise{"LOGICAL_NOT", "not"},
                               Pointwise{"LOGISTIC", "sigmoid"},
                               Pointwise{"NEG", "neg"},
                               Pointwise{"QUANTIZE", "quantize"},
                               Pointwise{"RELU", "relu"},
                               Pointwise{"RELU6", "relu6"},
                               Pointwise{"RELU_0_TO_1", "clip"},
                               Pointwise{"RELU_N1_TO_1", "clip"},
                               Pointwise{"ROUND", "round"},
                               Pointwise{"RSQRT", "rsqrt"},
                               Pointwise{"SIGN", "sign"},
                               Pointwise{"SIN", "sin"},
                               Pointwise{"SQRT", "sqrt"},
                               Pointwise{"SQUARE", "square"},
                               Pointwise{"TANH", "tanh"}};

const Pointwise* pointwise_of(const std::string& type) {
  for (const Pointwise& each : pointwise)
    if (type == each.type) return &each;
  return nullptr;
}

}  // namespace

const TfliteConverter::Entry* TfliteConverter::entry_of(const std::string& type) {
  using C = TfliteConverter;
  static const Entry entries[] = {
      {"CONV_2D", &C::convolution, 2},
      {"DEPTHWISE_CONV_2D", &C::depthwise, 2},
      {"TRANSPOSE_CONV", &C::transpose_convolution, 3},
      {"AVERAGE_POOL_2D", &C::pool, 1},
      {"MAX_POOL_2D", &C::pool, 1},
      {"L2_POOL_2D", &C::pool, 1},
      {"FULLY_CONNECTED", &C::fully_connected, 2},
      {"BATCH_MATMUL", &C::batch_matmul, 2},
      {"SOFTMAX", &C::last_axis, 1},
      {"LOG_SOFTMAX", &C::last_axis, 1},
      {"L2_NORMALIZATION", &C::last_axis, 1},
      {"LOCAL_RESPONSE_NORMALIZATION", &C::last_axis, 1},
      {"MEAN", &C::reduce, 2},
      {"SUM", &C::reduce, 2},
      {"REDUCE_MAX", &C::reduce, 2},
      {"REDUCE_MIN", &C::reduce, 2},
      {"REDUCE_PROD", &C::reduce, 2},
      {"ARG_MAX", &C::reduce, 2},
      {"ARG_MIN", &C::reduce, 2},
      {"CONCATENATION", &C::concat, 1},
      {"PACK", &C::pack, 1},
      {"UNPACK", &C::unpack, 1},
      {"SPLIT", &C::split, 2},
      {"SPLIT_V", &C::split, 3},
      {"SLICE", &C::slice, 3},
      {"STRIDED_SLICE", &C::strided_slice, 4},
      {"PAD", &C::pad, 2},
      {"PADV2", &C::pad, 2},
      {"MIRROR_PAD", &C::pad, 2},
      {"RESIZE_BILINEAR", &C::resize, 1},
      {"RESIZE_NEAREST_NEIGHBOR", &C::resize, 1},
      {"RESHAPE", &C::reshape, 1},
      {"SQUEEZE", &C::reshape, 1},
      {"EXPAND_DIMS", &C::reshape, 1},
      {"TRANSPOSE", &C::transpose, 2},
      {"DEPTH_TO_SPACE", &C::blocks, 1},
      {"SPACE_TO_DEPTH", &C::blocks, 1},
  };
  for (const Entry& entry : entries)
    if (type == entry.type) return &entry;
  static const Entry any{"", &C::elementwise, 1};
  return pointwise_of(type) != nullptr ? &any : nullptr;
}

const Shape& TfliteConverter::image(const TfliteOperator& from, std::size_t position) const {
  const Shape& shape = file_shape(from.inputs[position]);
  if (shape.size() != 4 || made(from).size() != 4)
    fail(from, "needs tensors with 4 axes: rows, columns and channels of images");
  return shape;
}

/// Strides and dilations are stored as width, then height.
void TfliteConverter::windows(const TfliteOperator& from, Op& op, unsigned stride_w,
                              unsigned dilation_w) {
  op.stride = {option(from, stride_w + 1), option(from, stride_w)};
  op.dilation = {1, 1};
  if (dilation_w != 0) op.dilation = {option(from, dilation_w + 1, 1), option(from, dilation_w, 1)};
  for (std::size_t axis = 0; axis < 2; ++axis)
    for (const Dim each : {op.kernel[axis], op.stride[axis], op.dilation[axis]})
      if (each < 1 || each > max_extent)
        fail(from, "has a kernel, stride or dilation of " + std::to_string(each));
}

/// SAME: one window per stride that begins inside the input, with the odd pixel at the end; VALID:
/// no padding. Both are field 0 of the options.
void TfliteConverter::same_padding(const TfliteOperator& from, Op& op, const Shape& in,
                                   const Shape& out) {
  op.pad_begin = {0, 0};
  op.pad_end = {0, 0};
  const int rule = small_option(from, 0);
  if (rule != 0 && rule != 1)
    fail(from, "pads by rule " + std::to_string(rule) + ", which is not supported");
  for (std::size_t axis = 0; rule == 0 && axis < 2; ++axis) {
    const Dim extent = in[axis + 1];
    const Dim made_here = out[axis + 1];
    if (made_here != (extent + op.stride[axis] - 1) / op.stride[axis])
      fail(from, "pads so that " + std::to_string(extent) + " pixels in strides of " +
                     std::to_string(op.stride[axis]) + " make " + std::to_string(made_here));
    const Dim span = op.dilation[axis] * (op.kernel[axis] - 1) + 1;
    const Dim total =
        std::clamp<Dim>((made_here - 1) * op.stride[axis] + span - extent, 0, max_extent);
    op.pad_begin[axis] = total / 2;
    op.pad_end[axis] = total - total / 2;
  }
}

TensorIndex TfliteConverter::padded_image(const TfliteOperator& from, Op& op) {
  const auto padded = padded_.find(from.inputs[0]);
  if (padded == padded_.end()) return input(from, 0);
  op.pad_begin = padded->second.begin;
  op.pad_end = padded->second.end;
  return tensor(padded->second.image);
}

void TfliteConverter::convolution(const TfliteOperator& from, Op& op) {
  const Shape& x = image(from, 0);
  const TfliteIndex weights = from.inputs[1];
  const Shape w = file_shape(weights);
  if (!is_constant(weights)) return unknown(from, op, "with computed weights is not supported");
  if (w.size() != 4) fail(from, "has weights with " + std::to_string(w.size()) + " axes, not 4");
  op.kind = OpKind::conv;
  op.kernel = {w[1], w[2]};
  windows(from, op, 1, 4);
  same_padding(from, op, x, made(from));
  op.inputs = {padded_image(from, op), weight(weights, turned(w), turned_axes(4))};
  if (has(from, 2)) op.inputs.push_back(input(from, 2));
  if (w[3] > 0 && x[3] % w[3] == 0) op.groups = std::max<Dim>(1, x[3] / w[3]);
  finish(from, op, activation(from, 3));
}

/// Filters are 1, H, W, C times the multiplier: a group for each channel.
void TfliteConverter::depthwise(const TfliteOperator& from, Op& op) {
  const Shape& x = image(from, 0);
  const TfliteIndex weights = from.inputs[1];
  const Shape w = file_shape(weights);
  if (!is_constant(weights)) return unknown(from, op, "with computed weights is not supported");
  if (w.size() != 4 || w[0] != 1) fail(from, "has weights that are not 1, H, W, C");
  op.kind = OpKind::conv;
  op.kernel = {w[1], w[2]};
  windows(from, op, 1, 5);
  same_padding(from, op, x, made(from));
  op.inputs = {padded_image(from, op), weight(weights, {w[3], 1, w[1], w[2]}, {1, 2, 3, 0})};
  if (has(from, 2)) op.inputs.push_back(input(from, 2));
  op.groups = x[3];
  finish(from, op, activation(from, 4));
}

/// Inputs are the shape of the output, the weights (O, H, W, I), x and an optional bias.
void TfliteConverter::transpose_convolution(const TfliteOperator& from, Op& op) {
  const Shape& x = image(from, 2);
  const TfliteIndex weights = from.inputs[1];
  const Shape w = file_shape(weights);
  if (!is_constant(weights)) return unknown(from, op, "with computed weights is not supported");
  if (w.size() != 4) fail(from, "has weights with " + std::to_string(w.size()) + " axes, not 4");
  op.kind = OpKind::conv_transpose;
  op.inputs = {input(from, 2), weight(weights, {w[3], w[0], w[1], w[2]}, {1, 2, 3, 0})};
  if (has(from, 3)) op.inputs.push_back(input(from, 3));
  op.kernel = {w[1], w[2]};
  windows(from, op, 1, 0);
  op.pad_begin = op.pad_end = op.output_padding = {0, 0};
  const bool same = small_option(from, 0) == 0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const Dim reached = made(from)[axis + 1] - (same ? 1 : op.kernel[axis]);
    if (reached < 0 || reached / op.stride[axis] + 1 != x[axis + 1])
      fail(from, "makes " + std::to_string(made(from)[axis + 1]) + " pixels of " +
                     std::to_string(x[axis + 1]) + " in strides of " +
                     std::to_string(op.stride[axis]));
    // Windows beyond the declared output are cropped, uncovered outputs are padded.
    const Dim total = std::clamp<Dim>(
        (x[axis + 1] - 1) * op.stride[axis] + op.kernel[axis] - made(from)[axis + 1], -max_extent,
        max_extent);
    op.pad_begin[axis] = std::max<Dim>(total, 0) / 2;
    op.pad_end[axis] = std::max<Dim>(total, 0) - op.pad_begin[axis];
    op.output_padding[axis] = std::max<Dim>(-total, 0);
  }
  finish(from, op, activation(from, 3));
}

void TfliteConverter::pool(const TfliteOperator& from, Op& op) {
  const Shape& x = image(from, 0);
  op.kind = from.type == "MAX_POOL_2D" ? OpKind::max_pool : OpKind::average_pool;
  op.inputs = {input(from, 0)};
  op.kernel = {option(from, 4), option(from, 3)};
  windows(from, op, 1, 0);
  same_padding(from, op, x, made(from));
  finish(from, op, activation(from, 5));
}

/// Weights are O, I. The number of input rows follows from the number of elements. If a row is a
/// whole image, its weights are reordered to the image's order, so that no data has to move.
void TfliteConverter::fully_connected(const TfliteOperator& from, Op& op) {
  const TfliteIndex x = from.inputs[0];
  const TfliteIndex weights = from.inputs[1];
  const Shape& in = file_shape(x);
  const Shape w = file_shape(weights);
  if (w.size() != 2) fail(from, "has weights with " + std::to_string(w.size()) + " axes, not 2");
  const std::optional<std::int64_t> count = element_count(in);
  if (!count || w[1] < 1 || *count % w[1] != 0)
    fail(from, "multiplies rows of " + std::to_string(w[1]) + " with a tensor they do not divide");
  const Shape rows{*count / w[1], w[1]};
  const std::string name = in_file(x).name + ".rows";
  const bool image_a_row = in.size() == 4 && in[0] == rows[0];
  op.kind = OpKind::matmul;
  op.transpose_b = true;
  const TensorIndex given = image_a_row ? tensor(x) : plain(tensor(x), in);
  op.inputs = {view(given, rows, name), input(from, 1)};
  if (has(from, 2)) op.inputs.push_back(input(from, 2));
  const std::string function = activation(from, 0);
  const Shape out{rows[0], w[0]};
  if (made(from) == out) return finish(from, op, function);
  op.outputs = {add(from.outputs[0], unique(in_file(from.outputs[0]).name + ".rows"), out)};
  if (!function.empty()) op.fused.push_back({.function = function, .operands = {}});
  const TensorIndex result = op.outputs[0];
  push(std::move(op));
  copy(from, result, out);
}

void TfliteConverter::batch_matmul(const TfliteOperator& from, Op& op) {
  op.kind = OpKind::matmul;
  for (std::size_t k = 0; k < 2; ++k) {
    const Shape& shape = file_shape(from.inputs[k]);
    if (shape.size() < 2) return unknown(from, op, "of a vector is not supported");
    // Products are of the last two axes, in the order of the file.
    op.inputs.push_back(is_constant(from.inputs[k])
                            ? weight(from.inputs[k], shape, {0, 1, 2, 3, 4, 5, 6, 7})
                            : plain(input(from, k), shape));
  }
  op.transpose_a = small_option(from, 0) != 0;
  op.transpose_b = small_option(from, 1) != 0;
  if (same_order(made(from)) && turned(made(from)) == made(from)) return finish(from, op);
  const TfliteIndex out = from.outputs[0];
  op.outputs = {add(out, unique(in_file(out).name + ".nhwc"), made(from))};
  const TensorIndex result = op.outputs[0];
  push(std::move(op));
  set(out, from_plain(result, made(from), in_file(out).name, Own::yes));
}

void TfliteConverter::elementwise(const TfliteOperator& from, Op& op) {
  const Pointwise& what = *pointwise_of(from.type);
  op.kind = OpKind::elementwise;
  op.function = what.function;
  if (is_constant(from.inputs[0]) && from.type == "DEQUANTIZE") {
    constant_[static_cast<std::size_t>(from.outputs[0])] = true;  // weights of another type
    return;
  }
  const std::size_t rank = made(from).size();
  const auto operand = [&](TfliteIndex t) {
    Shape shape = file_shape(t);
    if (shape.size() >= rank || (rank != 4 && shape.size() != 4)) return tensor(t);
    // Broadcast from the right, in file order.
    const std::size_t more = rank - shape.size();
    shape.insert(shape.begin(), more, 1);
    if (is_constant(t)) return weight(t, turned(shape), turned_axes(rank - more, more));
    return reshaped(tensor(t), file_shape(t), shape, in_file(t).name + ".wide");
  };
  const auto take = [&](bool with_numbers) {
    op.inputs.clear();
    for (const TfliteIndex t : from.inputs) {
      if (t < 0) continue;
      const bool number = is_constant(t) && element_count(file_shape(t)) == 1;
      // a number: part of the function
      if (with_numbers || !number) op.inputs.push_back(operand(t));
    }
  };
  take(false);
  std::vector<Shape> shapes;
  for (const TensorIndex t : op.inputs) shapes.push_back(net_.tensors[t].shape);
  if (op.inputs.empty() || broadcast_shape(shapes) != turned(made(from))) take(true);
  const bool fuses =
      from.type == "ADD" || from.type == "SUB" || from.type == "MUL" || from.type == "DIV";
  finish(from, op, fuses ? activation(from, 0) : std::string());
}

void TfliteConverter::last_axis(const TfliteOperator& from, Op& op) {
  const bool softmax = from.type.ends_with("SOFTMAX");
  op.kind = softmax ? OpKind::softmax : OpKind::normalize;
  op.inputs = {input(from, 0)};
  const std::size_t rank = file_shape(from.inputs[0]).size();
  if (rank == 0) fail(from, "normalises a scalar");
  op.axes = {turned_axis(rank, rank - 1)};
  finish(from, op, from.type == "L2_NORMALIZATION" ? activation(from, 0) : std::string());
}

void TfliteConverter::reduce(const TfliteOperator& from, Op& op) {
  static constexpr std::array<std::pair<const char*, const char*>, 7> functions{
      {{"MEAN", "mean"},
       {"SUM", "sum"},
       {"REDUCE_MAX", "max"},
       {"REDUCE_MIN", "min"},
       {"REDUCE_PROD", "prod"},
       {"ARG_MAX", "argmax"},
       {"ARG_MIN", "argmin"}}};
  const auto axes = list(from, 1);
  if (!axes) return unknown(from, op, "over axes that are computed is not supported");
  op.kind = OpKind::reduce;
  for (const auto& [type, function] : functions)
    if (from.type == type) op.function = function;
  op.inputs = {input(from, 0)};
  Shape kept = file_shape(from.inputs[0]);
  const std::size_t rank = kept.size();
  for (const Dim each : *axes) {
    const std::size_t axis = axis_in(from, rank, each);
    kept[axis] = 1;
    op.axes.push_back(turned_axis(rank, axis));
  }
  std::ranges::sort(op.axes);
  op.axes.erase(std::unique(op.axes.begin(), op.axes.end()), op.axes.end());
  if (op.axes.empty()) return alias(from);
  if (made(from) == kept) return finish(from, op);
  // Removing axes may change the order of the rest, so they are removed afterwards.
  const TfliteIndex out = from.outputs[0];
  op.outputs = {add(out, unique(in_file(out).name + ".kept"), turned(kept))};
  const TensorIndex result = op.outputs[0];
  push(std::move(op));
  copy(from, result, kept);
}

}  // namespace tessera::io::tflite_reader
