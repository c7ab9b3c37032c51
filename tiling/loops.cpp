#include "tiling/loops.h"

#include <algorithm>

#include "model/network_types.h"
#include "tiling/ceil_div.h"

namespace tessera::tiling {
namespace {

Dim at_or(const std::vector<Dim>& list, std::size_t k, Dim otherwise) {
  return k < list.size() ? list[k] : otherwise;
}

bool is_conv(const Op& op) {
  return op.kind == OpKind::conv || op.kind == OpKind::conv_transpose;
}

void matmul_loops(const Network& network, const Op& op, std::span<const Dim> output, OpLoops& op_) {
  LoopNest& nest = op_.nest;
  const std::vector<Dim>& a = network.tensors[op.inputs.at(0)].shape;
  const std::size_t rank = output.size();
  op_.has_weights = true;
  op_.op_class = OpClass::fc;
  if (a.empty()) return;
  nest.C = op.transpose_a && a.size() >= 2 ? a[a.size() - 2] : a.back();
  if (rank >= 1) nest.K = output[rank - 1];
  if (rank >= 2) nest.W = output[rank - 2];
  for (std::size_t d = 0; d + 2 < rank; ++d) nest.N *= output[d];
  op_.input = {1, nest.W};
  // Of the whole op, because its parts run in the same mode.
  const std::vector<Dim>& all = network.tensors[op.outputs.at(0)].shape;
  for (std::size_t d = 0; d + 1 < all.size(); ++d)
    if (all[d] > 1) op_.op_class = OpClass::matmul;
}

/// Inputs of the network have channels last, so columns that are adjacent in a row are adjacent in
/// memory.
void find_fold(const Network& network, const Op& op, std::size_t columns, OpLoops& op_) {
  const Dim stride = op_.stride[1];
  const bool may = op_.op_class == OpClass::conv && stride > 1 && op_.dilation[1] == 1 &&
                   op_.input[1] % stride == 0 &&
                   std::ranges::find(network.inputs, op.inputs[0]) != network.inputs.end();
  if (!may) return;
  op_.folds = stride;
  // Column j reads from j * stride - pad on: this much after a multiple of the stride.
  const Dim pad = at_or(op.pad_begin, columns, 0) % stride;
  op_.fold_offset = (stride - pad) % stride;
}

/// The last two spatial axes become rows and columns; the axes before them count as rows.
void conv_loops(const Network& network, const Op& op, std::span<const Dim> output, OpLoops& op_) {
  LoopNest& nest = op_.nest;
  // conv: weights [K, C / groups, kernel...]; conv_transpose: weights [C, K / groups, kernel...].
  const std::vector<Dim>& weights = network.tensors[op.inputs.at(1)].shape;
  const std::vector<Dim>& in = network.tensors[op.inputs.at(0)].shape;
  const std::size_t spatial = output.size() - 2;
  nest.N = output[0];
  const bool transposed = op.kind == OpKind::conv_transpose;
  nest.C = transposed ? weights[0] / op.groups : weights[1];
  const Dim per_group = transposed ? weights[1] : weights[0] / op.groups;
  nest.G = ceil_div(output[1], per_group);
  nest.K = std::min(output[1], per_group);
  op_.has_weights = true;
  for (std::size_t s = 0; s < spatial; ++s) {
    // An output of a transposed convolution meets every stride-th tap of the kernel.
    const Dim stride = at_or(op.stride, s, 1);
    const Dim taps = ceil_div(weights[2 + s], transposed ? stride : 1);
    const bool last = s + 1 == spatial;
    (last ? nest.W : nest.H) *= output[2 + s];
    (last ? nest.S : nest.R) *= taps;
    op_.input[last ? 1 : 0] *= in[2 + s];
    op_.stride[last ? 1 : 0] = transposed ? 1 : stride;
    op_.upscale[last ? 1 : 0] = transposed ? stride : 1;
    if (transposed) op_.taps[last ? 1 : 0] *= weights[2 + s];
    op_.dilation[last ? 1 : 0] = at_or(op.dilation, s, 1);
  }
  // Of the whole op, because its parts run in the same mode.
  const std::vector<Dim>& all = network.tensors[op.outputs.at(0)].shape;
  const bool one_pixel = nest.R == 1 && nest.S == 1 && all[0] == 1 &&
                         std::all_of(all.begin() + 2, all.end(), [](Dim d) { return d == 1; });
  op_.op_class = op.groups == 1                      ? one_pixel ? OpClass::fc : OpClass::conv
                 : nest.C == 1 && op.groups == in[1] ? OpClass::depthwise
                                                     : OpClass::grouped;
  op_.per_channel = op_.op_class == OpClass::depthwise;
  if (spatial > 0 && !transposed) find_fold(network, op, spatial - 1, op_);
}

/// A mean over all rows and columns is a pooling with a window of the whole input.
bool is_global_pool(const Op& op, const std::vector<Dim>& in) {
  return op.kind == OpKind::reduce && op.function == "mean" && in.size() == 4 &&
         op.axes.size() == 2 && std::ranges::count(op.axes, 2U) == 1 &&
         std::ranges::count(op.axes, 3U) == 1;
}

/// Axis 1 becomes channels, the last axis columns, and the others rows.
void plane_loops(const Network& network, const Op& op, std::span<const Dim> output, OpLoops& op_) {
  LoopNest& nest = op_.nest;
  const std::size_t rank = output.size();
  op_.per_channel = true;
  if (rank >= 1) nest.N = output[0];
  if (rank >= 2) nest.K = output[1];
  for (std::size_t d = 2; d < rank; ++d) (d + 1 == rank ? nest.W : nest.H) *= output[d];
  op_.input = {nest.H, nest.W};
  if (op.inputs.empty()) return;
  const std::vector<Dim>& in = network.tensors[op.inputs[0]].shape;
  if (op.kind == OpKind::max_pool || op.kind == OpKind::average_pool) {
    op_.op_class = OpClass::pool;
    op_.input = {1, 1};
    for (std::size_t s = 0; s < op.kernel.size(); ++s) {
      const bool last = s + 1 == op.kernel.size();
      (last ? nest.S : nest.R) *= op.kernel[s];
      op_.stride[last ? 1 : 0] = at_or(op.stride, s, 1);
      op_.dilation[last ? 1 : 0] = at_or(op.dilation, s, 1);
      if (2 + s < in.size()) op_.input[last ? 1 : 0] *= in[2 + s];
    }
  } else if (is_global_pool(op, in)) {
    op_.op_class = OpClass::pool;
    nest.R = in[2];
    nest.S = in[3];
    op_.input = {in[2], in[3]};
  } else if (op.kind == OpKind::reduce) {
    for (const std::size_t axis : op.axes)
      if (axis < in.size()) nest.S *= in[axis];
    op_.input = {1, nest.S};
  }
}

Size bytes_of(const Network& network, TensorIndex tensor) {
  return element_bytes(network.tensors[tensor].type);
}

}  // namespace

bool is_product(const Op& op) {
  return multiplies(op.kind);
}

OpLoops loops_of(const Network& network, const Op& op, std::span<const Dim> output_extents) {
  OpLoops loops;
  if (op.kind == OpKind::matmul)
    matmul_loops(network, op, output_extents, loops);
  else if (is_conv(op))
    conv_loops(network, op, output_extents, loops);
  else
    plane_loops(network, op, output_extents, loops);
  if (!op.inputs.empty()) loops.input_element = bytes_of(network, op.inputs[0]);
  if (loops.has_weights && op.inputs.size() > 1)
    loops.weight_bits = element_bits(network.tensors[op.inputs[1]].type);
  if (!op.outputs.empty()) loops.output_element = bytes_of(network, op.outputs[0]);
  return loops;
}

OpLoops folded(OpLoops loops) {
  loops.nest.C *= loops.folds;
  loops.nest.S = ceil_div(loops.fold_offset + loops.nest.S, loops.folds);
  loops.input[1] /= loops.folds;
  loops.stride[1] = 1;
  loops.folds = 1;
  loops.fold_offset = 0;
  return loops;
}

OpLoops spread(OpLoops loops) {
  loops.nest.R = loops.taps[0];
  loops.nest.S = loops.taps[1];
  loops.spread = true;
  return loops;
}

std::string_view report_kind(const Network& network, const Op& op) {
  if (op.kind == OpKind::matmul) return "fc";
  if (op.kind == OpKind::elementwise) return "elementwise";
  const OpLoops loops = loops_of(network, op, network.tensors[op.outputs.at(0)].shape);
  if (loops.op_class == OpClass::pool) return "pool";
  if (!is_conv(op)) return "other";
  return loops.op_class == OpClass::depthwise ? "depthwise" : "conv";
}

OpNames names_of(const Op& op, const OpLoops& loops) {
  switch (loops.op_class) {
    case OpClass::conv:
      return {"conv"};
    case OpClass::grouped:
      return {"grouped", "conv"};
    case OpClass::depthwise:
      return {"depthwise", "conv"};
    case OpClass::fc:
      return {"fc", "matmul", "conv"};
    case OpClass::matmul:
      return {"matmul", "conv"};
    case OpClass::pool:
      if (op.kind == OpKind::reduce) return {"average_pool", "pool", "reduce"};
      return {to_string(op.kind), "pool"};
    case OpClass::other:
      break;
  }
  return {to_string(op.kind)};
}

}  // namespace tessera::tiling
