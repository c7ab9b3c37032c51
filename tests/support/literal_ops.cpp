#include "literal_ops.h"

#include <algorithm>
#include <cmath>

namespace tessera::testing {
namespace {

using Shape = std::vector<Dim>;
using Read = std::function<void(std::size_t, const Element&)>;

bool inside(const Shape& shape, const Element& at) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (at[axis] < 0 || at[axis] >= shape[axis]) return false;
  return true;
}

/// All elements of the shape that agree with `at` on each fixed axis.
void lines(const Shape& shape, const Element& at, const std::vector<bool>& free,
           const std::function<void(const Element&)>& visit) {
  Element begin(shape.size());
  Element end(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    begin[axis] = free[axis] ? 0 : at[axis];
    end[axis] = free[axis] ? shape[axis] : at[axis] + 1;
  }
  each_element(begin, end, visit);
}

Element broadcast(const Shape& shape, const Element& out) {
  Element at(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    at[axis] = shape[axis] == 1 ? 0 : out[out.size() - shape.size() + axis];
  return at;
}

class Reader {
 public:
  Reader(const Network& network, const Op& op, const Element& out, const Read& read)
      : net_(network), op_(op), out_(out), read_(read), x_(shape(0)) {}

  void run() {
    switch (op_.kind) {
      case OpKind::conv:
        conv();
        break;
      case OpKind::conv_transpose:
        conv_transpose();
        break;
      case OpKind::max_pool:
      case OpKind::average_pool:
        pool();
        break;
      case OpKind::reduce:
        reduce();
        break;
      case OpKind::matmul:
        matmul();
        break;
      case OpKind::elementwise:
        all_broadcast(0);
        break;
      case OpKind::softmax:
      case OpKind::normalize:
        along();
        break;
      case OpKind::batch_norm:
        read_(0, out_);
        for (std::size_t k = 1; k < op_.inputs.size(); ++k) read_(k, {out_[1]});
        break;
      case OpKind::concat:
        concat();
        break;
      case OpKind::slice:
        slice();
        break;
      case OpKind::pad:
        pad();
        break;
      case OpKind::resize:
        resize();
        break;
      case OpKind::reshape:
        reshape();
        break;
      case OpKind::transpose: {
        Element at(out_.size());
        for (std::size_t axis = 0; axis < at.size(); ++axis) at[op_.permutation[axis]] = out_[axis];
        read_(0, at);
        break;
      }
      case OpKind::depth_to_space:
        depth_to_space();
        break;
      case OpKind::space_to_depth:
        space_to_depth();
        break;
      case OpKind::opaque:
        for (std::size_t k = 0; k < op_.inputs.size(); ++k)
          each_element(Element(shape(k).size(), 0), shape(k),
                       [&](const Element& at) { read_(k, at); });
        break;
    }
    std::size_t position = op_.inputs.size();
    for (const Fused& fused : op_.fused)
      for (const TensorIndex t : fused.operands)
        read_(position++, broadcast(net_.tensors[t].shape, out_));
  }

 private:
  const Shape& shape(std::size_t k) const { return net_.tensors[op_.inputs[k]].shape; }

  void whole_filter(const std::vector<bool>& free, const Element& at) {
    lines(shape(1), at, free, [&](const Element& element) { read_(1, element); });
    if (op_.inputs.size() > 2) read_(2, {out_[1]});
  }

  void conv() {
    const Dim in_group = x_[1] / op_.groups;
    const Dim out_group = net_.tensors[op_.outputs[0]].shape[1] / op_.groups;
    const Dim group = out_[1] / out_group;
    taps([&](Element at) {
      for (Dim c = 0; c < in_group; ++c) {
        at[1] = group * in_group + c;
        if (inside(x_, at)) read_(0, at);
      }
    });
    std::vector<bool> free(shape(1).size(), true);
    free[0] = false;
    Element filter(shape(1).size());
    filter[0] = out_[1];
    whole_filter(free, filter);
  }

  void conv_transpose() {
    const Dim in_group = x_[1] / op_.groups;
    const Dim out_group = shape(1)[1];
    const Dim group = out_[1] / out_group;
    each_element(Element(x_.size() - 2, 0), Shape(x_.begin() + 2, x_.end()),
                 [&](const Element& spatial) {
                   for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
                     bool meets = false;
                     for (Dim tap = 0; tap < op_.kernel[axis]; ++tap)
                       meets = meets || spatial[axis] * op_.stride[axis] - op_.pad_begin[axis] +
                                                tap * op_.dilation[axis] ==
                                            out_[axis + 2];
                     if (!meets) return;
                   }
                   Element at{out_[0], 0};
                   at.insert(at.end(), spatial.begin(), spatial.end());
                   for (Dim c = 0; c < in_group; ++c) {
                     at[1] = group * in_group + c;
                     read_(0, at);
                   }
                 });
    std::vector<bool> free(shape(1).size(), true);
    free[1] = false;
    Element filter(shape(1).size());
    filter[1] = out_[1] % out_group;
    for (Dim c = 0; c < in_group; ++c) {
      free[0] = false;
      filter[0] = group * in_group + c;
      lines(shape(1), filter, free, [&](const Element& element) { read_(1, element); });
    }
    if (op_.inputs.size() > 2) read_(2, {out_[1]});
  }

  void pool() {
    taps([&](const Element& at) {
      if (inside(x_, at)) read_(0, at);
    });
  }

  /// Every position of the window, inside or outside of the tensor, in the output's batch and
  /// channel.
  void taps(const std::function<void(Element)>& visit) {
    each_element(Element(op_.kernel.size(), 0), op_.kernel, [&](const Element& tap) {
      Element at = out_;
      for (std::size_t axis = 0; axis < tap.size(); ++axis)
        at[axis + 2] = out_[axis + 2] * op_.stride[axis] - op_.pad_begin[axis] +
                       tap[axis] * op_.dilation[axis];
      visit(at);
    });
  }

  void reduce() {
    Element at(x_.size());
    std::vector<bool> free(x_.size());
    std::size_t from = 0;
    for (std::size_t axis = 0; axis < x_.size(); ++axis) {
      free[axis] = std::ranges::find(op_.axes, axis) != op_.axes.end();
      if (!free[axis]) at[axis] = out_[from];
      if (!free[axis] || op_.keep_dims) ++from;
    }
    lines(x_, at, free, [&](const Element& element) { read_(0, element); });
  }

  void matmul() {
    const Dim inner = op_.transpose_a ? x_[x_.size() - 2] : x_.back();
    for (Dim k = 0; k < inner; ++k) {
      Element a = broadcast(x_, out_);
      a[a.size() - 2] = op_.transpose_a ? k : out_[out_.size() - 2];
      a[a.size() - 1] = op_.transpose_a ? out_[out_.size() - 2] : k;
      read_(0, a);
      Element b = broadcast(shape(1), out_);
      b[b.size() - 2] = op_.transpose_b ? out_.back() : k;
      b[b.size() - 1] = op_.transpose_b ? k : out_.back();
      read_(1, b);
    }
    all_broadcast(2);
  }

  void all_broadcast(std::size_t from) {
    for (std::size_t k = from; k < op_.inputs.size(); ++k) read_(k, broadcast(shape(k), out_));
  }

  void along() {
    std::vector<bool> free(x_.size());
    for (const std::size_t axis : op_.axes) free[axis] = true;
    lines(x_, out_, free, [&](const Element& element) { read_(0, element); });
    all_broadcast(1);
  }

  void concat() {
    Element at = out_;
    Dim& on = at[op_.axes[0]];
    for (std::size_t k = 0; k < op_.inputs.size(); ++k) {
      if (on < shape(k)[op_.axes[0]]) return read_(k, at);
      on -= shape(k)[op_.axes[0]];
    }
  }

  void slice() {
    Element at = out_;
    for (std::size_t k = 0; k < op_.axes.size(); ++k)
      at[op_.axes[k]] = op_.begins[k] + out_[op_.axes[k]] * op_.steps[k];
    read_(0, at);
  }

  void pad() {
    Element at = out_;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      Dim& i = at[axis];
      const Dim last = x_[axis] - 1;
      i -= op_.pad_begin[axis];
      if (op_.function == "edge") i = std::clamp<Dim>(i, 0, last);
      if (op_.function == "reflect") i = i < 0 ? -i : i > last ? 2 * last - i : i;
    }
    if (inside(x_, at)) read_(0, at);
  }

  /// In floating point, with the formulas of ONNX.
  void resize() {
    const Shape& out = net_.tensors[op_.outputs[0]].shape;
    std::vector<std::vector<Dim>> choices;
    for (std::size_t axis = 0; axis < x_.size(); ++axis) {
      const double in = static_cast<double>(x_[axis]);
      const double made = static_cast<double>(out[axis]);
      const double x = static_cast<double>(out_[axis]);
      double f = x * in / made;
      using enum ResizeRule::Coordinates;
      const auto rule = op_.resize.coordinates;
      if (rule == half_pixel || rule == pytorch_half_pixel) f = (x + 0.5) * in / made - 0.5;
      if (rule == pytorch_half_pixel && out[axis] == 1) f = 0;
      if (rule == align_corners) f = out[axis] == 1 ? 0 : x * (in - 1) / (made - 1);
      const auto near = [&](double value) {
        const double rounded = std::round(value * 1048576) / 1048576;  // remove rounding errors
        return rounded;
      };
      f = near(f);
      const auto clamped = [&](double value) {
        return std::clamp<Dim>(static_cast<Dim>(value), 0, x_[axis] - 1);
      };
      if (x_[axis] == out[axis]) {
        choices.push_back({out_[axis]});
      } else if (op_.resize.linear) {
        choices.push_back({clamped(std::floor(f)), clamped(std::floor(f) + 1)});
      } else {
        switch (op_.resize.nearest) {
          case ResizeRule::Nearest::floor:
            choices.push_back({clamped(std::floor(f))});
            break;
          case ResizeRule::Nearest::ceil:
            choices.push_back({clamped(std::ceil(f))});
            break;
          case ResizeRule::Nearest::round_prefer_floor:
            choices.push_back({clamped(std::ceil(f - 0.5))});
            break;
          case ResizeRule::Nearest::round_prefer_ceil:
            choices.push_back({clamped(std::floor(f + 0.5))});
            break;
        }
      }
    }
    Element sizes;
    for (const std::vector<Dim>& list : choices) sizes.push_back(static_cast<Dim>(list.size()));
    each_element(Element(sizes.size(), 0), sizes, [&](const Element& which) {
      Element at;
      for (std::size_t axis = 0; axis < which.size(); ++axis)
        at.push_back(choices[axis][static_cast<std::size_t>(which[axis])]);
      read_(0, at);
    });
  }

  void reshape() {
    const Shape& out = net_.tensors[op_.outputs[0]].shape;
    Dim flat = 0;
    for (std::size_t axis = 0; axis < out.size(); ++axis) flat = flat * out[axis] + out_[axis];
    Element at(x_.size());
    for (std::size_t axis = x_.size(); axis-- > 0;) {
      at[axis] = flat % x_[axis];
      flat /= x_[axis];
    }
    read_(0, at);
  }

  void depth_to_space() {
    const Dim r = op_.block;
    const Dim channels = x_[1] / (r * r);
    const Dim block = (out_[2] % r) * r + out_[3] % r;
    read_(0, {out_[0], op_.depth_first ? block * channels + out_[1] : out_[1] * r * r + block,
              out_[2] / r, out_[3] / r});
  }

  void space_to_depth() {
    const Dim r = op_.block;
    const Dim block = out_[1] / x_[1];
    read_(0, {out_[0], out_[1] % x_[1], out_[2] * r + block / r, out_[3] * r + block % r});
  }

  const Network& net_;
  const Op& op_;
  const Element& out_;
  const Read& read_;
  const Shape& x_;
};

}  // namespace

void each_element(const Element& begin, const Element& end,
                  const std::function<void(const Element&)>& visit) {
  for (std::size_t axis = 0; axis < begin.size(); ++axis)
    if (begin[axis] >= end[axis]) return;
  Element at = begin;
  while (true) {
    visit(at);
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == end[axis - 1]) {
      at[axis - 1] = begin[axis - 1];
      --axis;
    }
    if (axis == 0) return;
  }
}

void literal_reads(const Network& network, const Op& op, const Element& out, const Read& read) {
  Reader(network, op, out, read).run();
}

}  // namespace tessera::testing
