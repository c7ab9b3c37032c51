#include <algorithm>

#include "io/network_yaml.h"
#include "model/json_text.h"
#include "model/network_order.h"

namespace tessera::io {
namespace {

/// Plain if every YAML reader takes it as this text, otherwise double-quoted as in JSON.
std::string name_text(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  };
  static constexpr std::string_view words[] = {"null", "true", "false", "yes", "no", "on",
                                               "off",  "y",    "n",     "nan", "inf"};
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const bool letter =
      !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
  if (letter && std::ranges::all_of(text, plain) &&
      std::ranges::find(words, lower) == std::end(words))
    return std::string(text);
  return json_string(text);
}

template <typename Items, typename Show>
std::string list(const Items& items, Show show) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ", ";
    out += show(item);
  }
  return out + "]";
}

template <typename Number>
std::string numbers(const std::vector<Number>& items) {
  return list(items, [](Number each) { return std::to_string(each); });
}

/// Defaults are left out.
std::string scales(const Quantization& given) {
  std::string out = "{scale: " + list(given.scale, [](double each) { return json_number(each); });
  if (std::ranges::any_of(given.zero_point, [](std::int64_t zero) { return zero != 0; }))
    out += ", zero_point: " + numbers(given.zero_point);
  if (given.axis != 0) out += ", axis: " + std::to_string(given.axis);
  return out + "}";
}

class Writer {
 public:
  explicit Writer(const Network& network) : net_(network), private_(private_weights(network)) {}

  std::string write() {
    out_ = "tessera: network/1\n";
    if (!net_.name.empty()) out_ += "name: " + name_text(net_.name) + "\n";
    out_ += "tensors:\n";
    for (std::size_t t = 0; t < net_.tensors.size(); ++t)
      if (!private_[t]) tensor(net_.tensors[t]);
    out_ += "inputs: " + names(net_.inputs) + "\nops:\n";
    for (const Op& op : net_.ops) write_op(op);
    return out_ += "outputs: " + names(net_.outputs) + "\n";
  }

 private:
  std::string names(const std::vector<TensorIndex>& tensors) const {
    return list(tensors, [&](TensorIndex t) { return name_text(net_.tensors[t].name); });
  }

  void tensor(const Tensor& t) {
    // YAML limits plain keys to 1024 characters; longer keys need the mark `?`.
    const std::string name = name_text(t.name);
    out_ += (name.size() <= 1000 ? "  " + name : "  ? " + name + "\n  ") +
            ": {shape: " + numbers(t.shape) + ", dtype: " + std::string(to_string(t.type));
    if (t.kind == TensorKind::weight) out_ += ", kind: weight";
    if (t.encoded) out_ += ", encoded: " + std::to_string(*t.encoded);
    if (t.quantization) out_ += ", quantization: " + scales(*t.quantization);
    if (t.view_of) out_ += ", view_of: " + name_text(net_.tensors[*t.view_of].name);
    out_ += "}\n";
  }

  void key(const char* name, const std::string& value) {
    out_ += ", " + std::string(name) + ": " + value;
  }
  void list_key(const char* name, const std::vector<Dim>& values, Dim standard) {
    if (std::ranges::any_of(values, [&](Dim v) { return v != standard; }))
      key(name, numbers(values));
  }
  void pads(const Op& op) {
    std::vector<Dim> pad = op.pad_begin;
    pad.insert(pad.end(), op.pad_end.begin(), op.pad_end.end());
    list_key("pad", pad, 0);
  }

  void write_op(const Op& op) {
    const bool named =
        std::ranges::find(elementwise_functions(), op.function) != elementwise_functions().end();
    const bool short_type = op.kind == OpKind::elementwise && named;
    out_ += "  - {name: " + name_text(op.name) +
            ", type: " + (short_type ? op.function : std::string(to_string(op.kind)));
    if (!short_type && !op.function.empty() && op.kind != OpKind::pad)
      key("function", name_text(op.function));
    std::vector<TensorIndex> inputs;
    std::vector<TensorIndex> weights;
    for (const TensorIndex t : op.inputs) (private_[t] ? weights : inputs).push_back(t);
    if (!inputs.empty()) key("inputs", names(inputs));
    if (op.outputs.size() == 1)
      key("output", name_text(net_.tensors[op.outputs[0]].name));
    else
      key("outputs", names(op.outputs));
    if (!weights.empty())
      key("weights", list(weights, [&](TensorIndex t) {
            const Tensor& weight = net_.tensors[t];
            return "{name: " + name_text(weight.name) + ", shape: " + numbers(weight.shape) +
                   ", dtype: " + std::string(to_string(weight.type)) +
                   (weight.encoded ? ", encoded: " + std::to_string(*weight.encoded) : "") +
                   (weight.quantization ? ", quantization: " + scales(*weight.quantization) : "") +
                   "}";
          }));
    attributes(op);
    if (!op.fused.empty())
      key("fused", list(op.fused, [&](const Fused& fused) {
            if (fused.operands.empty()) return name_text(fused.function);
            return "{function: " + name_text(fused.function) +
                   ", operands: " + names(fused.operands) + "}";
          }));
    out_ += "}\n";
  }

  void attributes(const Op& op) {
    switch (op.kind) {
      case OpKind::max_pool:
      case OpKind::average_pool:
        key("kernel", numbers(op.kernel));
        if (op.ceil_mode) key("ceil_mode", "true");
        [[fallthrough]];
      case OpKind::conv:
      case OpKind::conv_transpose:
        list_key("stride", op.stride, 1);
        list_key("dilation", op.dilation, 1);
        pads(op);
        list_key("output_padding", op.output_padding, 0);
        if (op.groups != 1) key("groups", std::to_string(op.groups));
        return;
      case OpKind::reduce:
        key("axes", numbers(op.axes));
        if (!op.keep_dims) key("keep_dims", "false");
        return;
      case OpKind::softmax:
      case OpKind::normalize:
      case OpKind::concat:
        key("axes", numbers(op.axes));
        return;
      case OpKind::slice:
        key("axes", numbers(op.axes));
        list_key("begins", op.begins, 0);
        list_key("steps", op.steps, 1);
        key("extents", numbers(op.extents));
        return;
      case OpKind::pad:
        pads(op);
        if (!op.function.empty() && op.function != "constant") key("mode", op.function);
        return;
      case OpKind::resize:
        resize(op);
        return;
      case OpKind::reshape:
        key("shape", numbers(op.extents));
        return;
      case OpKind::transpose:
        key("permutation", numbers(op.permutation));
        return;
      case OpKind::depth_to_space:
        if (!op.depth_first) key("order", "crd");
        [[fallthrough]];
      case OpKind::space_to_depth:
        key("block", std::to_string(op.block));
        return;
      case OpKind::matmul:
        if (op.transpose_a) key("transpose_a", "true");
        if (op.transpose_b) key("transpose_b", "true");
        return;
      case OpKind::elementwise:
      case OpKind::batch_norm:
      case OpKind::opaque:
        return;
    }
  }

  void resize(const Op& op) {
    static constexpr const char* coordinates[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                                  "align_corners"};
    static constexpr const char* nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                              "ceil"};
    key("shape", numbers(op.extents));
    key("mode", op.resize.linear ? "linear" : "nearest");
    key("coordinates", coordinates[static_cast<std::size_t>(op.resize.coordinates)]);
    key("nearest", nearest[static_cast<std::size_t>(op.resize.nearest)]);
  }

  const Network& net_;
  std::vector<bool> private_;
  std::string out_;
};

}  // namespace

std::string write_network_yaml(const Network& network) {
  return Writer(network).write();
}

}  // namespace tessera::io
