#include "tiling/reduction.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "tiling/ceil_div.h"
#include "tiling/engine_choice.h"
#include "tiling/joined.h"
#include "tiling/loops.h"

namespace tessera::tiling {
namespace {

/// The reduced axes of a product.
struct ReducedAxes {
  std::size_t input = 0;
  std::size_t weights = 0;
};

std::optional<ReducedAxes> reduced_axes(const Network& network, const Op& op) {
  if (!is_product(op) || op.inputs.size() < 2 || op.outputs.size() != 1) return std::nullopt;
  const std::size_t rank = network.tensors[op.inputs[0]].shape.size();
  const std::size_t weights = network.tensors[op.inputs[1]].shape.size();
  if (op.kind == OpKind::matmul) {
    if (rank < 2 || weights != 2) return std::nullopt;
    return ReducedAxes{rank - (op.transpose_a ? 2 : 1), op.transpose_b ? 1U : 0U};
  }
  if (op.groups != 1) return std::nullopt;
  return ReducedAxes{1, op.kind == OpKind::conv ? 1U : 0U};
}

/// The array that computes the op, if any.
const Engine* array_of(const Network& network, const Op& op, const Hardware& hardware) {
  const auto chosen = choose_engine(network, op, hardware);
  if (!chosen || !chosen->by_mapping) return nullptr;
  return &hardware.engines[chosen->engine];
}

/// The element type of sums with at least this many bytes.
ElementType sums_of(ElementType added, Size bytes) {
  if (is_floating(added))
    return bytes <= 2   ? ElementType::float16
           : bytes <= 4 ? ElementType::float32
                        : ElementType::float64;
  return bytes <= 1   ? ElementType::int8
         : bytes <= 2 ? ElementType::int16
         : bytes <= 4 ? ElementType::int32
                      : ElementType::int64;
}

/// The local tensor at a position of the op, if this is its only use in the group.
std::optional<std::size_t> only_use(const Subgraph& part, Step step, std::size_t position) {
  std::optional<std::size_t> found;
  const auto& operands = part.operands_at[static_cast<std::size_t>(step)];
  for (const LocalOperand& operand : operands)
    if (operand.position == position && operand.seen_as == part.tensors[operand.local].tensor)
      found = operand.local;
  if (!found || part.tensors[*found].consumers.size() != 1) return std::nullopt;
  const auto same = [&](const LocalOperand& operand) { return operand.local == *found; };
  return std::ranges::count_if(operands, same) == 1 ? found : std::nullopt;
}

bool is_reducible(const Subgraph& part, Step step, const Hardware& hardware) {
  const Op& op = part.op(step);
  if (!reduced_axes(*part.network, op)) return false;
  const auto input = only_use(part, step, 0);
  const auto weights = only_use(part, step, 1);
  return input && weights && is_loaded(part.tensors[*input]) && !part.tensors[*input].weight &&
         is_loaded(part.tensors[*weights]) && part.tensors[*weights].weight &&
         array_of(*part.network, op, hardware) != nullptr;
}

class Splitter {
 public:
  Splitter(const Subgraph& whole, const Hardware& hardware, Step at, Dim parts)
      : whole_(whole),
        hardware_(hardware),
        at_(at),
        parts_(parts),
        axes_(*reduced_axes(*whole.network, whole.op(at))),
        input_(*only_use(whole, at, 0)),
        weights_(*only_use(whole, at, 1)) {}

  std::optional<Subgraph> run() {
    if (!find_extent()) return std::nullopt;
    network_->name = whole_.network->name;
    for (std::size_t step = 0; step < whole_.steps(); ++step) {
      if (static_cast<Step>(step) != at_)
        network_->ops.push_back(of(whole_.op(static_cast<Step>(step))));
      else if (!add_parts())
        return std::nullopt;
    }
    std::vector<TensorIndex> passing;
    for (const TensorIndex t : whole_.passing) passing.push_back(of(t));
    add_outsides();
    Subgraph part = make_subgraph(*network_, {0, network_->ops.size() - 1}, readers());
    for (LocalTensor& local : part.tensors) describe(local);
    share_place(part);
    part.passing = std::move(passing);
    part.passing_in = whole_.passing_in;
    part.brick = whole_.brick;
    part.origin = std::move(origin_);
    part.split_at = at_;
    part.split_parts = parts_;
    part.own = std::move(network_);
    join_in_place(part, hardware_);
    return part;
  }

 private:
  /// Sets the channels of a part. Returns false if there are fewer channels than parts.
  bool find_extent() {
    const Dim all = whole_.tensor(input_).shape[axes_.input];
    const Dim brick =
        has_layout(whole_.tensor(input_)) && axes_.input == 1 ? brick_of(whole_, input_) : 1;
    if (parts_ > all) return false;
    extent_ = in_bricks(ceil_div(all, parts_), brick);
    return ceil_div(all, extent_) == parts_;
  }

  /// The tensor in the network of the split group.
  TensorIndex of(TensorIndex original) {
    const auto known = of_.find(original);
    if (known != of_.end()) return known->second;
    Tensor tensor = whole_.network->tensors[original];
    if (tensor.view_of) tensor.view_of = of(*tensor.view_of);
    return of_[original] = add(std::move(tensor), original);
  }
  Op of(Op op) {
    for (TensorIndex& t : op.inputs) t = of(t);
    for (TensorIndex& t : op.outputs) t = of(t);
    for (Fused& fused : op.fused)
      for (TensorIndex& t : fused.operands) t = of(t);
    return op;
  }
  TensorIndex add(Tensor tensor, TensorIndex original) {
    network_->tensors.push_back(std::move(tensor));
    origin_.push_back(original);
    return network_->tensors.size() - 1;
  }

  /// Adds a slice of the tensor along the axis.
  TensorIndex add_slice(std::size_t local, std::size_t axis, Dim number) {
    const Tensor& whole = whole_.tensor(local);
    const Dim begin = number * extent_;
    Tensor slice = whole;
    slice.name += ".part" + std::to_string(number + 1);
    slice.shape[axis] = std::min(extent_, whole.shape[axis] - begin);
    const ElementBytes& stored = whole_.tensors[local].bytes;
    // Each part takes its share of the encoded size.
    if (stored.encoded > 0)
      slice.encoded = std::max<Size>(1, stored.of(element_count(slice.shape).value_or(1)));
    const TensorIndex added = add(std::move(slice), whole_.tensors[local].tensor);
    if (local == input_) slices_[added] = {of(whole_.tensors[local].tensor), axis, begin};
    return added;
  }

  /// Adds the product as several ops. Returns false if another engine would compute one of them.
  bool add_parts() {
    const Op whole = whole_.op(at_);
    const Engine* const array = array_of(*whole_.network, whole, hardware_);
    Tensor sums = whole_.network->tensors[whole.outputs[0]];
    sums.type = sums_of(whole_.tensor(input_).type, array->blocks.sum_bytes);
    sums.view_of.reset();
    const Op last = of(whole);
    std::optional<TensorIndex> before;
    for (Dim k = 0; k < parts_; ++k) {
      Op op = last;
      op.inputs[0] = add_slice(input_, axes_.input, k);
      op.inputs[1] = add_slice(weights_, axes_.weights, k);
      if (k + 1 < parts_) {
        op.inputs.resize(2);  // bias and fused functions are in the last part
        op.fused.clear();
        Tensor made = sums;
        made.name += ".sums" + (k == 0 ? "" : std::to_string(k + 1));
        op.outputs = {add(std::move(made), whole.outputs[0])};
        sums_.push_back(op.outputs[0]);
      }
      if (before) op.fused.insert(op.fused.begin(), {.function = "add", .operands = {*before}});
      before = op.outputs[0];
      network_->ops.push_back(std::move(op));
      if (array_of(*network_, network_->ops.back(), hardware_) != array) return false;
    }
    return true;
  }

  /// Inputs and outputs of the network that the group touches.
  void add_outsides() {
    const auto is_one = [&](const std::vector<TensorIndex>& list, TensorIndex t) {
      return std::ranges::find(list, t) != list.end();
    };
    for (TensorIndex t = 0; t < network_->tensors.size(); ++t) {
      if (std::ranges::find(sums_, t) != sums_.end()) continue;
      if (is_one(whole_.network->inputs, origin_[t])) network_->inputs.push_back(t);
      if (is_one(whole_.network->outputs, origin_[t])) network_->outputs.push_back(t);
    }
  }

  /// As last_readers(): a leaving tensor has a reader after the group.
  [[nodiscard]] std::vector<std::optional<OpIndex>> readers() const {
    std::vector<std::optional<OpIndex>> readers(network_->tensors.size());
    for (OpIndex k = 0; k < network_->ops.size(); ++k)
      for (const TensorIndex t : operands(network_->ops[k])) readers[storage_of(*network_, t)] = k;
    for (const LocalTensor& local : whole_.tensors)
      if (local.leaves) readers[of_.at(local.tensor)] = network_->ops.size();
    return readers;
  }

  void describe(LocalTensor& local) const {
    if (std::ranges::find(sums_, local.tensor) != sums_.end()) return;
    const TensorIndex original = origin_[local.tensor];
    const auto same = std::ranges::find(whole_.tensors, original, &LocalTensor::tensor);
    local.outside = same->outside;
    local.kept = same->kept;
    local.made_in = same->made_in;
    if (same->bytes.encoded > 0) {
      local.bytes = bytes_of(network_->tensors[local.tensor]);
      local.bytes.encoded = network_->tensors[local.tensor].encoded.value_or(same->bytes.encoded);
    }
    const auto slice = slices_.find(local.tensor);
    if (slice != slices_.end()) local.slice = slice->second;
  }

  /// Each partial sum is in the buffer of the previous one.
  void share_place(Subgraph& part) const {
    const auto local = [&](TensorIndex sums) {
      const auto at = std::ranges::find(part.tensors, sums, &LocalTensor::tensor);
      return static_cast<std::size_t>(at - part.tensors.begin());
    };
    for (std::size_t k = 1; k < sums_.size(); ++k)
      part.tensors[local(sums_[k])].in_place_of = local(sums_.front());
  }

  const Subgraph& whole_;
  const Hardware& hardware_;
  Step at_;
  Dim parts_;
  ReducedAxes axes_;
  std::size_t input_;  ///< local tensors of the whole group
  std::size_t weights_;
  Dim extent_ = 1;
  std::shared_ptr<Network> network_ = std::make_shared<Network>();
  std::vector<TensorIndex> origin_;
  std::unordered_map<TensorIndex, TensorIndex> of_;
  std::unordered_map<TensorIndex, TensorSlice> slices_;
  std::vector<TensorIndex> sums_;
};

}  // namespace

std::optional<Step> reducible_step(const Subgraph& part, const Hardware& hardware) {
  for (std::size_t step = 0; step < part.steps(); ++step)
    if (is_reducible(part, static_cast<Step>(step), hardware)) return static_cast<Step>(step);
  return std::nullopt;
}

std::optional<Subgraph> split_reduction(const Subgraph& part, const Hardware& hardware, Dim parts) {
  const std::optional<Step> at = reducible_step(part, hardware);
  if (!at || parts < 2) return std::nullopt;
  return Splitter(part, hardware, *at, parts).run();
}

}  // namespace tessera::tiling
