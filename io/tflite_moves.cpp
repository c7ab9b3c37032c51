// Conversion of TensorFlow Lite operators that only move elements.
#include <algorithm>

#include "io/tflite_convert.h"
#include "tessera/network_shapes.h"

namespace tessera::io::tflite_reader {

void TfliteConverter::concat(const TfliteOperator& from, Op& op) {
  op.kind = OpKind::concat;
  const std::size_t rank = made(from).size();
  for (const TfliteIndex t : from.inputs)
    if (t >= 0) op.inputs.push_back(rescaled(tensor(t), from.outputs[0]));
  op.axes = {turned_axis(rank, axis_in(from, rank, option(from, 0)))};
  const std::string function = activation(from, 1);
  if (op.inputs.size() == 1 && function.empty()) return alias(from);
  finish(from, op, function);
}

void TfliteConverter::pack(const TfliteOperator& from, Op& op) {
  op.kind = OpKind::concat;
  const std::size_t rank = made(from).size();
  const std::size_t axis = axis_in(from, rank, option(from, 1));
  for (const TfliteIndex t : from.inputs) {
    if (t < 0) continue;
    Shape one = file_shape(t);
    if (one.size() + 1 != rank) fail(from, "packs tensors with another number of axes");
    one.insert(one.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    Axes axes;
    for (std::size_t k = 0; k + 1 < rank; ++k) axes.push_back(turned_axis(rank, k + (k >= axis)));
    const TensorIndex part =
        is_constant(t) ? weight(t, turned(one), axes)
                       : reshaped(tensor(t), file_shape(t), one, in_file(t).name + ".wide");
    op.inputs.push_back(rescaled(part, from.outputs[0]));
  }
  op.axes = {turned_axis(rank, axis)};
  if (op.inputs.size() == 1) return copy(from, op.inputs[0], made(from));
  finish(from, op);
}

/// One output, a slice of an input (begins and extents in file order), with its axes in the file.
void TfliteConverter::piece(const TfliteOperator& from, std::size_t output, std::size_t from_input,
                            const Shape& begins, const Shape& steps, const Shape& extents) {
  const TfliteIndex out = from.outputs[output];
  const Shape& in = file_shape(from.inputs[from_input]);
  const std::size_t rank = in.size();
  TfliteOperator single = from;
  single.outputs = {out};
  if (extents == in) return copy(single, input(from, from_input), in);
  Op op;
  op.name = name_;
  if (output > 0) {
    op.name += "." + std::to_string(output);
    while (!op_names_.insert(op.name).second) op.name += '\'';
  }
  op.kind = OpKind::slice;
  op.inputs = {input(from, from_input)};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (extents[axis] == in[axis]) continue;
    op.axes.push_back(turned_axis(rank, axis));
    op.begins.push_back(begins[axis]);
    op.steps.push_back(steps[axis]);
    op.extents.push_back(extents[axis]);
  }
  if (file_shape(out) == extents) return finish(single, op);
  op.outputs = {add(out, unique(in_file(out).name + ".slice"), turned(extents))};
  const TensorIndex result = op.outputs[0];
  push(std::move(op));
  copy(single, result, extents);
}

void TfliteConverter::unpack(const TfliteOperator& from, Op&) {
  const Shape& in = file_shape(from.inputs[0]);
  const std::size_t axis = axis_in(from, in.size(), option(from, 1));
  if (static_cast<Dim>(from.outputs.size()) != in[axis])
    fail(from, "unpacks " + std::to_string(in[axis]) + " tensors into " +
                   std::to_string(from.outputs.size()));
  Shape begins(in.size(), 0);
  Shape extents = in;
  extents[axis] = 1;
  for (std::size_t k = 0; k < from.outputs.size(); ++k) {
    begins[axis] = static_cast<Dim>(k);
    piece(from, k, 0, begins, Shape(in.size(), 1), extents);
  }
}

/// SPLIT has its axis as the first input, SPLIT_V as the last.
void TfliteConverter::split(const TfliteOperator& from, Op& op) {
  const bool sizes = from.type == "SPLIT_V";
  const std::size_t source = sizes ? 0 : 1;
  const auto axes = list(from, sizes ? 2 : 0);
  if (!axes || axes->size() != 1)
    return unknown(from, op, "along a computed axis is not supported");
  const Shape& in = file_shape(from.inputs[source]);
  const std::size_t axis = axis_in(from, in.size(), axes->front());
  Shape begins(in.size(), 0);
  for (std::size_t k = 0; k < from.outputs.size(); ++k) {
    Shape extents = in;
    const Shape& out = file_shape(from.outputs[k]);
    if (out.size() != in.size()) fail(from, "produces a slice with another number of axes");
    extents[axis] = out[axis];
    piece(from, k, source, begins, Shape(in.size(), 1), extents);
    begins[axis] += extents[axis];
  }
}

void TfliteConverter::slice(const TfliteOperator& from, Op& op) {
  const Shape& in = file_shape(from.inputs[0]);
  const auto begins = list(from, 1);
  if (!begins) return unknown(from, op, "with computed bounds is not supported");
  // If the sizes are computed, the file says what is made.
  if (begins->size() != in.size() || made(from).size() != in.size())
    fail(from, "has bounds for " + std::to_string(begins->size()) + " axes of a tensor with " +
                   std::to_string(in.size()));
  piece(from, 0, 0, *begins, Shape(in.size(), 1), made(from));
}

void TfliteConverter::strided_slice(const TfliteOperator& from, Op& op) {
  const Shape& in = file_shape(from.inputs[0]);
  auto begins = list(from, 1);
  auto ends = list(from, 2);
  auto steps = list(from, 3);
  if (!begins || !ends || !steps) return unknown(from, op, "with computed bounds is not supported");
  // Fields: masks of begins, ends, ellipses, new axes and axes that go.
  if (option(from, 2) != 0 || option(from, 3) != 0 || small_option(from, 5) != 0)
    return unknown(from, op, "with an ellipsis or a new axis is not supported");
  const std::size_t count = begins->size();
  if (ends->size() != count || steps->size() != count || count > in.size())
    fail(from, "has different numbers of begins, ends and strides");
  begins->resize(in.size(), 0);
  steps->resize(in.size(), 1);
  Shape extents = in;
  for (std::size_t axis = 0; axis < count; ++axis) {
    const auto masked = [&](unsigned field) {
      return axis < 32 && (static_cast<std::uint32_t>(option(from, field)) >> axis & 1U) != 0;
    };
    const Dim extent = in[axis];
    const auto inside = [&](Dim at) {
      return std::clamp<Dim>(at < 0 ? at + extent : at, 0, extent);
    };
    if ((*steps)[axis] < 1 || (*steps)[axis] > max_extent)
      return unknown(from, op, "backwards is not supported");
    const Dim begin = masked(0) ? 0 : inside((*begins)[axis]);
    Dim end = masked(1) ? extent : inside((*ends)[axis]);
    if (masked(4)) end = begin + 1;
    (*begins)[axis] = begin;
    extents[axis] = (end - begin + (*steps)[axis] - 1) / (*steps)[axis];
  }
  piece(from, 0, 0, *begins, *steps, extents);
}

void TfliteConverter::pad(const TfliteOperator& from, Op& op) {
  const Shape& in = file_shape(from.inputs[0]);
  const auto pads = list(from, 1);
  const bool mirrored = from.type == "MIRROR_PAD";
  if (!pads) return unknown(from, op, "with computed amounts is not supported");
  if (mirrored && small_option(from, 0) != 0)
    return unknown(from, op, "that repeats the border is not supported");
  if (pads->size() != 2 * in.size())
    fail(from, "has " + std::to_string(pads->size()) + " amounts for " + std::to_string(in.size()) +
                   " axes");
  op.kind = OpKind::pad;
  op.function = mirrored ? "reflect" : "constant";
  op.inputs = {input(from, 0)};
  op.pad_begin.assign(in.size(), 0);
  op.pad_end.assign(in.size(), 0);
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    const Dim begin = (*pads)[2 * axis];
    const Dim end = (*pads)[2 * axis + 1];
    if (std::min(begin, end) < 0 || std::max(begin, end) > max_extent)
      fail(from, "pads by " + std::to_string(begin) + " and " + std::to_string(end));
    op.pad_begin[turned_axis(in.size(), axis)] = begin;
    op.pad_end[turned_axis(in.size(), axis)] = end;
    if (mirrored && std::max(begin, end) >= in[axis])
      return unknown(from, op, "by reflection beyond the tensor is not supported");
  }
  if (made(from) == in) return alias(from);
  // Zeros around an image are the padding of a convolution.
  const bool around = from.type == "PAD" && in.size() == 4 && op.pad_begin[0] == 0 &&
                      op.pad_end[0] == 0 && op.pad_begin[1] == 0 && op.pad_end[1] == 0;
  const TfliteIndex out = from.outputs[0];
  if (!around || !only_convolved_[static_cast<std::size_t>(out)]) return finish(from, op);
  const Shape made_shape{in[0], in[1] + op.pad_begin[2] + op.pad_end[2],
                         in[2] + op.pad_begin[3] + op.pad_end[3], in[3]};
  if (made(from) != made_shape)
    fail(from, "produces a tensor of another shape than its output declares");
  padded_[out] = {.image = from.inputs[0],
                  .begin = {op.pad_begin[2], op.pad_begin[3]},
                  .end = {op.pad_end[2], op.pad_end[3]}};
}

/// Nearest rounds half up if centres are aligned, and truncates otherwise (reference_ops in
/// TensorFlow Lite).
void TfliteConverter::resize(const TfliteOperator& from, Op& op) {
  op.kind = OpKind::resize;
  const bool linear = from.type == "RESIZE_BILINEAR";
  const unsigned corners = linear ? 2 : 0;
  static_cast<void>(image(from, 0));
  op.inputs = {input(from, 0)};
  op.extents = turned(made(from));
  op.resize.linear = linear;
  op.resize.nearest = ResizeRule::Nearest::floor;
  op.resize.coordinates = ResizeRule::Coordinates::asymmetric;
  if (small_option(from, corners) != 0) {
    op.resize.coordinates = ResizeRule::Coordinates::align_corners;
    op.resize.nearest = ResizeRule::Nearest::round_prefer_ceil;
  } else if (small_option(from, corners + 1) != 0) {
    op.resize.coordinates = ResizeRule::Coordinates::half_pixel;
    op.resize.nearest = ResizeRule::Nearest::round_prefer_ceil;
  }
  if (made(from) == file_shape(from.inputs[0])) return alias(from);
  finish(from, op);
}

void TfliteConverter::reshape(const TfliteOperator& from, Op&) {
  const TfliteIndex x = from.inputs[0];
  const TfliteIndex out = from.outputs[0];
  const Shape& in = file_shape(x);
  if (element_count(in) != element_count(made(from))) fail(from, "changes the number of elements");
  if (is_constant(x)) {
    constant_[static_cast<std::size_t>(out)] = true;
    return;
  }
  const bool image_a_row = in.size() == 4 && made(from).size() == 2 && in[0] == made(from)[0] &&
                           only_rows_[static_cast<std::size_t>(out)];
  if (image_a_row) return set(out, view(tensor(x), made(from), in_file(out).name, Own::yes));
  copy(from, tensor(x), in);
}

void TfliteConverter::transpose(const TfliteOperator& from, Op& op) {
  const Shape& in = file_shape(from.inputs[0]);
  const auto order = list(from, 1);
  if (!order) return unknown(from, op, "by a computed order is not supported");
  const std::size_t rank = in.size();
  if (order->size() != rank || made(from).size() != rank)
    fail(from, "permutes " + std::to_string(order->size()) + " axes of a tensor with " +
                   std::to_string(rank));
  std::vector<std::size_t> moved;
  std::vector<bool> used(rank);
  op.permutation.assign(rank, 0);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::size_t source = axis_in(from, rank, (*order)[axis]);
    if (used[source]) fail(from, "has an invalid permutation");
    used[source] = true;
    op.permutation[turned_axis(rank, axis)] = turned_axis(rank, source);
    if (in[source] > 1) moved.push_back(source);
  }
  // Moving axes of extent 1 moves no element.
  if (std::ranges::is_sorted(moved)) return copy(from, input(from, 0), in);
  op.kind = OpKind::transpose;
  op.inputs = {input(from, 0)};
  finish(from, op);
}

void TfliteConverter::blocks(const TfliteOperator& from, Op& op) {
  static_cast<void>(image(from, 0));
  op.kind = from.type == "DEPTH_TO_SPACE" ? OpKind::depth_to_space : OpKind::space_to_depth;
  op.inputs = {input(from, 0)};
  op.block = option(from, 0);
  finish(from, op);
}

}  // namespace tessera::io::tflite_reader
