#include "io/tflite_convert.h"

#include <algorithm>
#include <cstring>

#include "io/tflite.h"
#include "model/network_order.h"
#include "tessera/network_shapes.h"

namespace tessera::io::tflite_reader {

std::size_t turned_axis(std::size_t rank, std::size_t axis) {
  constexpr std::size_t places[] = {0, 2, 3, 1};
  return rank == 4 ? places[axis] : axis;
}

Shape turned(const Shape& shape) {
  if (shape.size() != 4) return shape;
  return {shape[0], shape[3], shape[1], shape[2]};
}

bool same_order(const Shape& shape) {
  return shape.size() != 4 || shape[3] == 1 || (shape[1] == 1 && shape[2] == 1);
}

namespace {

/// Larger constants are weights; smaller ones may be lists of axes and similar.
constexpr std::size_t longest_list = 4096;

/// Of an activation: one scale or none.
std::optional<Quantization> scales_of(const TfliteTensor& tensor) {
  if (tensor.quantization && tensor.quantization->scale.size() > 1) return std::nullopt;
  return tensor.quantization;
}

}  // namespace

TfliteConverter::TfliteConverter(const TfliteModel& model, const std::string& file,
                                 const Budget& budget)
    : model_(model), file_(file), poll_(budget), made_(model.tensors.size()) {
  for (const TfliteTensor& each : model.tensors) {
    taken_.insert(each.name);
    constant_.push_back(each.constant && !each.variable);
  }
  only_rows_ = read_only_by([](const TfliteOperator& op) { return op.type == "FULLY_CONNECTED"; });
  only_convolved_ = read_only_by([](const TfliteOperator& op) {
    const bool convolves = op.type == "CONV_2D" || op.type == "DEPTHWISE_CONV_2D";
    return convolves && op.options && op.options->number<std::int8_t>(0, 0) == 1;  // VALID
  });
}

template <typename Reader>
std::vector<bool> TfliteConverter::read_only_by(Reader reader) const {
  std::vector<bool> read(model_.tensors.size());
  std::vector<bool> otherwise(model_.tensors.size());
  for (const TfliteOperator& op : model_.operators)
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
      if (op.inputs[k] < 0) continue;
      (k == 0 && reader(op) ? read : otherwise)[static_cast<std::size_t>(op.inputs[k])] = true;
    }
  for (const TfliteIndex t : model_.outputs) otherwise[static_cast<std::size_t>(t)] = true;
  for (std::size_t t = 0; t < read.size(); ++t) read[t] = read[t] && !otherwise[t];
  return read;
}

void TfliteConverter::fail(const TfliteOperator& from, const std::string& what) const {
  throw InputError(file_, 0, from.name + " " + what);
}

std::string TfliteConverter::unique(const std::string& name) {
  std::string out = name;
  while (!taken_.insert(out).second) out += '\'';
  return out;
}

TensorIndex TfliteConverter::add(TfliteIndex like, const std::string& name, Shape shape,
                                 TensorKind kind) {
  const TfliteTensor& source = in_file(like);
  const std::string who = "tensor " + tensor_named(model_, like);
  if (!source.type->element)
    throw InputError(
        file_, 0,
        who + " is of type " + std::string(source.type->name) + ", which is not supported");
  if (shape.size() > max_rank)
    throw InputError(file_, 0, who + " has more than " + std::to_string(max_rank) + " axes");
  for (const Dim extent : shape)
    if (extent < 1 || extent > max_extent)
      throw InputError(file_, 0, who + " has extent " + std::to_string(extent));
  net_.tensors.push_back(
      {.name = name,
       .shape = std::move(shape),
       .type = kind == TensorKind::weight ? *source.type->element : unpacked(*source.type->element),
       .kind = kind,
       .view_of = std::nullopt});
  net_.tensors.back().quantization = scales_of(source);
  const bool several = source.quantization && source.quantization->scale.size() > 1;
  if (!source.usable || (several && kind != TensorKind::weight))
    ++unknown_.try_emplace("scales that are not valid are ignored", who, 0).first->second.second;
  return net_.tensors.size() - 1;
}

TensorIndex TfliteConverter::tensor(TfliteIndex t) {
  if (is_constant(t)) return weight(t, turned(file_shape(t)), turned_axes(file_shape(t).size()));
  std::optional<TensorIndex>& known = made_[static_cast<std::size_t>(t)];
  if (!known) known = add(t, in_file(t).name, turned(file_shape(t)));
  return *known;
}

TfliteConverter::Axes TfliteConverter::turned_axes(std::size_t rank, std::size_t more) {
  Axes axes;
  for (std::size_t axis = 0; axis < rank; ++axis)
    axes.push_back(turned_axis(rank + more, axis + more));
  return axes;
}

TensorIndex TfliteConverter::weight(TfliteIndex t, Shape shape, const Axes& axes) {
  const std::string& name = in_file(t).name;
  const auto known = weights_.find({t, shape});
  if (known != weights_.end()) return known->second;
  const auto same = weights_.lower_bound({t, {}});
  const bool first = same == weights_.end() || same->first.first != t;
  const TensorIndex index =
      add(t, first ? name : unique(name + ".turned"), shape, TensorKind::weight);
  const std::optional<Quantization>& scales = in_file(t).quantization;
  if (scales && scales->scale.size() > 1) {
    net_.tensors[index].quantization = scales;
    net_.tensors[index].quantization->axis = axes[scales->axis];
  }
  weights_[{t, std::move(shape)}] = index;
  return index;
}

TensorIndex TfliteConverter::view(TensorIndex of, const Shape& shape, const std::string& name,
                                  Own own) {
  const Tensor source = net_.tensors[of];
  if (source.shape == shape) return of;
  const TensorIndex storage = storage_of(net_, of);
  if (net_.tensors[storage].shape == shape) return storage;
  net_.tensors.push_back({.name = own == Own::yes ? name : unique(name),
                          .shape = shape,
                          .type = source.type,
                          .kind = source.kind,
                          .view_of = storage,
                          .quantization = source.quantization});
  return net_.tensors.size() - 1;
}

TensorIndex TfliteConverter::transposed(TensorIndex of, std::vector<std::size_t> order,
                                        const std::string& name, Own own) {
  const Tensor source = net_.tensors[of];
  Tensor out{.name = own == Own::yes ? name : unique(name),
             .shape = {},
             .type = unpacked(source.type),
             .kind = TensorKind::activation,
             .view_of = std::nullopt,
             .quantization = source.quantization};
  for (const std::size_t axis : order) out.shape.push_back(source.shape[axis]);
  net_.tensors.push_back(std::move(out));
  Op op;
  op.kind = OpKind::transpose;
  op.name = name_ + ".transpose";
  while (!op_names_.insert(op.name).second) op.name += '\'';
  op.inputs = {of};
  op.outputs = {net_.tensors.size() - 1};
  op.permutation = std::move(order);
  push(std::move(op));
  return net_.tensors.size() - 1;
}

TensorIndex TfliteConverter::plain(TensorIndex of, const Shape& from) {
  const std::string name = net_.tensors[of].name + ".nhwc";
  if (same_order(from)) return view(of, from, name);
  const auto known = plain_.find(of);
  if (known != plain_.end()) return known->second;
  const TensorIndex out = transposed(of, {0, 2, 3, 1}, name);
  plain_[of] = out;
  return out;
}

TensorIndex TfliteConverter::from_plain(TensorIndex of, const Shape& to, const std::string& name,
                                        Own own) {
  if (same_order(to)) return view(of, turned(to), name, own);
  return transposed(of, {0, 3, 1, 2}, name, own);
}

TensorIndex TfliteConverter::reshaped(TensorIndex of, const Shape& from, const Shape& to,
                                      const std::string& name, Own own) {
  if (from == to) return of;
  if (same_order(from) && same_order(to)) return view(of, turned(to), name, own);
  return from_plain(view(plain(of, from), to, name + ".flat"), to, name, own);
}

std::int32_t TfliteConverter::option(const TfliteOperator& from, unsigned field,
                                     std::int32_t otherwise) const {
  return from.options ? from.options->number<std::int32_t>(field, otherwise) : otherwise;
}

int TfliteConverter::small_option(const TfliteOperator& from, unsigned field) const {
  return from.options ? from.options->number<std::int8_t>(field, 0) : 0;
}

std::optional<std::vector<Dim>> TfliteConverter::list(const TfliteOperator& from,
                                                      std::size_t position) const {
  if (!has(from, position)) return std::nullopt;
  const TfliteTensor& given = in_file(from.inputs[position]);
  const bool wide = given.type->element == ElementType::int64;
  if (!given.constant || (!wide && given.type->element != ElementType::int32)) return std::nullopt;
  const std::size_t bytes = wide ? 8 : 4;
  const std::size_t count = given.data.size() / bytes;
  if (count > longest_list || data_bytes(given) != static_cast<Size>(given.data.size()))
    return std::nullopt;
  std::vector<Dim> out;
  for (std::size_t k = 0; k < count; ++k) {
    std::int64_t value = 0;
    std::int32_t narrow = 0;
    if (wide)
      std::memcpy(&value, given.data.data() + bytes * k, bytes);
    else
      std::memcpy(&narrow, given.data.data() + bytes * k, bytes);
    out.push_back(wide ? value : narrow);
  }
  return out;
}

std::size_t TfliteConverter::axis_in(const TfliteOperator& from, std::size_t rank, Dim axis) const {
  const auto signed_rank = static_cast<Dim>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    fail(from, "names axis " + std::to_string(axis) + " of a tensor with " + std::to_string(rank) +
                   " axes");
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::string TfliteConverter::activation(const TfliteOperator& from, unsigned field) const {
  switch (small_option(from, field)) {  // ActivationFunctionType of the schema
    case 0:
      return {};
    case 1:
      return "relu";
    case 2:
      return "clip";
    case 3:
      return "relu6";
    case 4:
      return "tanh";
    case 5:
      return "sign";
    default:
      fail(from, "applies activation " + std::to_string(small_option(from, field)) +
                     ", which is not supported");
  }
}

TensorIndex TfliteConverter::rescaled(TensorIndex of, TfliteIndex like) {
  const std::optional<Quantization> scales = scales_of(in_file(like));
  const Tensor source = net_.tensors[of];
  if (source.quantization == scales) return of;
  Tensor out = source;
  out.name = unique(source.name + ".rescaled");
  out.type = unpacked(source.type);
  out.kind = TensorKind::activation;
  out.view_of = std::nullopt;
  out.quantization = scales;
  net_.tensors.push_back(std::move(out));
  Op op;
  op.kind = OpKind::elementwise;
  op.function = "quantize";
  op.name = name_ + ".quantize";
  while (!op_names_.insert(op.name).second) op.name += '\'';
  op.inputs = {of};
  op.outputs = {net_.tensors.size() - 1};
  push(std::move(op));
  return net_.tensors.size() - 1;
}

void TfliteConverter::finish(const TfliteOperator& from, Op& op, const std::string& function) {
  op.outputs = {tensor(from.outputs[0])};
  if (function.empty()) return push(std::move(op));
  const bool computes = op.kind != OpKind::concat;
  if (computes) {
    op.fused.push_back({.function = function, .operands = {}});
    return push(std::move(op));
  }
  Op after;
  after.kind = OpKind::elementwise;
  after.function = function;
  after.name = op.name + "." + function;
  while (!op_names_.insert(after.name).second) after.name += '\'';
  after.outputs = op.outputs;
  const Shape shape = net_.tensors[op.outputs[0]].shape;
  op.outputs = {add(from.outputs[0], unique(in_file(from.outputs[0]).name + ".before"), shape)};
  after.inputs = op.outputs;
  push(std::move(op));
  push(std::move(after));
}

void TfliteConverter::copy(const TfliteOperator& from, TensorIndex of, const Shape& shape) {
  const TfliteIndex out = from.outputs[0];
  if (element_count(shape) != element_count(file_shape(out)))
    fail(from, "changes the number of elements");
  set(out, reshaped(of, shape, file_shape(out), in_file(out).name, Own::yes));
}

void TfliteConverter::unknown(const TfliteOperator& from, Op& op, const std::string& why) {
  const std::string name = op.name;
  op = Op{};
  op.name = name;
  op.kind = OpKind::opaque;
  op.function = from.type;
  const std::string key =
      why.empty() ? "operator " + from.type + " is not supported" : from.type + " " + why;
  ++unknown_.try_emplace(key, from.name, 0).first->second.second;
  const auto take = [&](bool small) {
    for (const TfliteIndex t : from.inputs) {
      if (t < 0 || std::ranges::find(file_shape(t), 0) != file_shape(t).end()) continue;
      const bool part_of_it = is_constant(t) && element_count(file_shape(t)).value_or(max_extent) <=
                                                    static_cast<Dim>(longest_list);
      if (part_of_it == small) op.inputs.push_back(tensor(t));
    }
  };
  take(false);
  if (op.inputs.empty()) take(true);  // what depends on constants alone depends on those
  if (op.inputs.empty())
    fail(from, "produces elements from an empty tensor, which is not supported");
  for (const TfliteIndex t : from.outputs) {
    if (std::ranges::find(file_shape(t), 0) != file_shape(t).end()) continue;
    std::optional<TensorIndex>& known = made_[static_cast<std::size_t>(t)];
    if (known) known = add(t, unique(in_file(t).name), turned(file_shape(t)));  // a new value
    op.outputs.push_back(tensor(t));
  }
  if (op.outputs.empty()) fail(from, "produces only empty tensors");
  push(std::move(op));
}

Network TfliteConverter::convert() {
  for (std::size_t t = 0; t < model_.tensors.size(); ++t)
    if (model_.tensors[t].variable) {
      net_.inputs.push_back(tensor(static_cast<TfliteIndex>(t)));
      unknown_
          .try_emplace("a variable is read as an input of each inference",
                       tensor_named(model_, static_cast<TfliteIndex>(t)), 0)
          .first->second.second++;
    }
  for (const TfliteIndex t : model_.inputs) {
    const bool there = is_constant(t) || made_[static_cast<std::size_t>(t)];
    if (!there) net_.inputs.push_back(tensor(t));
  }
  for (const TfliteOperator& from : model_.operators) {
    poll_(16);
    if (from.outputs.empty()) continue;
    Op op;
    // Converters join the names of all fused operators: the first one is sufficient.
    const std::string& result = in_file(from.outputs[0]).name;
    op.name = result.substr(0, result.find(';'));
    if (op.name.empty()) op.name = from.type;
    while (!op_names_.insert(op.name).second) op.name += '\'';
    name_ = op.name;
    const Entry* entry = entry_of(from.type);
    const bool variable =
        std::ranges::any_of(from.outputs, [&](TfliteIndex t) { return in_file(t).variable; });
    if (entry == nullptr || variable) {
      unknown(from, op, variable ? "that writes a variable is not supported" : "");
      continue;
    }
    for (int k = 0; k < entry->least_inputs; ++k)
      if (!has(from, static_cast<std::size_t>(k)))
        fail(from, "lacks its input " + std::to_string(k));
    (this->*entry->convert)(from, op);
  }
  std::vector<bool> computed(net_.tensors.size() + model_.outputs.size());
  for (const Op& op : net_.ops)
    for (const TensorIndex t : op.outputs) computed[t] = true;
  bool any = false;
  for (const TfliteIndex t : model_.outputs) {
    net_.outputs.push_back(tensor(t));
    any = any || (net_.outputs.back() < computed.size() &&
                  computed[storage_of(net_, net_.outputs.back())]);
  }
  if (!any)
    throw InputError(
        file_, 0, "computes nothing: each of its outputs is an input, a constant or a view of one");
  return std::move(net_);
}

std::vector<std::string> TfliteConverter::warnings() const {
  std::vector<std::string> out;
  for (const auto& [what, where] : unknown_) {
    std::string text = what + ": " + where.first;
    if (where.second > 1) text += " and " + std::to_string(where.second - 1) + " more";
    const bool opaque = !what.starts_with("a variable") && !what.starts_with("scales");
    out.push_back(!opaque ? text : text + " becomes an opaque op, which is not tiled");
  }
  return out;
}

}  // namespace tessera::io::tflite_reader

namespace tessera::io {

TfliteNetwork read_tflite_network(std::string_view bytes, const std::string& file,
                                  const Budget& budget) {
  const tflite_reader::FlatBytes flat(bytes, file);
  const tflite_reader::TfliteModel model = tflite_reader::read_tflite_model(flat);
  tflite_reader::TfliteConverter converter(model, file, budget);
  TfliteNetwork out;
  out.network = normalized(converter.convert());
  out.warnings = converter.warnings();
  const std::vector<NetworkDefect> defects = check_network(out.network);
  if (!defects.empty()) throw InputError(file, 0, defects.front().message);
  return out;
}

}  // namespace tessera::io
