#include "tiling/op_region.h"

#include <algorithm>

#include "tiling/windows.h"

namespace tessera::tiling {
namespace {

/// The part of an operand that broadcasts onto `made` under numpy's rules.
Box broadcast_region(const std::vector<Dim>& shape, const Box& made) {
  Box region = whole(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1) region[axis] = made[made.rank - shape.size() + axis];
  return region;
}

/// Input channels of the groups that contain output channels `made`.
Span group_channels(const Span& made, Dim in_channels, Dim out_channels, Dim groups) {
  const Dim in = in_channels / groups;
  const Dim out = out_channels / groups;
  return {made.begin / out * in, ((made.end - 1) / out + 1) * in};
}

Box conv_region(const Op& op, std::size_t operand, const std::vector<Dim>& in,
                const std::vector<Dim>& out, const Box& made, const std::vector<Dim>& x) {
  Box region = whole(in);
  if (operand == 1) region[0] = made[1];  // filters
  if (operand == 2) region[0] = made[1];  // bias
  if (operand != 0) return region;
  region[0] = made[0];
  region[1] = group_channels(made[1], x[1], out[1], op.groups);
  for (std::size_t axis = 2; axis < x.size(); ++axis)
    region[axis] = window_input(window_on(op, axis - 2), made[axis], x[axis]);
  return tidy(region);
}

Box conv_transpose_region(const Op& op, std::size_t operand, const std::vector<Dim>& in,
                          const std::vector<Dim>& out, const Box& made, const std::vector<Dim>& x) {
  Box region = whole(in);
  const Span channels = group_channels(made[1], x[1], out[1], op.groups);
  if (operand == 1) {  // [input channels, output channels of one group, kernel...]
    region[0] = channels;
    const Dim per_group = out[1] / op.groups;
    const Dim first = made[1].begin / per_group;
    if (first == (made[1].end - 1) / per_group)
      region[1] = {made[1].begin - first * per_group, made[1].end - first * per_group};
  } else if (operand == 2) {
    region[0] = made[1];
  } else {
    region[0] = made[0];
    region[1] = channels;
    for (std::size_t axis = 2; axis < x.size(); ++axis)
      region[axis] = transposed_window_input(window_on(op, axis - 2), made[axis], x[axis]);
  }
  return tidy(region);
}

Box pool_region(const Op& op, const std::vector<Dim>& in, const Box& made) {
  Box region = made;
  for (std::size_t axis = 2; axis < in.size(); ++axis)
    region[axis] = window_input(window_on(op, axis - 2), made[axis], in[axis]);
  return tidy(region);
}

Box reduce_region(const Op& op, const std::vector<Dim>& in, const Box& made) {
  Box region = whole(in);
  std::size_t from = 0;
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    const bool reduced = std::ranges::find(op.axes, axis) != op.axes.end();
    if (!reduced) region[axis] = made[from];
    if (!reduced || op.keep_dims) ++from;
  }
  return region;
}

Box matmul_region(const Op& op, std::size_t operand, const std::vector<Dim>& in, const Box& made) {
  if (operand == 2) return broadcast_region(in, made);
  Box region = whole(in);
  const std::size_t batch = in.size() - 2;
  for (std::size_t axis = 0; axis < batch; ++axis)
    if (in[axis] != 1) region[axis] = made[made.rank - in.size() + axis];
  if (operand == 0)
    region[batch + (op.transpose_a ? 1 : 0)] = made[made.rank - 2];
  else
    region[batch + (op.transpose_b ? 0 : 1)] = made[made.rank - 1];
  return region;
}

Box concat_region(const Network& network, const Op& op, std::size_t operand, const Box& made) {
  const std::size_t axis = op.axes[0];
  Dim offset = 0;
  for (std::size_t k = 0; k < operand; ++k) offset += network.tensors[op.inputs[k]].shape[axis];
  const Dim extent = network.tensors[op.inputs[operand]].shape[axis];
  Box region = made;
  region[axis] =
      intersect(Span{made[axis].begin - offset, made[axis].end - offset}, Span{0, extent});
  return tidy(region);
}

Box slice_region(const Op& op, const Box& made) {
  Box region = made;
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const Span& wanted = made[op.axes[k]];
    region[op.axes[k]] = {op.begins[k] + wanted.begin * op.steps[k],
                          op.begins[k] + (wanted.end - 1) * op.steps[k] + 1};
  }
  return region;
}

Box pad_region(const Op& op, const std::vector<Dim>& in, const Box& made) {
  Box region = made;
  for (std::size_t axis = 0; axis < in.size(); ++axis)
    region[axis] = padded_input(op.function, op.pad_begin[axis], made[axis], in[axis]);
  return tidy(region);
}

/// Positions inside a block of r that [begin, end) meets: all if it meets two blocks.
Span inside_block(const Span& range, Dim r) {
  if (range.begin / r != (range.end - 1) / r) return {0, r};
  return {range.begin % r, (range.end - 1) % r + 1};
}

Box depth_to_space_region(const Op& op, const std::vector<Dim>& in, const Box& made) {
  const Dim r = op.block;
  const Dim channels = in[1] / (r * r);
  const Span h = inside_block(made[2], r);
  const Span w = inside_block(made[3], r);
  const Dim first = h.begin * r + w.begin;
  const Dim last = (h.end - 1) * r + w.end - 1;
  Box region = made;
  if (op.depth_first)  // channel = block * channels + c
    region[1] = {first * channels + made[1].begin, last * channels + made[1].end};
  else  // channel = c * r * r + block
    region[1] = {made[1].begin * r * r + first, (made[1].end - 1) * r * r + last + 1};
  for (std::size_t axis = 2; axis < 4; ++axis)
    region[axis] = {made[axis].begin / r, (made[axis].end - 1) / r + 1};
  return region;
}

Box space_to_depth_region(const Op& op, const std::vector<Dim>& in, const Box& made) {
  const Dim r = op.block;
  const Dim first = made[1].begin / in[1];  // the blocks met; channel = block * channels + c
  const Dim last = (made[1].end - 1) / in[1];
  Box region = made;
  region[1] = inside_block(made[1], in[1]);
  const Span h{first / r, last / r + 1};
  const Span w = inside_block({first, last + 1}, r);
  region[2] = {made[2].begin * r + h.begin, (made[2].end - 1) * r + h.end};
  region[3] = {made[3].begin * r + w.begin, (made[3].end - 1) * r + w.end};
  return region;
}

}  // namespace

Box widen(const Network& network, const Op& op, const Box& wanted) {
  if (wanted.none) return wanted;
  const std::vector<Dim>& out = network.tensors[op.outputs[0]].shape;
  switch (op.kind) {
    case OpKind::softmax:
    case OpKind::normalize: {
      Box made = wanted;
      for (const std::size_t axis : op.axes) made[axis] = {0, out[axis]};
      return made;
    }
    case OpKind::reshape:
      return reshape_unit(out, network.tensors[op.inputs[0]].shape, wanted);
    case OpKind::opaque:
      return whole(out);
    default:
      return wanted;
  }
}

Box operand_region(const Network& network, const Op& op, std::size_t operand, const Box& made) {
  const bool fused = operand >= op.inputs.size();
  const TensorIndex tensor = fused ? operands(op)[operand] : op.inputs[operand];
  const std::vector<Dim>& in = network.tensors[tensor].shape;
  if (made.none) return nothing(in.size());
  const std::vector<Dim>& out = network.tensors[op.outputs[0]].shape;
  if (fused) return op.kind == OpKind::opaque ? whole(in) : broadcast_region(in, made);
  switch (op.kind) {
    case OpKind::conv:
      return conv_region(op, operand, in, out, made, network.tensors[op.inputs[0]].shape);
    case OpKind::conv_transpose:
      return conv_transpose_region(op, operand, in, out, made, network.tensors[op.inputs[0]].shape);
    case OpKind::max_pool:
    case OpKind::average_pool:
      return pool_region(op, in, made);
    case OpKind::reduce:
      return reduce_region(op, in, made);
    case OpKind::matmul:
      return matmul_region(op, operand, in, made);
    case OpKind::elementwise:
    case OpKind::softmax:
    case OpKind::normalize:
      return broadcast_region(in, made);
    case OpKind::batch_norm: {
      if (operand == 0) return made;
      Box region = whole(in);
      region[0] = made[1];
      return region;
    }
    case OpKind::concat:
      return concat_region(network, op, operand, made);
    case OpKind::slice:
      return slice_region(op, made);
    case OpKind::pad:
      return pad_region(op, in, made);
    case OpKind::resize: {
      Box region = made;
      for (std::size_t axis = 0; axis < in.size(); ++axis)
        region[axis] = resized_input(op.resize, made[axis], in[axis], out[axis]);
      return region;
    }
    case OpKind::reshape:
      return reshaped(out, in, made);
    case OpKind::transpose: {
      Box region = made;
      for (std::size_t axis = 0; axis < in.size(); ++axis)
        region[op.permutation[axis]] = made[axis];
      return region;
    }
    case OpKind::depth_to_space:
      return depth_to_space_region(op, in, made);
    case OpKind::space_to_depth:
      return space_to_depth_region(op, in, made);
    case OpKind::opaque:
      break;
  }
  return whole(in);
}

Padding tile_padding(const Network& network, const Op& op, const Box& made) {
  Padding padding;
  const bool windows =
      op.kind == OpKind::conv || op.kind == OpKind::max_pool || op.kind == OpKind::average_pool;
  if (!windows || made.none) return padding;
  const std::vector<Dim>& in = network.tensors[op.inputs[0]].shape;
  for (std::size_t axis = 2; axis < in.size(); ++axis) {
    const Span reach = window_reach(window_on(op, axis - 2), made[axis]);
    padding.before[axis] = std::max<Dim>(0, -reach.begin);
    padding.after[axis] = std::max<Dim>(0, reach.end - in[axis]);
  }
  return padding;
}

}  // namespace tessera::tiling
