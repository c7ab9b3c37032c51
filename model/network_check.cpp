// check_network(): the invariants that all other modules require.
#include <algorithm>
#include <unordered_set>

#include "model/quantization.h"
#include "say.h"
#include "tessera/network_shapes.h"

namespace tessera {
namespace {

constexpr Size most_encoded = Size{1} << 44;

using Shape = std::vector<Dim>;

std::string text(const Shape& shape) {
  std::string out = "[";
  for (const Dim extent : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(extent);
  return out + "]";
}

class NetworkChecker {
 public:
  explicit NetworkChecker(const Network& network) : net_(network) {}

  std::vector<NetworkDefect> run() {
    if (!indices()) return std::move(defects_);  // later checks require valid indices
    tensors();
    views();
    if (!defects_.empty()) return std::move(defects_);
    order();
    for (std::size_t k = 0; k < net_.ops.size(); ++k) shapes(k);
    return std::move(defects_);
  }

 private:
  static bool rules_exist(const Op& op) {
    return op.kind <= OpKind::opaque &&
           op.resize.coordinates <= ResizeRule::Coordinates::align_corners &&
           op.resize.nearest <= ResizeRule::Nearest::ceil;
  }

  template <typename... Pieces>
  void wrong(NetworkPart part, std::size_t index, const Pieces&... pieces) {
    defects_.push_back({part, index, say(pieces...)});
  }
  bool exists(TensorIndex index) const { return index < net_.tensors.size(); }

  bool indices() {
    for (std::size_t t = 0; t < net_.tensors.size(); ++t)
      if (net_.tensors[t].view_of && !exists(*net_.tensors[t].view_of))
        wrong(NetworkPart::tensor, t, "tensor '", net_.tensors[t].name,
              "' is a view of an unknown tensor");
    for (std::size_t k = 0; k < net_.ops.size(); ++k) {
      const Op& op = net_.ops[k];
      const auto bad = [&](TensorIndex t) { return !exists(t); };
      if (std::ranges::any_of(operands(op), bad) || std::ranges::any_of(op.outputs, bad))
        wrong(NetworkPart::op, k, "op '", op.name, "' names an unknown tensor");
    }
    if (!std::ranges::all_of(net_.inputs, [&](TensorIndex t) { return exists(t); }) ||
        !std::ranges::all_of(net_.outputs, [&](TensorIndex t) { return exists(t); }))
      wrong(NetworkPart::network, 0, "the network names an unknown input or output");
    return defects_.empty();
  }

  void tensors() {
    std::unordered_set<std::string_view> names;
    for (std::size_t t = 0; t < net_.tensors.size(); ++t) {
      const Tensor& tensor = net_.tensors[t];
      if (tensor.name.empty()) wrong(NetworkPart::tensor, t, "tensor ", t, " has no name");
      if (!is_printable(tensor.name))
        wrong(NetworkPart::tensor, t, "tensor ", t, " has a name with a control character");
      if (tensor.type > ElementType::boolean || tensor.kind > TensorKind::weight)
        wrong(NetworkPart::tensor, t, "tensor '", tensor.name, "' has an unknown element type");
      else if (tensor.kind != TensorKind::weight && unpacked(tensor.type) != tensor.type)
        wrong(NetworkPart::tensor, t, "tensor '", tensor.name, "' is an activation of type ",
              to_string(tensor.type), ", which is a weight type; activations use ",
              to_string(unpacked(tensor.type)));
      if (!names.insert(tensor.name).second)
        wrong(NetworkPart::tensor, t, "two tensors are named '", tensor.name, "'");
      if (tensor.shape.size() > max_rank)
        wrong(NetworkPart::tensor, t, "tensor '", tensor.name, "' has ", tensor.shape.size(),
              " axes; at most ", max_rank, " are supported");
      for (const Dim extent : tensor.shape)
        if (extent < 1 || extent > max_extent)
          wrong(NetworkPart::tensor, t, "tensor '", tensor.name, "' has extent ", extent,
                "; extents lie within 1 .. ", max_extent);
      const std::optional<std::int64_t> count = element_count(tensor.shape);
      if (tensor.encoded && (tensor.kind != TensorKind::weight || tensor.view_of))
        wrong(NetworkPart::tensor, t, "tensor '", tensor.name,
              "' is encoded, but is not a weight with its own data");
      if (tensor.encoded && (*tensor.encoded < 1 || *tensor.encoded > most_encoded))
        wrong(NetworkPart::tensor, t, "tensor '", tensor.name, "' has ", *tensor.encoded,
              " encoded bytes; they lie within 1 .. ", most_encoded);
      if (tensor.joined)
        wrong(NetworkPart::tensor, t, "tensor '", tensor.name,
              "' has an off-chip location, which only a plan may set");
      if (tensor.pinned)
        wrong(NetworkPart::tensor, t, "tensor '", tensor.name,
              "' is pinned, which only a plan may set");
      if (tensor.quantization && tensor.type <= ElementType::boolean)
        if (const std::string why =
                quantization_error(*tensor.quantization, tensor.shape, tensor.type);
            !why.empty())
          wrong(NetworkPart::tensor, t, "tensor '", tensor.name, "' ", why);
      if (!count || *count > (std::int64_t{1} << 40))
        wrong(NetworkPart::tensor, t, "tensor '", tensor.name, "' is too large");
    }
    names.clear();
    for (std::size_t k = 0; k < net_.ops.size(); ++k) {
      if (net_.ops[k].name.empty()) wrong(NetworkPart::op, k, "op ", k, " has no name");
      if (!is_printable(net_.ops[k].name))
        wrong(NetworkPart::op, k, "op ", k, " has a name with a control character");
      if (!rules_exist(net_.ops[k]))
        wrong(NetworkPart::op, k, "op '", net_.ops[k].name, "' has an unknown kind");
      if (!names.insert(net_.ops[k].name).second)
        wrong(NetworkPart::op, k, "two ops are named '", net_.ops[k].name, "'");
    }
    if (net_.ops.empty()) wrong(NetworkPart::network, 0, "the network has no ops");
    if (net_.outputs.empty()) wrong(NetworkPart::network, 0, "the network has no outputs");
  }

  /// Tensors that are views of themselves, directly or indirectly. Each chain is followed once.
  std::vector<bool> circular() const {
    enum : char { fresh, on_the_way, ends, turns };
    std::vector<char> state(net_.tensors.size(), fresh);
    std::vector<TensorIndex> way;
    for (std::size_t t = 0; t < net_.tensors.size(); ++t) {
      TensorIndex at = t;
      for (way.clear(); state[at] == fresh && net_.tensors[at].view_of;
           at = *net_.tensors[at].view_of) {
        state[at] = on_the_way;
        way.push_back(at);
      }
      const char found = state[at] == on_the_way || state[at] == turns ? turns : ends;
      for (const TensorIndex each : way) state[each] = found;
    }
    std::vector<bool> list(state.size());
    for (std::size_t t = 0; t < list.size(); ++t) list[t] = state[t] == turns;
    return list;
  }

  [[nodiscard]] static const char* kind_word(const Tensor& tensor) {
    return tensor.kind == TensorKind::weight ? "a weight (`kind: weight`)" : "not a weight";
  }

  void views() {
    const std::vector<bool> turns = circular();
    for (std::size_t t = 0; t < net_.tensors.size(); ++t) {
      const Tensor& tensor = net_.tensors[t];
      if (!tensor.view_of) continue;
      // A chain of views is valid if each link is.
      const Tensor& source = net_.tensors[*tensor.view_of];
      if (turns[t])
        wrong(NetworkPart::tensor, t, "tensor '", tensor.name, "' is a view of itself");
      else if (tensor.kind != source.kind)
        wrong(NetworkPart::tensor, t, "view '", tensor.name, "' is ", kind_word(tensor), ", but '",
              source.name, "', which it is a view of, is ", kind_word(source));
      else if (element_count(tensor.shape) != element_count(source.shape) ||
               tensor.type != source.type)
        wrong(NetworkPart::tensor, t, "view '", tensor.name, "' ", text(tensor.shape), " of ",
              to_string(tensor.type), " has another number of elements than '", source.name, "' ",
              text(source.shape), " of ", to_string(source.type));
      else if (tensor.quantization != source.quantization ||
               (tensor.quantization && tensor.quantization->scale.size() > 1 &&
                tensor.shape != source.shape))
        wrong(NetworkPart::tensor, t, "view '", tensor.name, "' has other scales than '",
              source.name, "', which it is a view of");
    }
  }

  void order() {
    enum : char { never, outside, made };
    std::vector<char> state(net_.tensors.size(), never);
    for (const TensorIndex t : net_.inputs) {
      if (net_.tensors[t].view_of || net_.tensors[t].kind == TensorKind::weight)
        wrong(NetworkPart::tensor, t, "input '", net_.tensors[t].name, "' is a view or a weight");
      if (state[t] != never)
        wrong(NetworkPart::tensor, t, "input '", net_.tensors[t].name, "' is listed twice");
      state[t] = outside;
    }
    for (std::size_t t = 0; t < net_.tensors.size(); ++t)
      if (net_.tensors[t].kind == TensorKind::weight) state[t] = outside;
    for (std::size_t k = 0; k < net_.ops.size(); ++k) {
      const Op& op = net_.ops[k];
      for (const TensorIndex t : operands(op))
        if (state[storage_of(net_, t)] == never)
          wrong(NetworkPart::op, k, "op '", op.name, "' reads '", net_.tensors[t].name,
                "' before an op produces it");
      if (op.outputs.empty()) wrong(NetworkPart::op, k, "op '", op.name, "' has no output");
      if (op.outputs.size() > 1 && op.kind != OpKind::opaque)
        wrong(NetworkPart::op, k, "op '", op.name, "' has several outputs");
      for (const TensorIndex t : op.outputs) {
        if (state[t] != never || net_.tensors[t].view_of)
          wrong(NetworkPart::op, k, "op '", op.name, "' produces '", net_.tensors[t].name,
                "', which is an input, a weight, a view or already produced");
        state[t] = made;
      }
    }
    for (const TensorIndex t : net_.outputs)
      if (state[storage_of(net_, t)] == never)
        wrong(NetworkPart::tensor, t, "no op produces output '", net_.tensors[t].name, "'");
  }

  void shapes(std::size_t k) {
    const Op& op = net_.ops[k];
    if (op.outputs.empty()) return;
    const Shape& declared = net_.tensors[op.outputs[0]].shape;
    for (const Fused& fused : op.fused)
      for (const TensorIndex t : fused.operands)
        if (broadcast_shape({declared, net_.tensors[t].shape}) != declared)
          wrong(NetworkPart::op, k, "op '", op.name, "': fused ", fused.function, " has operand '",
                net_.tensors[t].name, "' that does not broadcast onto the output");
    if (op.kind == OpKind::opaque) return;
    std::vector<Shape> inputs;
    for (const TensorIndex t : op.inputs) inputs.push_back(net_.tensors[t].shape);
    std::string error;
    const std::optional<Shape> shape = output_shape(op, inputs, error);
    if (!shape)
      wrong(NetworkPart::op, k, "op '", op.name, "' (", to_string(op.kind), ") ", error);
    else if (work(op, inputs, declared) > most_work)
      wrong(NetworkPart::op, k, "op '", op.name, "' (", to_string(op.kind),
            ") takes more than 2^50 multiplications");
    else if (*shape != declared)
      wrong(NetworkPart::op, k, "op '", op.name, "' (", to_string(op.kind), ") produces ",
            text(*shape), " but '", net_.tensors[op.outputs[0]].name, "' is declared as ",
            text(declared));
    else if (const std::string why = quantization_error(net_, op); !why.empty())
      wrong(NetworkPart::op, k, "op '", op.name, "' (", to_string(op.kind), ") ", why);
  }

  /// Far more work than any machine finishes, and far from an overflow of products of loop counts.
  static constexpr double most_work = static_cast<double>(std::int64_t{1} << 50);

  /// A lower bound of the multiplications or comparisons.
  static double work(const Op& op, const std::vector<Shape>& inputs, const Shape& out) {
    const auto product = [](const Shape& shape) {
      double all = 1;
      for (const Dim extent : shape) all *= static_cast<double>(extent);
      return all;
    };
    switch (op.kind) {
      case OpKind::conv:  // every output element meets a filter
        return product(out) * product(inputs[1]) / static_cast<double>(inputs[1][0]);
      case OpKind::conv_transpose:  // every input element is spread over a filter
        return std::max(product(inputs[0]), product(out)) * product(inputs[1]) /
               static_cast<double>(inputs[1][0]);
      case OpKind::max_pool:
      case OpKind::average_pool:
        return product(out) * product(op.kernel);
      case OpKind::matmul:
        return product(out) * static_cast<double>(op.transpose_a ? inputs[0][inputs[0].size() - 2]
                                                                 : inputs[0].back());
      default:
        return product(out);
    }
  }

  const Network& net_;
  std::vector<NetworkDefect> defects_;
};

}  // namespace

std::vector<NetworkDefect> check_network(const Network& network) {
  return NetworkChecker(network).run();
}

}  // namespace tessera
