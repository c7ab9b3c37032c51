// Builds small TensorFlow Lite files for tests, valid and invalid ones.
//
//   TfliteBuilder model;
//   const int x = model.tensor("x", {1, 8, 8, 3});
//   const int y = model.tensor("y", {1, 8, 8, 3});
//   model.op(relu, {x}, {y});
//   std::string bytes = model.file({x}, {y});
//
// Implements the layout of flatbuffers and the numbers of the schema independently of the reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::testing {

/// Value of a field of a table.
struct FlatValue {
  struct Number {
    std::uint64_t bits;
    unsigned bytes;
  };
  using Field = std::pair<unsigned, FlatValue>;
  struct Table {
    std::vector<Field> fields;
  };
  struct Tables {
    std::vector<FlatValue> items;
  };
  struct Bytes {
    std::string data;
    std::uint32_t count;
  };
  std::variant<Number, Table, Tables, Bytes> what;
};

template <typename Integer>
FlatValue flat_number(Integer value) {
  return {FlatValue::Number{static_cast<std::uint64_t>(value), sizeof value}};
}
inline FlatValue flat_byte(int value) {
  return flat_number(static_cast<std::int8_t>(value));
}
inline FlatValue flat_table(std::vector<FlatValue::Field> fields) {
  return {FlatValue::Table{std::move(fields)}};
}
inline FlatValue flat_tables(std::vector<FlatValue> items) {
  return {FlatValue::Tables{std::move(items)}};
}
inline FlatValue flat_bytes(std::string data) {
  const auto count = static_cast<std::uint32_t>(data.size());
  return {FlatValue::Bytes{std::move(data), count}};
}
inline FlatValue flat_numbers(const std::vector<std::int32_t>& list) {
  std::string data(4 * list.size(), '\0');
  if (!list.empty()) std::memcpy(data.data(), list.data(), data.size());
  return {FlatValue::Bytes{std::move(data), static_cast<std::uint32_t>(list.size())}};
}

/// Writes parents before children, so that every offset points forward.
class FlatWriter {
 public:
  static std::string file(const FlatValue& root) {
    FlatWriter writer;
    writer.put(0, 4);
    writer.out_ += "TFL3";
    writer.lead(0, writer.write(root));
    return writer.out_;
  }

 private:
  void put(std::uint64_t bits, unsigned bytes) {
    for (unsigned k = 0; k < bytes; ++k) out_ += static_cast<char>(bits >> (8 * k));
  }
  void align(std::size_t to) {
    while (out_.size() % to != 0) out_ += '\0';
  }
  void set(std::size_t at, std::uint64_t bits, unsigned bytes) {
    for (unsigned k = 0; k < bytes; ++k) out_[at + k] = static_cast<char>(bits >> (8 * k));
  }
  void lead(std::size_t at, std::size_t to) { set(at, to - at, 4); }

  std::size_t write(const FlatValue& value) {
    if (const auto* bytes = std::get_if<FlatValue::Bytes>(&value.what)) {
      // The data of buffers is aligned to 16 bytes (force_align in the schema).
      while (out_.size() % 16 != 12) out_ += '\0';
      const std::size_t at = out_.size();
      put(bytes->count, 4);
      out_ += bytes->data;
      out_ += '\0';
      return at;
    }
    if (const auto* items = std::get_if<FlatValue::Tables>(&value.what)) {
      align(4);
      const std::size_t at = out_.size();
      put(items->items.size(), 4);
      out_.append(4 * items->items.size(), '\0');
      for (std::size_t k = 0; k < items->items.size(); ++k)
        lead(at + 4 + 4 * k, write(items->items[k]));
      return at;
    }
    return write_table(std::get<FlatValue::Table>(value.what));
  }

  std::size_t write_table(const FlatValue::Table& table) {
    unsigned fields = 0;
    for (const FlatValue::Field& field : table.fields) fields = std::max(fields, field.first + 1);
    const std::size_t list_bytes = 4 + 2 * std::size_t{fields};
    while ((out_.size() + list_bytes) % 8 != 0) out_ += '\0';
    const std::size_t list = out_.size();
    out_.append(list_bytes, '\0');
    const std::size_t at = out_.size();
    put(at - list, 4);
    std::vector<std::pair<std::size_t, const FlatValue*>> children;
    for (const auto& [number, value] : table.fields) {
      const auto* scalar = std::get_if<FlatValue::Number>(&value.what);
      const unsigned bytes = scalar != nullptr ? scalar->bytes : 4;
      align(bytes);
      set(list + 4 + 2 * std::size_t{number}, out_.size() - at, 2);
      if (scalar == nullptr) children.emplace_back(out_.size(), &value);
      put(scalar != nullptr ? scalar->bits : 0, bytes);
    }
    set(list, list_bytes, 2);
    set(list + 2, out_.size() - at, 2);
    for (const auto& [place, child] : children) lead(place, write(*child));
    return at;
  }

  std::string out_;
};

namespace tfl {
// BuiltinOperator of the schema.
inline constexpr int add = 0, average_pool = 1, concatenation = 2, conv = 3, depthwise = 4,
                     depth_to_space = 5, dequantize = 6, fully_connected = 9, logistic = 14,
                     max_pool = 17, mul = 18, relu = 19, reshape = 22, resize_bilinear = 23,
                     softmax = 25, custom = 32, pad = 34, transpose = 39, mean = 40,
                     strided_slice = 45, split = 49, prelu = 54, arg_max = 56, slice = 65,
                     transpose_conv = 67, resize_nearest = 97, quantize = 114, batch_matmul = 126,
                     gelu = 150;
// TensorType.
inline constexpr int float32 = 0, int32 = 2, int64 = 4, string = 5, int8 = 9, int4 = 17;
// Padding.
inline constexpr int same = 0, valid = 1;
}  // namespace tfl

class TfliteBuilder {
 public:
  TfliteBuilder() { buffers.push_back(flat_table({})); }

  int tensor(const std::string& name, const std::vector<std::int32_t>& shape, int type = tfl::int8,
             std::vector<FlatValue::Field> more = {}) {
    std::vector<FlatValue::Field> fields{
        {0, flat_numbers(shape)}, {1, flat_byte(type)}, {3, flat_bytes(name)}};
    for (FlatValue::Field& each : more) fields.push_back(std::move(each));
    tensors.push_back(flat_table(std::move(fields)));
    return static_cast<int>(tensors.size()) - 1;
  }
  /// With data in the file.
  int constant(const std::string& name, const std::vector<std::int32_t>& shape,
               const std::string& data, int type = tfl::int8,
               std::vector<FlatValue::Field> more = {}) {
    buffers.push_back(flat_table({{0, flat_bytes(data)}}));
    more.emplace_back(2, flat_number(static_cast<std::uint32_t>(buffers.size() - 1)));
    return tensor(name, shape, type, std::move(more));
  }
  int weights(const std::string& name, const std::vector<std::int32_t>& shape, int type = tfl::int8,
              std::vector<FlatValue::Field> more = {}) {
    std::size_t bytes = type == tfl::int32 || type == tfl::float32 ? 4 : 1;
    for (const std::int32_t extent : shape) bytes *= static_cast<std::size_t>(extent);
    return constant(name, shape, std::string(bytes, '\1'), type, std::move(more));
  }
  int list(const std::string& name, const std::vector<std::int32_t>& values) {
    const auto numbers = std::get<FlatValue::Bytes>(flat_numbers(values).what);
    return constant(name, {static_cast<std::int32_t>(values.size())}, numbers.data, tfl::int32);
  }
  void op(int code, const std::vector<std::int32_t>& inputs,
          const std::vector<std::int32_t>& outputs, std::vector<FlatValue::Field> options = {},
          const std::string& custom_code = {}) {
    std::vector<FlatValue::Field> kind{{0, flat_byte(code < 127 ? code : 127)},
                                       {3, flat_number(static_cast<std::int32_t>(code))}};
    if (!custom_code.empty()) kind.emplace_back(1, flat_bytes(custom_code));
    codes.push_back(flat_table(std::move(kind)));
    operators.push_back(flat_table({{0, flat_number(static_cast<std::uint32_t>(codes.size() - 1))},
                                    {1, flat_numbers(inputs)},
                                    {2, flat_numbers(outputs)},
                                    {3, flat_byte(1)},
                                    {4, flat_table(std::move(options))}}));
  }
  [[nodiscard]] FlatValue graph(const std::vector<std::int32_t>& inputs,
                                const std::vector<std::int32_t>& outputs) const {
    return flat_table({{0, flat_tables(tensors)},
                       {1, flat_numbers(inputs)},
                       {2, flat_numbers(outputs)},
                       {3, flat_tables(operators)},
                       {4, flat_bytes("main")}});
  }
  [[nodiscard]] std::string file(const std::vector<std::int32_t>& inputs,
                                 const std::vector<std::int32_t>& outputs, int graphs = 1) const {
    return FlatWriter::file(
        flat_table({{0, flat_number(std::uint32_t{3})},
                    {1, flat_tables(codes)},
                    {2, flat_tables(std::vector<FlatValue>(static_cast<std::size_t>(graphs),
                                                           graph(inputs, outputs)))},
                    {3, flat_bytes("made for a test")},
                    {4, flat_tables(buffers)}}));
  }

  std::vector<FlatValue> buffers;
  std::vector<FlatValue> tensors;
  std::vector<FlatValue> codes;
  std::vector<FlatValue> operators;
};

}  // namespace tessera::testing
