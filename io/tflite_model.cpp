#include "io/tflite_model.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "io/text.h"
#include "io/tflite_operators.h"
#include "model/quantization.h"

namespace tessera::io::tflite_reader {
namespace {

// Field numbers of the tables.
namespace model_field {
enum : unsigned { operator_codes = 1, subgraphs = 2, buffers = 4, metadata = 6 };
}
namespace metadata_field {
enum : unsigned { name, buffer };
}
namespace code_field {
enum : unsigned { deprecated_builtin_code, custom_code, version, builtin_code };
}
namespace graph_field {
enum : unsigned { tensors, inputs, outputs, operators };
}
namespace tensor_field {
enum : unsigned { shape, type, buffer, name, quantization, is_variable, external_buffer = 10 };
}
namespace quantization_field {
enum : unsigned { minimum, maximum, scale, zero_point, details_type, details, axis };
}
namespace operator_field {
enum : unsigned { opcode_index, inputs, outputs, options_type, options };
}
namespace buffer_field {
enum : unsigned { data, offset, size };
}

// TensorType of the schema, by its number. A 4-bit element takes a byte in the arena of the
// TensorFlow Lite Micro runtime (TfLiteTypeSizeOf in its memory_helpers.cc); it does not support
// narrower types.
constexpr std::array<TfliteType, 23> types{
    {{"float32", 4, ElementType::float32},   {"float16", 2, ElementType::float16},
     {"int32", 4, ElementType::int32},       {"uint8", 1, ElementType::uint8},
     {"int64", 8, ElementType::int64},       {"string", 0, std::nullopt},
     {"bool", 1, ElementType::boolean},      {"int16", 2, ElementType::int16},
     {"complex64", 8, std::nullopt},         {"int8", 1, ElementType::int8},
     {"float64", 8, ElementType::float64},   {"complex128", 16, std::nullopt},
     {"uint64", 8, ElementType::uint64},     {"resource", 4, std::nullopt},
     {"variant", 0, std::nullopt},           {"uint32", 4, ElementType::uint32},
     {"uint16", 2, ElementType::uint16},     {"int4", 1, ElementType::int4},
     {"bfloat16", 2, ElementType::bfloat16}, {"int2", 0, std::nullopt},
     {"uint4", 1, ElementType::uint4},       {"float8_e4m3fn", 1, std::nullopt},
     {"float8_e5m2", 1, std::nullopt}}};

/// A name as text for a CSV cell: non-text bytes, commas and quotes become underscores.
std::string clean(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const std::size_t length = utf8_length(name);
    const auto byte = static_cast<unsigned char>(name.front());
    if (length == 0 || byte < 0x20 || byte == 0x7f || byte == ',' || byte == '"') {
      out += '_';
      name.remove_prefix(1);
    } else {
      out += name.substr(0, length);
      name.remove_prefix(length);
    }
  }
  const std::size_t first = out.find_first_not_of(' ');
  return first == out.npos ? std::string()
                           : out.substr(first, out.find_last_not_of(' ') + 1 - first);
}

class ModelReader {
 public:
  explicit ModelReader(const FlatBytes& file) : file_(file), root_(file.root("Model")) {}

  TfliteModel read() {
    const std::vector<FlatTable> graphs = root_.tables(model_field::subgraphs, "SubGraph");
    if (graphs.empty()) refuse("has no subgraph");
    if (graphs.size() > 1)
      refuse("has " + std::to_string(graphs.size()) + " subgraphs, but only one is supported",
             "control flow (IF, WHILE, CALL_ONCE) adds subgraphs; convert the model without it");
    buffers_ = root_.tables(model_field::buffers, "Buffer");
    read_codes();
    const FlatTable& graph = graphs.front();
    const std::vector<FlatTable> tensors = graph.tables(graph_field::tensors, "Tensor");
    for (const FlatTable& tensor : tensors) read_tensor(tensor);
    make_names_unique();
    for (const FlatTable& each : graph.tables(graph_field::operators, "Operator"))
      read_operator(each);
    model_.inputs = indices(graph, graph_field::inputs, "the subgraph", false);
    model_.outputs = indices(graph, graph_field::outputs, "the subgraph", false);
    check_order();
    return std::move(model_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& hint = {}) const {
    throw InputError(file_.file(), 0, what, hint);
  }

  void read_codes() {
    for (const FlatTable& code : root_.tables(model_field::operator_codes, "OperatorCode")) {
      // Old files use a one-byte field, newer ones both fields: the larger value counts.
      const std::int32_t builtin =
          std::max<std::int32_t>(code.number<std::int8_t>(code_field::deprecated_builtin_code, 0),
                                 code.number<std::int32_t>(code_field::builtin_code, 0));
      if (builtin != custom_operator) {
        codes_.push_back(builtin_name(builtin));
        continue;
      }
      const std::string_view own = code.text(code_field::custom_code);
      file_.unfold(own.size());
      const std::string name = clean(own);
      codes_.push_back(name.empty() ? "CUSTOM" : name);
    }
  }

  void read_tensor(const FlatTable& table) {
    TfliteTensor tensor;
    const std::string_view name = table.text(tensor_field::name);
    file_.unfold(name.size());
    tensor.name = clean(name);
    const std::string who = "tensor " + std::to_string(model_.tensors.size()) +
                            (tensor.name.empty() ? "" : " " + shown(tensor.name));
    for (const std::int32_t extent : table.numbers(tensor_field::shape)) {
      if (extent < 0)
        refuse(who + " has a dynamic shape: extent " + std::to_string(extent),
               "convert the model with fixed shapes");
      tensor.shape.push_back(extent);
    }
    const auto type = table.number<std::uint8_t>(tensor_field::type, 0);
    if (type >= types.size())
      refuse(who + " is of type " + std::to_string(type) + ", which is not supported");
    tensor.type = &types[type];
    tensor.variable = table.truth(tensor_field::is_variable, false);
    read_scales(table, tensor);
    const auto buffer = table.number<std::uint32_t>(tensor_field::buffer, 0);
    if (buffer >= buffers_.size() && buffer != 0)
      file_.damaged(who + " has its data in buffer " + std::to_string(buffer) + " of " +
                    std::to_string(buffers_.size()));
    if (table.number<std::uint32_t>(tensor_field::external_buffer, 0) != 0) tensor.constant = true;
    if (buffer < buffers_.size()) read_data(buffers_[buffer], tensor);
    model_.tensors.push_back(std::move(tensor));
  }

  /// Floating tensors may have them too, without effect.
  static void read_scales(const FlatTable& table, TfliteTensor& tensor) {
    const std::optional<FlatTable> given =
        table.table(tensor_field::quantization, "QuantizationParameters");
    if (!given || !tensor.type->element || is_floating(*tensor.type->element)) return;
    Quantization read;
    for (const float scale : given->values<float>(quantization_field::scale))
      read.scale.push_back(scale);
    if (read.scale.empty()) return;
    read.zero_point = given->values<std::int64_t>(quantization_field::zero_point);
    if (read.zero_point.size() < 2)
      read.zero_point.assign(read.scale.size(),
                             read.zero_point.empty() ? 0 : read.zero_point.front());
    const auto axis = given->number<std::int32_t>(quantization_field::axis, 0);
    read.axis = read.scale.size() > 1 ? static_cast<std::size_t>(axis) : 0;
    tensor.usable = quantization_error(read, tensor.shape, *tensor.type->element).empty();
    if (tensor.usable) tensor.quantization = std::move(read);
  }

  static void read_data(const FlatTable& buffer, TfliteTensor& tensor) {
    tensor.data = buffer.bytes(buffer_field::data).value_or(std::string_view());
    // Data beyond the reach of 32-bit offsets is stored after the tables; 0 and 1 mean no such
    // data.
    const bool behind = buffer.number<std::uint64_t>(buffer_field::offset, 0) > 1 &&
                        buffer.number<std::uint64_t>(buffer_field::size, 0) > 0;
    if (!tensor.data.empty() || behind) tensor.constant = true;
  }

  void make_names_unique() {
    std::unordered_set<std::string> taken;
    for (const TfliteTensor& tensor : model_.tensors) taken.insert(tensor.name);
    std::unordered_set<std::string> seen;
    for (std::size_t k = 0; k < model_.tensors.size(); ++k) {
      std::string& name = model_.tensors[k].name;
      if (!name.empty() && seen.insert(name).second) continue;
      const std::string base = name.empty() ? "tensor" : name;
      std::string other = base + "#" + std::to_string(k);
      while (!taken.insert(other).second) other += '#';
      name = other;
      seen.insert(name);
    }
  }

  std::vector<TfliteIndex> indices(const FlatTable& table, unsigned field, const std::string& who,
                                   bool may_be_left_out) const {
    std::vector<TfliteIndex> list = table.numbers(field);
    for (const TfliteIndex t : list)
      if (t < (may_be_left_out ? -1 : 0) || t >= static_cast<std::int64_t>(model_.tensors.size()))
        file_.damaged(who + " names tensor " + std::to_string(t) + " of " +
                      std::to_string(model_.tensors.size()));
    return list;
  }

  void read_operator(const FlatTable& table) {
    TfliteOperator op;
    const auto code = table.number<std::uint32_t>(operator_field::opcode_index, 0);
    op.name = "operator " + std::to_string(model_.operators.size());
    if (code >= codes_.size())
      file_.damaged(op.name + " is of type " + std::to_string(code) + " of " +
                    std::to_string(codes_.size()));
    op.type = codes_[code];
    file_.unfold(op.type.size());
    op.name += " (" + op.type + ")";
    op.inputs = indices(table, operator_field::inputs, op.name, true);
    op.outputs = indices(table, operator_field::outputs, op.name, false);
    op.options = table.table(operator_field::options, "BuiltinOptions");
    model_.operators.push_back(std::move(op));
  }

  /// Each tensor gets its value from the file, from outside, or from one operator before its
  /// readers.
  void check_order() const {
    std::vector<bool> there(model_.tensors.size());
    for (std::size_t t = 0; t < there.size(); ++t)
      there[t] = model_.tensors[t].constant || model_.tensors[t].variable || empty(t);
    const std::vector<bool> fixed = there;
    for (const TfliteIndex t : model_.inputs) there[static_cast<std::size_t>(t)] = true;
    for (const TfliteOperator& op : model_.operators) {
      for (const TfliteIndex t : op.inputs)
        if (t >= 0 && !there[static_cast<std::size_t>(t)])
          refuse(op.name + " reads tensor " + tensor_named(model_, t) +
                     ", which no earlier operator writes",
                 "operators must be in execution order");
      for (const TfliteIndex t : op.outputs) {
        const auto at = static_cast<std::size_t>(t);
        if (there[at] && !(fixed[at] && !model_.tensors[at].constant))
          refuse(op.name + " writes tensor " + tensor_named(model_, t) +
                 ", which already has a value");
        there[at] = true;
      }
    }
    for (const TfliteIndex t : model_.outputs)
      if (!there[static_cast<std::size_t>(t)])
        refuse("its output " + tensor_named(model_, t) + " is written by no operator");
  }

  [[nodiscard]] bool empty(std::size_t t) const {
    return std::ranges::find(model_.tensors[t].shape, 0) != model_.tensors[t].shape.end();
  }

  const FlatBytes& file_;
  FlatTable root_;
  std::vector<FlatTable> buffers_;
  std::vector<std::string> codes_;
  TfliteModel model_;
};

}  // namespace

bool has_identifier(std::string_view bytes) {
  return bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3";
}

std::optional<std::string_view> metadata_of(const FlatBytes& file, std::string_view name) {
  const FlatTable root = file.root("Model");
  for (const FlatTable& entry : root.tables(model_field::metadata, "Metadata")) {
    if (entry.text(metadata_field::name) != name) continue;
    const std::vector<FlatTable> buffers = root.tables(model_field::buffers, "Buffer");
    const auto buffer = entry.number<std::uint32_t>(metadata_field::buffer, 0);
    if (buffer >= buffers.size())
      file.damaged("metadata " + std::string(name) + " is in buffer " + std::to_string(buffer) +
                   " of " + std::to_string(buffers.size()));
    return buffers[buffer].bytes(buffer_field::data).value_or(std::string_view());
  }
  return std::nullopt;
}

TfliteModel read_tflite_model(const FlatBytes& file) {
  if (!has_identifier(file.bytes()))
    throw InputError(file.file(), 0,
                     "is not a TensorFlow Lite model: its bytes 4 to 7 are not the letters TFL3");
  return ModelReader(file).read();
}

std::optional<Size> data_bytes(const TfliteTensor& tensor) {
  if (std::ranges::find(tensor.shape, 0) != tensor.shape.end()) return 0;
  const std::optional<std::int64_t> count = element_count(tensor.shape);
  if (!count || *count > max_address / tensor.type->bytes) return std::nullopt;
  return *count * tensor.type->bytes;
}

std::string tensor_named(const TfliteModel& model, TfliteIndex tensor) {
  return shown(model.tensors[static_cast<std::size_t>(tensor)].name);
}

}  // namespace tessera::io::tflite_reader
