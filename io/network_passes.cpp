#include "io/network_passes.h"

#include <algorithm>
#include <set>

#include "model/network_order.h"
#include "model/network_types.h"
#include "model/poll.h"
#include "tessera/network_shapes.h"

namespace tessera::io {
namespace {

/// A network being modified: ops are marked dead and removed at the end.
class Passes {
 public:
  Passes(Network network, const Budget& budget) : net_(std::move(network)), poll_(budget) {
    index();
  }

  Network run(const SimplifyOptions& options) {
    sweep();
    if (options.recognise) {
      each([&](OpIndex k) { recognise_norm(k); });
      sweep();
      each([&](OpIndex k) { collapse_pointwise(k); });
      sweep();
    }
    if (options.fold_batch_norm) {
      each([&](OpIndex k) { fold_batch_norm(k); });
      sweep();
    }
    if (options.fuse_activations) {
      each([&](OpIndex k) { fuse(k); });
      sweep();
    }
    if (options.dtype) replace_floating(net_, *options.dtype);
    return normalized(net_);
  }

 private:
  template <typename Pass>
  void each(Pass pass) {
    for (OpIndex k = 0; k < net_.ops.size(); ++k) {
      poll_(16);
      pass(k);
    }
  }

  Op& op(OpIndex k) { return net_.ops[k]; }
  bool is_weight(TensorIndex t) const { return net_.tensors[t].kind == TensorKind::weight; }
  const std::vector<Dim>& shape(TensorIndex t) const { return net_.tensors[t].shape; }

  void index() {
    producer_.assign(net_.tensors.size(), std::nullopt);
    readers_.assign(net_.tensors.size(), {});
    twice_.assign(net_.tensors.size(), false);
    kept_.assign(net_.tensors.size(), false);
    dead_.assign(net_.ops.size(), false);
    for (OpIndex k = 0; k < net_.ops.size(); ++k) {
      for (const TensorIndex t : net_.ops[k].outputs) producer_[t] = k;
      for (const TensorIndex t : operands(net_.ops[k])) {
        if (is_weight(t)) continue;
        if (!readers_[t].empty() && readers_[t].back() == k)
          twice_[t] = true;
        else
          readers_[t].push_back(k);
      }
    }
    for (const TensorIndex t : net_.outputs) kept_[t] = true;
    for (const Tensor& tensor : net_.tensors)
      if (tensor.view_of) kept_[*tensor.view_of] = true;  // some readers are unknown here
  }

  /// Removes dead ops, and ops without readers.
  void sweep() {
    std::vector<bool> used(net_.tensors.size());
    const auto use = [&](TensorIndex t) { used[t] = used[storage_of(net_, t)] = true; };
    std::ranges::for_each(net_.outputs, use);
    for (OpIndex k = net_.ops.size(); k-- > 0;) {
      const auto wanted = [&](TensorIndex t) { return used[t]; };
      if (!dead_[k] && !std::ranges::any_of(op(k).outputs, wanted)) dead_[k] = true;
      if (!dead_[k]) std::ranges::for_each(operands(op(k)), use);
    }
    std::vector<Op> alive;
    for (OpIndex k = 0; k < net_.ops.size(); ++k)
      if (!dead_[k]) alive.push_back(std::move(op(k)));
    net_.ops = std::move(alive);
    net_ = normalized(net_);
    index();
  }

  /// The op that makes the tensor, if `reader` is its only reader.
  std::optional<OpIndex> private_producer(TensorIndex t, OpIndex reader) const {
    const bool alone = std::ranges::all_of(readers_[t], [&](OpIndex k) { return k == reader; });
    if (!producer_[t] || dead_[*producer_[t]] || kept_[t] || !alone) return std::nullopt;
    return producer_[t];
  }
  /// The op that reads the tensor, if there is exactly one.
  std::optional<OpIndex> only_reader(TensorIndex t) const {
    if (kept_[t] || twice_[t] || readers_[t].size() != 1 || dead_[readers_[t][0]])
      return std::nullopt;
    return readers_[t][0];
  }
  bool is_function(OpIndex k, std::string_view function) const {
    return !dead_[k] && net_.ops[k].kind == OpKind::elementwise &&
           net_.ops[k].function == function && net_.ops[k].fused.empty();
  }
  bool is_mean(OpIndex k) const {
    return !dead_[k] && net_.ops[k].kind == OpKind::reduce && net_.ops[k].function == "mean" &&
           net_.ops[k].keep_dims;
  }
  /// The only reader of `k`'s output, if it has this function.
  std::optional<OpIndex> next(std::optional<OpIndex> k, std::string_view function) const {
    if (!k) return std::nullopt;
    const std::optional<OpIndex> reader = only_reader(net_.ops[*k].outputs[0]);
    return reader && is_function(*reader, function) ? reader : std::nullopt;
  }

  /// mean; subtract; square; mean; add; square root; divide; optionally scale and shift: the
  /// decomposition of LayerNorm by exporters whose operator set lacks it.
  void recognise_norm(OpIndex mean) {
    if (!is_mean(mean)) return;
    const TensorIndex x = op(mean).inputs[0];
    const std::optional<OpIndex> sub = next(mean, "sub");
    if (!sub || op(*sub).inputs != std::vector<TensorIndex>{x, op(mean).outputs[0]}) return;
    const TensorIndex centred = op(*sub).outputs[0];
    if (kept_[centred]) return;
    std::optional<OpIndex> square;
    std::optional<OpIndex> divide;
    for (const OpIndex reader : readers_[centred]) {
      if (is_function(reader, "pow") || is_function(reader, "mul"))
        square = reader;
      else if (is_function(reader, "div"))
        divide = reader;
      else
        return;
    }
    if (!square || !divide || op(*divide).inputs.size() != 2) return;
    for (const TensorIndex t : op(*square).inputs)
      if (t != centred) return;
    const std::optional<OpIndex> variance = only_reader(op(*square).outputs[0]);
    if (!variance || !is_mean(*variance) || op(*variance).axes != op(mean).axes) return;
    const std::optional<OpIndex> root = next(next(variance, "add"), "sqrt");
    if (!root || next(root, "div") != divide) return;
    if (op(*divide).inputs != std::vector<TensorIndex>{centred, op(*root).outputs[0]}) return;

    Op norm;
    norm.kind = OpKind::normalize;
    norm.name = op(mean).name;
    norm.axes = op(mean).axes;
    norm.inputs = {x};
    OpIndex last = *divide;
    for (const char* function : {"mul", "add"}) {  // a shift only after a scale
      const std::optional<OpIndex> affine = next(last, function);
      if (!affine || op(*affine).inputs.size() != 2) break;
      const bool first = op(*affine).inputs[0] == op(last).outputs[0];
      const TensorIndex weight = op(*affine).inputs[first ? 1 : 0];
      if (!is_weight(weight) || broadcast_shape({shape(x), shape(weight)}) != shape(x)) break;
      norm.inputs.push_back(weight);
      last = *affine;
    }
    norm.outputs = op(last).outputs;
    replace(last, std::move(norm));
  }

  /// Replaces op `at`; ops that become unnecessary are removed later. A tensor read by both keeps
  /// its list of readers, which may be long.
  void replace(OpIndex at, Op with) {
    const std::vector<TensorIndex> before = operands(op(at));
    const std::vector<TensorIndex> after = operands(with);
    for (const TensorIndex t : before)
      if (!is_weight(t) && std::ranges::find(after, t) == after.end()) std::erase(readers_[t], at);
    for (const TensorIndex t : after)
      if (!is_weight(t) && std::ranges::find(before, t) == before.end()) readers_[t].push_back(at);
    for (const TensorIndex t : with.outputs) producer_[t] = at;
    op(at) = std::move(with);
  }

  /// Can the producer of the tensor never be part of a pointwise expression?
  bool closed(TensorIndex t) const {
    return kept_[t] || !producer_[t] || dead_[*producer_[t]] ||
           net_.ops[*producer_[t]].kind != OpKind::elementwise ||
           !net_.ops[*producer_[t]].fused.empty();
  }

  /// An elementwise op whose inputs derive from one tensor through private elementwise ops is one
  /// function of that tensor: x * sigmoid(x), or GELU written with erf. The number of ops is
  /// limited to that of the longest known function; otherwise the time is quadratic in the size of
  /// the network.
  void collapse_pointwise(OpIndex last) {
    if (dead_[last] || op(last).kind != OpKind::elementwise) return;
    std::set<OpIndex> inside{last};
    std::set<TensorIndex> open;
    std::vector<TensorIndex> weights;
    std::set<std::string> functions{op(last).function};
    const auto take = [&](OpIndex k) {
      for (const TensorIndex t : op(k).inputs) {
        if (is_weight(t))
          weights.push_back(t);
        else
          open.insert(t);
      }
    };
    take(last);
    constexpr std::size_t longest = 64;
    while (open.size() > 1) {
      if (inside.size() >= longest || open.size() > longest) return;
      if (std::ranges::count_if(open, [&](TensorIndex t) { return closed(t); }) > 1) return;
      // Last op first: the others may be inputs of it.
      std::optional<OpIndex> best;
      for (const TensorIndex t : open) {
        const std::optional<OpIndex> k = producer_[t];
        const auto within = [&](OpIndex reader) { return inside.contains(reader); };
        if (!closed(t) && std::ranges::all_of(readers_[t], within) && (!best || *k > *best))
          best = k;
      }
      if (!best) return;
      open.erase(op(*best).outputs[0]);
      inside.insert(*best);
      functions.insert(op(*best).function);
      take(*best);
    }
    if (inside.size() == 1 || open.empty()) return;
    const TensorIndex x = *open.begin();
    const TensorIndex out = op(last).outputs[0];
    if (shape(x) != shape(out)) return;
    Op one;
    one.kind = OpKind::elementwise;
    one.name = op(last).name;
    one.function = functions.contains("erf")                              ? "gelu"
                   : functions == std::set<std::string>{"mul", "sigmoid"} ? "silu"
                                                                          : "pointwise";
    one.inputs = {x};
    one.inputs.insert(one.inputs.end(), weights.begin(), weights.end());
    one.outputs = {out};
    for (const OpIndex k : inside)
      if (k != last) dead_[k] = true;
    replace(last, std::move(one));
  }

  void fold_batch_norm(OpIndex k) {
    if (dead_[k] || op(k).kind != OpKind::batch_norm) return;
    for (std::size_t i = 1; i < op(k).inputs.size(); ++i)
      if (!is_weight(op(k).inputs[i])) return;
    const std::optional<OpIndex> conv = private_producer(op(k).inputs[0], k);
    if (!conv || !op(*conv).fused.empty()) return;
    Op& target = op(*conv);
    if (target.kind != OpKind::conv && target.kind != OpKind::conv_transpose) return;
    if (target.inputs.size() == 2) {
      // The scale is folded into the filters; one added value per channel remains.
      if (op(k).inputs.size() < 3) return;
      target.inputs.push_back(op(k).inputs[2]);
    }
    move_output(*conv, k);
  }

  /// Op k makes the output of `reader`, which is removed.
  void move_output(OpIndex k, OpIndex reader) {
    op(k).outputs = op(reader).outputs;
    producer_[op(k).outputs[0]] = k;
    dead_[reader] = true;
  }

  static bool computes(OpKind kind) {
    switch (kind) {
      case OpKind::conv:
      case OpKind::conv_transpose:
      case OpKind::max_pool:
      case OpKind::average_pool:
      case OpKind::reduce:
      case OpKind::matmul:
      case OpKind::elementwise:
      case OpKind::normalize:
      case OpKind::batch_norm:
        return true;
      default:
        return false;
    }
  }

  /// Fuses an elementwise op of one activation into the op that makes it.
  void fuse(OpIndex k) {
    if (dead_[k] || op(k).kind != OpKind::elementwise) return;
    std::optional<TensorIndex> x;
    std::vector<TensorIndex> weights;
    for (const TensorIndex t : op(k).inputs) {
      if (is_weight(t))
        weights.push_back(t);
      else if (x && *x != t)
        return;
      else
        x = t;
    }
    if (!x || shape(*x) != shape(op(k).outputs[0])) return;
    if (net_.tensors[*x].type != net_.tensors[op(k).outputs[0]].type) return;
    const std::optional<OpIndex> maker = private_producer(*x, k);
    if (!maker || !computes(op(*maker).kind)) return;
    Op& target = op(*maker);
    const bool bias = target.kind == OpKind::matmul && target.inputs.size() == 2 &&
                      target.fused.empty() && op(k).function == "add" && weights.size() == 1 &&
                      op(k).fused.empty() && !net_.tensors[weights[0]].quantization;
    if (bias) {
      target.inputs.push_back(weights[0]);
    } else {
      target.fused.push_back({op(k).function, weights});
      for (Fused& more : op(k).fused) target.fused.push_back(std::move(more));
    }
    move_output(*maker, k);
  }

  Network net_;
  Poll poll_;
  std::vector<std::optional<OpIndex>> producer_;
  std::vector<std::vector<OpIndex>> readers_;  ///< of activations, each op once
  std::vector<bool> twice_;                    ///< an op reads it more than once
  std::vector<bool> kept_;                     ///< is a result, or has views
  std::vector<bool> dead_;
};

}  // namespace

Network simplified(Network network, const SimplifyOptions& options) {
  return Passes(std::move(network), options.budget).run(options);
}

}  // namespace tessera::io
