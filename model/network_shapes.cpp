#include "tessera/network_shapes.h"

#include <algorithm>

#include "say.h"

namespace tessera {
namespace {

using Shape = std::vector<Dim>;
using Shapes = std::vector<Shape>;

/// Checks an op and its inputs; keeps the first error.
class ShapeRule {
 public:
  ShapeRule(const Op& op, const Shapes& inputs, std::string& error)
      : op_(op), in_(inputs), error_(error) {}

  std::optional<Shape> shape() {
    switch (op_.kind) {
      case OpKind::conv:
      case OpKind::conv_transpose:
        return convolution();
      case OpKind::max_pool:
      case OpKind::average_pool:
        return pool();
      case OpKind::reduce:
        return reduce();
      case OpKind::matmul:
        return matmul();
      case OpKind::elementwise:
        return elementwise();
      case OpKind::softmax:
      case OpKind::normalize:
        return along_axes();
      case OpKind::batch_norm:
        return batch_norm();
      case OpKind::concat:
        return concat();
      case OpKind::slice:
        return slice();
      case OpKind::pad:
        return pad();
      case OpKind::resize:
        return resize();
      case OpKind::reshape:
        return reshape();
      case OpKind::transpose:
        return transpose();
      case OpKind::depth_to_space:
      case OpKind::space_to_depth:
        return blocks();
      case OpKind::opaque:
        break;
    }
    return fail("has no shape rule; declare the shape of its output");
  }

 private:
  template <typename... Pieces>
  std::nullopt_t fail(const Pieces&... pieces) {
    if (error_.empty()) error_ = say(pieces...);
    return std::nullopt;
  }
  bool inputs(std::size_t least, std::size_t most) {
    if (in_.size() >= least && in_.size() <= most) return true;
    fail("has ", in_.size(), " inputs where ", least,
         least == most ? std::string() : say(" to ", most),
         least == 1 && most == 1 ? " is" : " are", " needed");
    return false;
  }
  bool within(Dim value, Dim least, Dim most, const char* what) {
    if (least <= value && value <= most) return true;
    fail(what, " is ", value, ", which is not within ", least, " .. ", most);
    return false;
  }
  bool axes_inside(std::size_t rank) {
    std::vector<std::size_t> sorted = op_.axes;
    std::ranges::sort(sorted);
    for (const std::size_t axis : sorted)
      if (axis >= rank)
        return fail("names axis ", axis, " of a tensor with ", rank, " axes"), false;
    if (std::ranges::adjacent_find(sorted) != sorted.end())
      return fail("names an axis twice"), false;
    return true;
  }

  /// Window attributes have one entry per spatial axis, each in its valid range.
  bool windows(std::size_t spatial) {
    const auto count = [&](const std::vector<Dim>& list, const char* what, Dim least) {
      if (list.size() != spatial)
        return fail(what, " has ", list.size(), " entries where ", spatial, " are needed"), false;
      return std::ranges::all_of(list, [&](Dim v) { return within(v, least, max_extent, what); });
    };
    return count(op_.kernel, "kernel", 1) && count(op_.stride, "stride", 1) &&
           count(op_.dilation, "dilation", 1) && count(op_.pad_begin, "pad", 0) &&
           count(op_.pad_end, "pad", 0);
  }

  std::optional<Dim> windowed(Dim extent, std::size_t axis, bool ceil_mode) {
    const Dim span = op_.dilation[axis] * (op_.kernel[axis] - 1) + 1;
    const Dim room = extent + op_.pad_begin[axis] + op_.pad_end[axis] - span;
    if (room < 0)
      return fail("has a window of ", span, " on an axis of ",
                  extent + op_.pad_begin[axis] + op_.pad_end[axis], " with padding");
    const Dim stride = op_.stride[axis];
    Dim out = room / stride + 1;
    // With ceil mode, the last window has to begin inside the input or its front padding.
    if (ceil_mode && room % stride != 0 && out * stride < extent + op_.pad_begin[axis]) ++out;
    return out;
  }

  std::optional<Shape> convolution() {
    if (!inputs(2, 3)) return std::nullopt;
    const Shape& x = in_[0];
    const Shape& w = in_[1];
    if (x.size() < 3)
      return fail("convolves a tensor with ", x.size(), " axes; 3 or more are needed");
    if (w.size() != x.size())
      return fail("has weights with ", w.size(), " axes for an input with ", x.size());
    const std::size_t spatial = x.size() - 2;
    if (!windows(spatial) || !within(op_.groups, 1, max_extent, "groups")) return std::nullopt;
    for (std::size_t axis = 0; axis < spatial; ++axis)
      if (op_.kernel[axis] != w[axis + 2])
        return fail("has kernel ", op_.kernel[axis], " but weights of ", w[axis + 2], " on axis ",
                    axis + 2);
    const bool transposed = op_.kind == OpKind::conv_transpose;
    const Dim channels = transposed ? w[0] : w[1] * op_.groups;
    if (channels != x[1])
      return fail("has weights for ", channels, " input channels where the input has ", x[1]);
    const Dim made = transposed ? w[1] * op_.groups : w[0];
    if (made % op_.groups != 0 || x[1] % op_.groups != 0)
      return fail("has ", op_.groups, " groups that do not divide its channels");
    if (in_.size() == 3 && in_[2] != Shape{made})
      return fail("has a bias that is not one value per output channel (", made, ")");
    Shape out{x[0], made};
    for (std::size_t axis = 0; axis < spatial; ++axis) {
      if (!transposed) {
        const std::optional<Dim> extent = windowed(x[axis + 2], axis, false);
        if (!extent) return std::nullopt;
        out.push_back(*extent);
        continue;
      }
      if (op_.output_padding.size() != spatial)
        return fail("output_padding has ", op_.output_padding.size(), " entries where ", spatial,
                    " are needed");
      if (!within(op_.output_padding[axis], 0, max_extent, "output_padding")) return std::nullopt;
      out.push_back((x[axis + 2] - 1) * op_.stride[axis] +
                    op_.dilation[axis] * (op_.kernel[axis] - 1) + 1 + op_.output_padding[axis] -
                    op_.pad_begin[axis] - op_.pad_end[axis]);
    }
    return out;
  }

  std::optional<Shape> pool() {
    if (!inputs(1, 1)) return std::nullopt;
    if (in_[0].size() < 3)
      return fail("pools a tensor with ", in_[0].size(), " axes; 3 or more are needed");
    if (!windows(in_[0].size() - 2)) return std::nullopt;
    Shape out = in_[0];
    for (std::size_t axis = 2; axis < out.size(); ++axis) {
      const std::optional<Dim> extent = windowed(out[axis], axis - 2, op_.ceil_mode);
      if (!extent) return std::nullopt;
      out[axis] = *extent;
    }
    return out;
  }

  std::optional<Shape> reduce() {
    if (!inputs(1, 1) || !axes_inside(in_[0].size())) return std::nullopt;
    Shape out;
    for (std::size_t axis = 0; axis < in_[0].size(); ++axis) {
      const bool gone = std::ranges::find(op_.axes, axis) != op_.axes.end();
      if (!gone) out.push_back(in_[0][axis]);
      if (gone && op_.keep_dims) out.push_back(1);
    }
    return out;
  }

  std::optional<Shape> matmul() {
    if (!inputs(2, 3)) return std::nullopt;
    Shape a = in_[0];
    Shape b = in_[1];
    if (a.size() < 2 || b.size() < 2)
      return fail("multiplies tensors with ", a.size(), " and ", b.size(),
                  " axes; 2 or more are needed");
    if (op_.transpose_a) std::swap(a[a.size() - 1], a[a.size() - 2]);
    if (op_.transpose_b) std::swap(b[b.size() - 1], b[b.size() - 2]);
    const Dim rows = a[a.size() - 2];
    const Dim columns = b[b.size() - 1];
    if (a.back() != b[b.size() - 2])
      return fail("multiplies rows of ", a.back(), " with columns of ", b[b.size() - 2]);
    a.resize(a.size() - 2);
    b.resize(b.size() - 2);
    std::optional<Shape> out = broadcast_shape({a, b});
    if (!out) return fail("has incompatible batch axes");
    out->push_back(rows);
    out->push_back(columns);
    if (in_.size() == 3 && broadcast_shape({*out, in_[2]}) != out)
      return fail("has a bias that does not broadcast onto its output");
    return out;
  }

  std::optional<Shape> elementwise() {
    if (in_.empty()) return fail("has no inputs");
    std::optional<Shape> out = broadcast_shape(in_);
    if (!out) return fail("has inputs with incompatible shapes");
    return out;
  }

  std::optional<Shape> along_axes() {
    if (!inputs(1, op_.kind == OpKind::normalize ? 3 : 1) || !axes_inside(in_[0].size()))
      return std::nullopt;
    for (std::size_t k = 1; k < in_.size(); ++k)
      if (broadcast_shape({in_[0], in_[k]}) != in_[0])
        return fail("has a scale or bias that does not broadcast onto its input");
    return in_[0];
  }

  std::optional<Shape> batch_norm() {
    if (!inputs(1, 5)) return std::nullopt;
    if (in_[0].size() < 2) return fail("normalises a tensor without a channel axis");
    for (std::size_t k = 1; k < in_.size(); ++k)
      if (in_[k] != Shape{in_[0][1]})
        return fail("has an input ", k, " that is not one value per channel");
    return in_[0];
  }

  std::optional<Shape> concat() {
    if (in_.empty()) return fail("has no inputs");
    if (op_.axes.size() != 1) return fail("joins along one axis; ", op_.axes.size(), " are given");
    if (!axes_inside(in_[0].size())) return std::nullopt;
    Shape out = in_[0];
    for (std::size_t k = 1; k < in_.size(); ++k) {
      Shape other = in_[k];
      if (other.size() != out.size()) return fail("joins tensors with different numbers of axes");
      const Dim extent = other[op_.axes[0]];
      other[op_.axes[0]] = out[op_.axes[0]];
      if (other != out) return fail("joins tensors that differ on another axis");
      out[op_.axes[0]] += extent;
    }
    return out;
  }

  std::optional<Shape> slice() {
    if (!inputs(1, 1) || !axes_inside(in_[0].size())) return std::nullopt;
    const std::size_t count = op_.axes.size();
    if (op_.begins.size() != count || op_.steps.size() != count || op_.extents.size() != count)
      return fail("needs one begin, step and extent per axis");
    Shape out = in_[0];
    for (std::size_t k = 0; k < count; ++k) {
      const Dim extent = out[op_.axes[k]];
      if (!within(op_.begins[k], 0, extent - 1, "begin") ||
          !within(op_.steps[k], 1, max_extent, "step") ||
          !within(op_.extents[k], 1, (extent - 1 - op_.begins[k]) / op_.steps[k] + 1, "extent"))
        return std::nullopt;
      out[op_.axes[k]] = op_.extents[k];
    }
    return out;
  }

  std::optional<Shape> pad() {
    if (!inputs(1, 1)) return std::nullopt;
    Shape out = in_[0];
    if (op_.pad_begin.size() != out.size() || op_.pad_end.size() != out.size())
      return fail("needs one pad before and one after per axis");
    for (std::size_t axis = 0; axis < out.size(); ++axis) {
      if (!within(op_.pad_begin[axis], -max_extent, max_extent, "pad") ||
          !within(op_.pad_end[axis], -max_extent, max_extent, "pad"))
        return std::nullopt;
      out[axis] += op_.pad_begin[axis] + op_.pad_end[axis];
    }
    return out;
  }

  std::optional<Shape> resize() {
    if (!inputs(1, 1)) return std::nullopt;
    if (op_.extents.size() != in_[0].size()) return fail("needs one output extent per axis");
    return op_.extents;
  }

  std::optional<Shape> reshape() {
    if (!inputs(1, 1)) return std::nullopt;
    if (element_count(op_.extents) != element_count(in_[0]))
      return fail("changes the number of elements");
    return op_.extents;
  }

  std::optional<Shape> transpose() {
    if (!inputs(1, 1)) return std::nullopt;
    std::vector<std::size_t> sorted = op_.permutation;
    std::ranges::sort(sorted);
    for (std::size_t axis = 0; axis < sorted.size(); ++axis)
      if (sorted[axis] != axis) return fail("has an invalid permutation");
    if (sorted.size() != in_[0].size())
      return fail("permutes ", sorted.size(), " axes of a tensor with ", in_[0].size());
    Shape out;
    for (const std::size_t axis : op_.permutation) out.push_back(in_[0][axis]);
    return out;
  }

  std::optional<Shape> blocks() {
    if (!inputs(1, 1)) return std::nullopt;
    if (in_[0].size() != 4) return fail("needs a tensor with 4 axes");
    if (!within(op_.block, 1, 1 << 14, "block")) return std::nullopt;
    Shape out = in_[0];
    const Dim r = op_.block;
    if (op_.kind == OpKind::depth_to_space) {
      if (out[1] % (r * r) != 0)
        return fail("has ", out[1], " channels, not a multiple of ", r * r);
      out = {out[0], out[1] / (r * r), out[2] * r, out[3] * r};
    } else {
      if (out[2] % r != 0 || out[3] % r != 0)
        return fail("has extents that are not multiples of ", r);
      out = {out[0], out[1] * r * r, out[2] / r, out[3] / r};
    }
    return out;
  }

  const Op& op_;
  const Shapes& in_;
  std::string& error_;
};

}  // namespace

std::optional<Shape> broadcast_shape(const Shapes& shapes) {
  std::size_t rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.size());
  Shape out(rank, 1);
  for (const Shape& shape : shapes)
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      Dim& extent = out[rank - shape.size() + axis];
      if (extent == 1)
        extent = shape[axis];
      else if (shape[axis] != 1 && shape[axis] != extent)
        return std::nullopt;
    }
  return out;
}

std::optional<Shape> output_shape(const Op& op, const Shapes& inputs, std::string& error) {
  error.clear();
  for (const Shape& shape : inputs) {
    const bool sane = shape.size() <= max_rank && std::ranges::all_of(shape, [](Dim extent) {
                        return 1 <= extent && extent <= max_extent;
                      });
    if (!sane) {
      error = say("has an input with an extent outside 1 .. ", max_extent, " or more than ",
                  max_rank, " axes");
      return std::nullopt;
    }
  }
  std::optional<Shape> out = ShapeRule(op, inputs, error).shape();
  if (!out) return out;
  for (const Dim extent : *out)
    if (extent < 1 || extent > max_extent) {
      error = say("would make a tensor with extent ", extent);
      return std::nullopt;
    }
  if (out->size() > max_rank) {
    error = say("would make a tensor with more than ", max_rank, " axes");
    return std::nullopt;
  }
  return out;
}

}  // namespace tessera
