// Reads and evaluates small constants.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "io/onnx_model.h"
#include "io/onnx_operators.h"
#include "tessera/network_shapes.h"

namespace tessera::io::onnx_reader {
namespace {

using onnx::NodeProto;
using onnx::TensorProto;
using Shape = std::vector<Dim>;

/// The maximum value if the shape has no valid number of elements.
std::size_t count(const Shape& shape) {
  if (std::ranges::any_of(shape, [](Dim extent) { return extent < 0; }))
    return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(element_count(shape).value_or(-1));
}

template <typename Stored, typename Out>
bool raw(const TensorProto& tensor, std::size_t elements, std::vector<Out>& out) {
  if (tensor.raw_data().size() != elements * sizeof(Stored)) return false;
  for (std::size_t k = 0; k < elements; ++k) {
    Stored value{};
    std::memcpy(&value, tensor.raw_data().data() + k * sizeof(Stored), sizeof(Stored));
    out.push_back(static_cast<Out>(value));
  }
  return true;
}

template <typename Field, typename Out>
bool field(const Field& values, std::size_t elements, std::vector<Out>& out) {
  if (static_cast<std::size_t>(values.size()) != elements) return false;
  for (const auto value : values) out.push_back(static_cast<Out>(value));
  return true;
}

/// Row-major index into an operand of an element of `out`, with broadcasting.
std::size_t broadcast_index(std::size_t flat, const Shape& out, const Shape& in) {
  std::size_t index = 0;
  std::size_t stride = 1;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::size_t axis = out.size() - 1 - k;
    const std::size_t at = flat % static_cast<std::size_t>(out[axis]);
    flat /= static_cast<std::size_t>(out[axis]);
    if (k >= in.size()) continue;
    const auto extent = static_cast<std::size_t>(in[in.size() - 1 - k]);
    if (extent != 1) index += at * stride;
    stride *= extent;
  }
  return index;
}

std::int64_t wrap(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> integer_result(const std::string& op, std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  if (op == "Add") return wrap(ua + ub);
  if (op == "Sub") return wrap(ua - ub);
  if (op == "Mul") return wrap(ua * ub);
  if (op == "Div" && b != 0 && b != -1) return a / b;
  if (op == "Mod" && b > 0) return (a % b + b) % b;
  if (op == "Min") return std::min(a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "Equal") return a == b ? 1 : 0;
  if (op == "Less") return a < b ? 1 : 0;
  if (op == "Greater") return a > b ? 1 : 0;
  return std::nullopt;
}

std::optional<double> real_result(const std::string& op, double a, double b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Pow") return std::pow(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Max") return std::max(a, b);
  return std::nullopt;
}

std::optional<Constant> arithmetic(const std::string& op, const Constant& a, const Constant& b) {
  const std::optional<Shape> shape = broadcast_shape({a.shape, b.shape});
  if (!shape || count(*shape) > max_constant || a.integer != b.integer) return std::nullopt;
  Constant out{*shape, a.integer, {}, {}, a.type};
  if (op == "Equal" || op == "Less" || op == "Greater") out.type = TensorProto::BOOL;
  for (std::size_t k = 0; k < count(*shape); ++k) {
    const std::size_t i = broadcast_index(k, *shape, a.shape);
    const std::size_t j = broadcast_index(k, *shape, b.shape);
    if (a.integer) {
      const auto value = integer_result(op, a.integers[i], b.integers[j]);
      if (!value) return std::nullopt;
      out.integers.push_back(*value);
    } else {
      const auto value = real_result(op, a.reals[i], b.reals[j]);
      if (!value) return std::nullopt;
      out.reals.push_back(*value);
    }
  }
  return out;
}

std::optional<Constant> unary(const std::string& op, Constant value) {
  if (op == "Neg" && value.integer) {
    for (std::int64_t& x : value.integers) x = wrap(0U - static_cast<std::uint64_t>(x));
    return value;
  }
  if (value.integer) return op == "Floor" || op == "Ceil" ? std::optional(value) : std::nullopt;
  for (double& x : value.reals) {
    if (op == "Neg")
      x = -x;
    else if (op == "Sqrt")
      x = std::sqrt(x);
    else if (op == "Floor")
      x = std::floor(x);
    else if (op == "Ceil")
      x = std::ceil(x);
    else
      return std::nullopt;
  }
  return value;
}

std::optional<Constant> cast(const NodeProto& node, Constant value) {
  const auto to = int_attribute(node, "to", 0);
  const bool to_real = to == TensorProto::FLOAT || to == TensorProto::DOUBLE;
  const bool to_bool = to == TensorProto::BOOL;
  if (!to_real && !to_bool && to != TensorProto::INT64 && to != TensorProto::INT32)
    return std::nullopt;
  value.type = static_cast<int>(to);
  if (to_real && value.integer) {
    for (const std::int64_t x : value.integers) value.reals.push_back(static_cast<double>(x));
    value.integers.clear();
    value.integer = false;
  } else if (!to_real && !value.integer) {
    for (const double x : value.reals) {
      if (!to_bool && !(std::abs(x) < 9e18)) return std::nullopt;
      value.integers.push_back(to_bool ? (x != 0 ? 1 : 0) : static_cast<std::int64_t>(x));
    }
    value.reals.clear();
    value.integer = true;
  }
  for (std::int64_t& x : value.integers) {
    if (to_bool) x = x != 0 ? 1 : 0;
    if (to == TensorProto::INT32 && x != static_cast<std::int32_t>(x)) return std::nullopt;
  }
  return value;
}

Constant pick(const Constant& from, Shape shape, const std::vector<std::size_t>& indices) {
  Constant out{std::move(shape), from.integer, {}, {}, from.type};
  for (const std::size_t k : indices) {
    if (from.integer)
      out.integers.push_back(from.integers[k]);
    else
      out.reals.push_back(from.reals[k]);
  }
  return out;
}

/// Only along axis 0, which is sufficient for computations on shapes.
std::optional<Constant> gather(const NodeProto& node, const Constant& data, const Constant& index) {
  if (int_attribute(node, "axis", 0) != 0 || data.shape.size() != 1 || !index.integer)
    return std::nullopt;
  std::vector<std::size_t> indices;
  for (std::int64_t k : index.integers) {
    if (k < 0) k += data.shape[0];
    if (k < 0 || k >= data.shape[0]) return std::nullopt;
    indices.push_back(static_cast<std::size_t>(k));
  }
  return pick(data, index.shape, indices);
}

std::optional<Constant> slice(const Model& model, const NodeProto& node, const Constant& data) {
  if (data.shape.size() != 1) return std::nullopt;
  const auto list = [&](int position, const char* name) -> std::vector<std::int64_t> {
    if (node.input_size() <= position) return ints_attribute(node, name);
    const Constant* given = model.constant(node.input(position));
    return given != nullptr ? given->integers : std::vector<std::int64_t>{};
  };
  const std::vector<std::int64_t> starts = list(1, "starts");
  const std::vector<std::int64_t> ends = list(2, "ends");
  const std::vector<std::int64_t> steps = list(4, "steps");
  if (starts.size() != 1 || ends.size() != 1) return std::nullopt;
  const Dim extent = data.shape[0];
  const Dim step = steps.empty() ? 1 : steps[0];
  if (step != 1) return std::nullopt;
  const auto place = [&](std::int64_t at) {
    return std::clamp<Dim>(at < 0 ? std::max(at, -extent) + extent : at, 0, extent);
  };
  std::vector<std::size_t> indices;
  for (Dim k = place(starts[0]); k < place(ends[0]); ++k)
    indices.push_back(static_cast<std::size_t>(k));
  return pick(data, {static_cast<Dim>(indices.size())}, indices);
}

std::optional<Constant> filled(const NodeProto& node, const Constant& shape) {
  const std::size_t elements = count(shape.integers);
  if (elements > max_constant) return std::nullopt;
  Constant value{{1}, false, {}, {0.0}, TensorProto::FLOAT};
  if (const onnx::AttributeProto* given = attribute(node, "value")) {
    const std::optional<Constant> read = constant_of(given->t());
    if (!read || read->size() != 1) return std::nullopt;
    value = *read;
  }
  return pick(value, shape.integers, std::vector<std::size_t>(elements, 0));
}

std::optional<Constant> literal(const NodeProto& node) {
  if (const onnx::AttributeProto* value = attribute(node, "value")) return constant_of(value->t());
  if (const onnx::AttributeProto* value = attribute(node, "value_int"))
    return Constant{{}, true, {value->i()}, {}, TensorProto::INT64};
  if (const onnx::AttributeProto* value = attribute(node, "value_float"))
    return Constant{{}, false, {}, {value->f()}, TensorProto::FLOAT};
  const onnx::AttributeProto* value = attribute(node, "value_ints");
  if (value != nullptr && static_cast<std::size_t>(value->ints_size()) <= max_constant)
    return Constant{{value->ints_size()},
                    true,
                    {value->ints().begin(), value->ints().end()},
                    {},
                    TensorProto::INT64};
  return std::nullopt;
}

/// Shape and Size, which depend on no values.
std::optional<Constant> shape_of(const Model& model, const NodeProto& node) {
  const Known* known = model.known(node.input(0));
  if (known == nullptr) return std::nullopt;
  const Shape& shape = known->shape;
  if (node.op_type() == "Size") {
    const std::optional<std::int64_t> elements = element_count(shape);
    if (!elements) return std::nullopt;
    return Constant{{}, true, {*elements}, {}, TensorProto::INT64};
  }
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [&](std::int64_t k) {
    return std::clamp<std::int64_t>(k < 0 ? k + rank : k, 0, rank);
  };
  const std::int64_t begin = place(int_attribute(node, "start", 0));
  const std::int64_t end = std::max(begin, place(int_attribute(node, "end", rank)));
  return Constant{
      {end - begin}, true, {shape.begin() + begin, shape.begin() + end}, {}, TensorProto::INT64};
}

std::optional<Constant> concat(const std::vector<const Constant*>& inputs) {
  Constant out{{0}, inputs[0]->integer, {}, {}, inputs[0]->type};
  for (const Constant* each : inputs) {
    if (each->shape.size() != 1 || each->integer != out.integer ||
        out.size() + each->size() > max_constant)
      return std::nullopt;
    out.shape[0] += each->shape[0];
    out.integers.insert(out.integers.end(), each->integers.begin(), each->integers.end());
    out.reals.insert(out.reals.end(), each->reals.begin(), each->reals.end());
  }
  return out;
}

std::optional<Constant> choose(const Constant& which, const Constant& a, const Constant& b) {
  const std::optional<Shape> shape = broadcast_shape({which.shape, a.shape, b.shape});
  if (!shape || count(*shape) > max_constant || !which.integer || !a.integer || !b.integer)
    return std::nullopt;
  Constant out{*shape, true, {}, {}, a.type};
  for (std::size_t k = 0; k < count(*shape); ++k)
    out.integers.push_back(which.integers[broadcast_index(k, *shape, which.shape)] != 0
                               ? a.integers[broadcast_index(k, *shape, a.shape)]
                               : b.integers[broadcast_index(k, *shape, b.shape)]);
  return out;
}

/// The numbers of a Range; shape inference gives their count.
std::optional<Constant> range(const Model& model, const NodeProto& node,
                              const std::vector<const Constant*>& in) {
  const Known* known = model.known(node.output(0));
  if (known == nullptr || count(known->shape) > max_constant) return std::nullopt;
  Constant out{known->shape, in[0]->integer, {}, {}, in[0]->type};
  for (std::size_t k = 0; k < count(known->shape); ++k)
    if (out.integer)  // inference has bounded the last one
      out.integers.push_back(in[0]->integers[0] +
                             static_cast<std::int64_t>(k) * in[2]->integers[0]);
    else
      out.reals.push_back(in[0]->reals[0] + static_cast<double>(k) * in[2]->reals[0]);
  return out;
}

/// All operators except those that only rename or reshape a constant.
std::optional<Constant> computed(const Model& model, const NodeProto& node) {
  const std::string& op = node.op_type();
  if (op == "Constant") return literal(node);
  if (node.input_size() == 0) return std::nullopt;
  if (op == "Shape" || op == "Size") return shape_of(model, node);
  std::vector<const Constant*> in;
  for (const std::string& name : node.input()) {
    in.push_back(model.constant(name));
    if (in.back() == nullptr && !name.empty()) return std::nullopt;
  }
  if (in[0] == nullptr) return std::nullopt;
  if (op == "Slice") return slice(model, node, *in[0]);
  if (op == "ConstantOfShape") return filled(node, *in[0]);
  if (op == "Cast") return cast(node, *in[0]);
  if (in.size() == 1) return unary(op, *in[0]);
  if (std::ranges::any_of(in, [](const Constant* each) { return each == nullptr; }))
    return std::nullopt;
  if (op == "Concat") return concat(in);
  if (op == "Gather") return gather(node, *in[0], *in[1]);
  if (op == "Range") return range(model, node, in);
  if (op == "Where") return choose(*in[0], *in[1], *in[2]);
  if (in.size() == 2) return arithmetic(op, *in[0], *in[1]);
  return std::nullopt;
}

}  // namespace

std::optional<Constant> constant_of(const TensorProto& tensor, std::size_t limit) {
  Constant out;
  out.shape.assign(tensor.dims().begin(), tensor.dims().end());
  out.type = tensor.data_type();
  if (std::ranges::any_of(out.shape, [](Dim extent) { return extent < 0; })) return std::nullopt;
  const std::optional<std::int64_t> elements = element_count(out.shape);
  if (!elements || static_cast<std::size_t>(*elements) > limit) return std::nullopt;
  const auto n = static_cast<std::size_t>(*elements);
  if (tensor.data_location() == TensorProto::EXTERNAL) return std::nullopt;
  const bool has_raw = tensor.has_raw_data();
  bool read = false;
  switch (tensor.data_type()) {
    case TensorProto::INT64:
      read = has_raw ? raw<std::int64_t>(tensor, n, out.integers)
                     : field(tensor.int64_data(), n, out.integers);
      break;
    case TensorProto::INT32:
      read = has_raw ? raw<std::int32_t>(tensor, n, out.integers)
                     : field(tensor.int32_data(), n, out.integers);
      break;
    case TensorProto::BOOL:
    case TensorProto::UINT8:
      read = has_raw ? raw<std::uint8_t>(tensor, n, out.integers)
                     : field(tensor.int32_data(), n, out.integers);
      break;
    case TensorProto::FLOAT:
      out.integer = false;
      read = has_raw ? raw<float>(tensor, n, out.reals) : field(tensor.float_data(), n, out.reals);
      break;
    case TensorProto::DOUBLE:
      out.integer = false;
      read =
          has_raw ? raw<double>(tensor, n, out.reals) : field(tensor.double_data(), n, out.reals);
      break;
    default:
      break;
  }
  if (!read) return std::nullopt;
  return out;
}

ConstantPtr evaluate(const Model& model, const NodeProto& node) {
  if (node.output_size() != 1 || !standard_domain(node.domain())) return nullptr;
  const std::string& op = node.op_type();
  if (operator_of(op) == nullptr) return nullptr;
  const bool moved = op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" || op == "Flatten";
  if (op == "Identity" || moved) {
    const auto at = model.constants.find(node.input(0));
    const Known* known = model.known(node.output(0));
    if (at == model.constants.end() || known == nullptr) return nullptr;
    if (known->shape == at->second->shape) return at->second;  // the same constant again
    if (count(known->shape) != at->second->size()) return nullptr;
    Constant value = *at->second;
    value.shape = known->shape;
    return std::make_shared<const Constant>(std::move(value));
  }
  std::optional<Constant> value = computed(model, node);
  return value ? std::make_shared<const Constant>(*std::move(value)) : nullptr;
}

}  // namespace tessera::io::onnx_reader
