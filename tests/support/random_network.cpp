#include "random_network.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "random.h"
#include "tessera/network_shapes.h"
#include "tests/support/convolutions.h"

namespace tessera::testing {
namespace {

using Shape = std::vector<Dim>;

class NetworkMaker {
 public:
  NetworkMaker(std::uint64_t seed, const RandomNetworkParams& params)
      : random_(seed), params_(params) {}

  Network make() {
    net_.name = "random";
    const TensorIndex input =
        tensor({1, random_.between(1, params_.channels), random_.between(1, params_.extent),
                random_.between(1, params_.extent)});
    net_.inputs = {input};
    usable_ = {input};
    while (net_.ops.size() < params_.ops) try_op();
    std::set<TensorIndex> read;
    for (const Op& op : net_.ops)
      for (const TensorIndex t : operands(op)) read.insert(storage_of(net_, t));
    for (const Op& op : net_.ops)
      for (const TensorIndex t : op.outputs)
        if (!read.contains(t) || random_.chance(15)) net_.outputs.push_back(t);
    const std::vector<NetworkDefect> defects = check_network(net_);
    if (!defects.empty()) throw std::logic_error(defects.front().message);
    return net_;
  }

 private:
  TensorIndex tensor(Shape shape, TensorKind kind = TensorKind::activation) {
    return add_tensor(net_, std::move(shape), kind);
  }
  const Shape& shape(TensorIndex t) const { return net_.tensors[t].shape; }

  void windows(Op& op, std::size_t spatial) {
    for (std::size_t axis = 0; axis < spatial; ++axis) {
      op.kernel.push_back(random_.between(1, 3));
      op.stride.push_back(random_.between(1, 3));
      op.dilation.push_back(random_.chance(25) ? 2 : 1);
      op.pad_begin.push_back(random_.between(0, 2));
      op.pad_end.push_back(random_.between(0, 2));
    }
  }

  /// Another tensor that broadcasts with the given one, or a new weight of such a shape.
  TensorIndex partner(TensorIndex t) {
    std::vector<TensorIndex> fitting;
    for (const TensorIndex other : usable_)
      if (broadcast_shape({shape(t), shape(other)}) == shape(t)) fitting.push_back(other);
    if (!fitting.empty() && random_.chance(75)) return random_.pick(fitting);
    Shape small = shape(t);
    for (Dim& extent : small)
      if (random_.chance(50)) extent = 1;
    if (random_.chance(30) && !small.empty()) small.erase(small.begin());
    return tensor(small, TensorKind::weight);
  }

  void convolution(Op& op, const Shape& x) {
    const bool transposed = op.kind == OpKind::conv_transpose;
    windows(op, x.size() - 2);
    std::vector<Dim> divisors;
    for (Dim g = 1; g <= x[1]; ++g)
      if (x[1] % g == 0) divisors.push_back(g);
    op.groups = random_.pick(divisors);
    const Dim per_group = random_.between(1, 2);
    const Dim made = per_group * op.groups;
    Shape weights = transposed ? Shape{x[1], per_group} : Shape{made, x[1] / op.groups};
    for (const Dim extent : op.kernel) weights.push_back(extent);
    if (transposed)
      for (const Dim stride : op.stride)
        op.output_padding.push_back(random_.between(0, stride - 1));
    op.inputs.push_back(tensor(weights, TensorKind::weight));
    if (random_.chance(50)) op.inputs.push_back(tensor({made}, TensorKind::weight));
  }

  void axes_of(Op& op, const Shape& x) {
    for (std::size_t axis = 0; axis < x.size(); ++axis)
      if (random_.chance(35)) op.axes.push_back(axis);
    if (op.axes.empty()) op.axes.push_back(random_.below(x.size()));
  }

  void slice(Op& op, const Shape& x) {
    axes_of(op, x);
    for (const std::size_t axis : op.axes) {
      const Dim begin = random_.between(0, x[axis] - 1);
      const Dim step = random_.between(1, 2);
      op.begins.push_back(begin);
      op.steps.push_back(step);
      op.extents.push_back(random_.between(1, (x[axis] - 1 - begin) / step + 1));
    }
  }

  void pad(Op& op, const Shape& x) {
    const std::vector<std::string> modes{"constant", "edge", "reflect"};
    op.function = random_.pick(modes);
    for (std::size_t axis = 0; axis < x.size(); ++axis) {
      const Dim most = axis < 2 ? 0 : std::min<Dim>(2, x[axis] - 1);
      op.pad_begin.push_back(random_.between(0, most));
      op.pad_end.push_back(random_.between(0, most));
    }
  }

  void resize(Op& op, const Shape& x) {
    using enum ResizeRule::Coordinates;
    using enum ResizeRule::Nearest;
    op.resize.linear = random_.chance(50);
    const std::vector<ResizeRule::Coordinates> coordinates{half_pixel, pytorch_half_pixel,
                                                           asymmetric, align_corners};
    const std::vector<ResizeRule::Nearest> rules{round_prefer_floor, round_prefer_ceil, floor,
                                                 ceil};
    op.resize.coordinates = random_.pick(coordinates);
    op.resize.nearest = random_.pick(rules);
    op.extents = x;
    for (std::size_t axis = 2; axis < x.size(); ++axis)
      op.extents[axis] = random_.between(1, 2 * x[axis]);
  }

  /// Merges or splits a pair of adjacent axes.
  Shape reshaping(const Shape& x) {
    Shape out = x;
    const std::size_t axis = random_.below(x.size());
    if (random_.chance(50) && axis + 1 < x.size()) {
      out[axis] *= out[axis + 1];
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    } else if (x.size() < 5) {
      Dim factor = random_.between(1, 3);
      while (x[axis] % factor != 0) --factor;
      out[axis] = x[axis] / factor;
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis) + 1, factor);
    }
    return out;
  }

  void try_op() {
    static const std::vector<OpKind> all{
        OpKind::conv,           OpKind::conv,           OpKind::conv_transpose,
        OpKind::max_pool,       OpKind::average_pool,   OpKind::reduce,
        OpKind::matmul,         OpKind::elementwise,    OpKind::elementwise,
        OpKind::softmax,        OpKind::normalize,      OpKind::batch_norm,
        OpKind::concat,         OpKind::slice,          OpKind::pad,
        OpKind::resize,         OpKind::reshape,        OpKind::transpose,
        OpKind::depth_to_space, OpKind::space_to_depth, OpKind::opaque};
    static const std::vector<OpKind> spatial{OpKind::conv, OpKind::conv, OpKind::max_pool,
                                             OpKind::elementwise, OpKind::conv_transpose};
    Op op;
    op.kind = random_.pick(params_.spatial_only ? spatial : all);
    op.name = "op" + std::to_string(net_.ops.size());
    const std::size_t before = net_.tensors.size();
    // Recent tensors more often, so that chains grow and branches remain.
    const TensorIndex t = random_.chance(65) ? usable_.back() : random_.pick(usable_);
    const Shape x = shape(t);
    op.inputs = {t};
    const bool window = op.kind == OpKind::conv || op.kind == OpKind::conv_transpose ||
                        op.kind == OpKind::max_pool || op.kind == OpKind::average_pool;
    std::vector<Shape> made;
    if (x.empty() && op.kind != OpKind::elementwise) return;
    if (window && x.size() < 3) return;
    switch (op.kind) {
      case OpKind::conv:
      case OpKind::conv_transpose:
        convolution(op, x);
        break;
      case OpKind::max_pool:
      case OpKind::average_pool:
        windows(op, x.size() - 2);
        op.ceil_mode = random_.chance(50);
        break;
      case OpKind::reduce:
        op.function = "mean";
        op.keep_dims = random_.chance(70);
        axes_of(op, x);
        break;
      case OpKind::matmul: {
        if (x.size() < 2) return;
        op.transpose_a = random_.chance(30);
        op.transpose_b = random_.chance(30);
        const Dim inner = op.transpose_a ? x[x.size() - 2] : x.back();
        const Dim columns = random_.between(1, 5);
        op.inputs.push_back(tensor(op.transpose_b ? Shape{columns, inner} : Shape{inner, columns},
                                   TensorKind::weight));
        if (random_.chance(50)) op.inputs.push_back(tensor({columns}, TensorKind::weight));
        break;
      }
      case OpKind::elementwise:
        op.function = "add";
        if (random_.chance(80)) op.inputs.push_back(partner(t));
        if (random_.chance(30)) std::swap(op.inputs.front(), op.inputs.back());
        break;
      case OpKind::softmax:
        axes_of(op, x);
        break;
      case OpKind::normalize:
        axes_of(op, x);
        op.inputs.push_back(tensor({x.back()}, TensorKind::weight));
        break;
      case OpKind::batch_norm:
        if (x.size() < 2) return;
        op.inputs.push_back(tensor({x[1]}, TensorKind::weight));
        break;
      case OpKind::concat: {
        op.axes = {random_.below(x.size())};
        for (const TensorIndex other : usable_) {
          Shape same = shape(other);
          if (same.size() != x.size() || op.inputs.size() > 2 || !random_.chance(60)) continue;
          same[op.axes[0]] = x[op.axes[0]];
          if (same == x) op.inputs.push_back(other);
        }
        break;
      }
      case OpKind::slice:
        slice(op, x);
        break;
      case OpKind::pad:
        pad(op, x);
        break;
      case OpKind::resize:
        resize(op, x);
        break;
      case OpKind::reshape:
        op.extents = reshaping(x);
        break;
      case OpKind::transpose:
        for (std::size_t axis = 0; axis < x.size(); ++axis) op.permutation.push_back(axis);
        random_.shuffle(op.permutation);
        break;
      case OpKind::depth_to_space:
      case OpKind::space_to_depth:
        op.block = 2;
        op.depth_first = op.kind == OpKind::space_to_depth || random_.chance(50);
        break;
      case OpKind::opaque:
        made = {x, {2, 3}};
        break;
    }
    if (op.kind != OpKind::opaque) {
      std::vector<Shape> shapes;
      for (const TensorIndex i : op.inputs) shapes.push_back(shape(i));
      std::string error;
      const std::optional<Shape> out = output_shape(op, shapes, error);
      if (!out || element_count(*out).value_or(0) > 1500) {
        net_.tensors.resize(before);
        return;
      }
      made = {*out};
    }
    if (random_.chance(20) && op.kind != OpKind::opaque) {
      net_.tensors.push_back({.name = "t" + std::to_string(net_.tensors.size()),
                              .shape = {made[0].empty() ? 1 : made[0].back()},
                              .type = ElementType::int8,
                              .kind = TensorKind::weight,
                              .view_of = std::nullopt});
      if (made[0].empty())
        op.fused.push_back({"relu", {}});
      else
        op.fused.push_back({"prelu", {net_.tensors.size() - 1}});
    }
    for (const Shape& out : made) {
      op.outputs.push_back(tensor(out));
      usable_.push_back(op.outputs.back());
    }
    net_.ops.push_back(op);
    if (params_.views && random_.chance(12) && !made[0].empty()) {
      const TensorIndex view = tensor(reshaping(made[0]));
      net_.tensors[view].view_of = op.outputs[0];
      usable_.push_back(view);
    }
  }

  Random random_;
  const RandomNetworkParams& params_;
  Network net_;
  std::vector<TensorIndex> usable_;
};

class DenseMaker {
 public:
  DenseMaker(std::uint64_t seed, const RandomNetworkParams& params)
      : random_(seed), params_(params) {}

  Network make() {
    net_.name = "dense";
    const TensorIndex input =
        add_tensor(net_,
                   {1, random_.between(1, params_.channels), random_.between(2, params_.extent),
                    random_.between(2, params_.extent)},
                   TensorKind::activation);
    net_.inputs = {input};
    all_ = {input};
    while (net_.ops.size() < params_.ops) {
      if (all_.size() > 2 && random_.chance(45))
        join();
      else
        compute(random_.chance(60) ? all_.back() : random_.pick(all_));
    }
    std::set<TensorIndex> read;
    for (const Op& op : net_.ops) read.insert(op.inputs.begin(), op.inputs.end());
    for (const TensorIndex t : all_)
      if (t != input && (!read.contains(t) || random_.chance(5))) net_.outputs.push_back(t);
    const std::vector<NetworkDefect> defects = check_network(net_);
    if (!defects.empty()) throw std::logic_error(defects.front().message);
    return net_;
  }

 private:
  const Shape& shape(TensorIndex t) const { return net_.tensors[t].shape; }
  void add(Op op, const Shape& made) {
    op.name = "op" + std::to_string(net_.ops.size());
    op.outputs.assign(1, add_tensor(net_, made, TensorKind::activation));
    all_.push_back(op.outputs.front());
    net_.ops.push_back(std::move(op));
  }

  void compute(TensorIndex x) {
    Shape made = shape(x);
    if (random_.chance(25))
      return add({.kind = OpKind::elementwise, .function = "relu", .inputs = {x}}, made);
    const Dim kernel = random_.chance(50) ? 3 : 1;
    const Dim stride = random_.chance(15) && made[2] > 2 && made[3] > 2 ? 2 : 1;
    Op op{.kind = OpKind::conv, .inputs = {x}};
    op.kernel = {kernel, kernel};
    op.stride = {stride, stride};
    op.dilation = {1, 1};
    op.pad_begin = op.pad_end = {kernel / 2, kernel / 2};
    const Dim channels = random_.between(1, 2 * params_.channels);
    op.inputs.push_back(add_tensor(net_, {channels, made[1], kernel, kernel}, TensorKind::weight));
    made[1] = channels;
    for (std::size_t axis = 2; axis < 4; ++axis) made[axis] = (made[axis] - 1) / stride + 1;
    add(std::move(op), made);
  }

  /// Tensors with the height and width of the last one, in some order: often in that of an earlier
  /// concatenation.
  void join() {
    const Shape& last = shape(all_.back());
    std::vector<TensorIndex> fitting;
    for (const TensorIndex t : all_)
      if (shape(t)[2] == last[2] && shape(t)[3] == last[3] &&
          (t != all_.front() || random_.chance(10)))
        fitting.push_back(t);
    std::vector<TensorIndex> some;
    for (const TensorIndex t : fitting)
      if (some.size() < 4 && (t == all_.back() || random_.chance(50))) some.push_back(t);
    if (some.size() < 2) return compute(all_.back());
    if (random_.chance(30)) random_.shuffle(some);
    Op op{.kind = OpKind::concat, .inputs = some};
    op.axes = {1};
    Shape made = last;
    made[1] = 0;
    for (const TensorIndex t : some) made[1] += shape(t)[1];
    if (made[1] > 12 * params_.channels) return compute(all_.back());
    add(std::move(op), made);
  }

  Random random_;
  const RandomNetworkParams& params_;
  Network net_;
  std::vector<TensorIndex> all_;
};

}  // namespace

Network random_dense_network(std::uint64_t seed, const RandomNetworkParams& params) {
  return DenseMaker(seed, params).make();
}

Network random_network(std::uint64_t seed, const RandomNetworkParams& params) {
  return NetworkMaker(seed, params).make();
}

Size bytes_of(const Network& network) {
  Size total = 0;
  for (const Tensor& tensor : network.tensors) total += tensor_bytes(tensor);
  return total;
}

}  // namespace tessera::testing
