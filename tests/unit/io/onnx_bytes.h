// Builds valid and invalid ONNX files by hand, with a minimum of protobuf's wire format.
//
//   std::string bytes = onnx_model({.nodes = {onnx_node("Relu", "r", {"x"}, {"y"})},
//                                   .inputs = {onnx_value("x", {1, 4})},
//                                   .outputs = {onnx_value("y", {1, 4})}});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::testing {

inline std::string wire_varint(std::uint64_t value) {
  std::string out;
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  return out + static_cast<char>(value);
}
inline std::string wire_number(int field, std::int64_t value) {
  return wire_varint(static_cast<std::uint64_t>(field) << 3) +
         wire_varint(static_cast<std::uint64_t>(value));
}
inline std::string wire_bytes(int field, const std::string& bytes) {
  return wire_varint((static_cast<std::uint64_t>(field) << 3) | 2) + wire_varint(bytes.size()) +
         bytes;
}

/// A float tensor. Extents below 1 become unnamed dynamic dimensions, names become named ones.
inline std::string onnx_value(const std::string& name, const std::vector<std::int64_t>& shape,
                              const std::string& first_name = {}) {
  std::string dims;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::string dim;
    if (k == 0 && !first_name.empty())
      dim = wire_bytes(2, first_name);
    else if (shape[k] > 0)
      dim = wire_number(1, shape[k]);
    dims += wire_bytes(1, dim);
  }
  const std::string tensor = wire_number(1, 1) + wire_bytes(2, dims);
  return wire_bytes(1, name) + wire_bytes(2, wire_bytes(1, tensor));
}

inline std::string onnx_ints(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string out = wire_bytes(1, name) + wire_number(20, 7);
  for (const std::int64_t value : values) out += wire_number(8, value);
  return out;
}
inline std::string onnx_int(const std::string& name, std::int64_t value) {
  return wire_bytes(1, name) + wire_number(20, 2) + wire_number(3, value);
}
/// An initializer of 64-bit integers.
inline std::string onnx_integers(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string raw;
  for (const std::int64_t value : values)
    for (int byte = 0; byte < 8; ++byte)
      raw += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * byte)) & 0xff);
  return wire_number(1, static_cast<std::int64_t>(values.size())) + wire_number(2, 7) +
         wire_bytes(8, name) + wire_bytes(9, raw);
}
/// A single integer without axes.
inline std::string onnx_scalar(const std::string& name, std::int64_t value) {
  return wire_number(2, 7) + wire_number(7, value) + wire_bytes(8, name);
}
/// A float initializer without its values: only its shape matters.
inline std::string onnx_weights(const std::string& name, const std::vector<std::int64_t>& shape) {
  std::string out;
  std::size_t count = 4;
  for (const std::int64_t extent : shape) {
    out += wire_number(1, extent);
    count *= static_cast<std::size_t>(extent);
  }
  return out + wire_number(2, 1) + wire_bytes(8, name) + wire_bytes(9, std::string(count, '\0'));
}

inline std::string onnx_node(const std::string& type, const std::string& name,
                             const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs,
                             const std::vector<std::string>& attributes = {},
                             const std::string& domain = {}) {
  std::string out;
  for (const std::string& input : inputs) out += wire_bytes(1, input);
  for (const std::string& output : outputs) out += wire_bytes(2, output);
  out += wire_bytes(3, name) + wire_bytes(4, type);
  for (const std::string& attribute : attributes) out += wire_bytes(5, attribute);
  return domain.empty() ? out : out + wire_bytes(7, domain);
}

struct OnnxParts {
  std::vector<std::string> nodes;
  std::vector<std::string> initializers;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> value_infos;
  std::int64_t opset = 13;
};

inline std::string onnx_model(const OnnxParts& parts) {
  std::string graph;
  for (const std::string& node : parts.nodes) graph += wire_bytes(1, node);
  graph += wire_bytes(2, "test");
  for (const std::string& tensor : parts.initializers) graph += wire_bytes(5, tensor);
  for (const std::string& value : parts.inputs) graph += wire_bytes(11, value);
  for (const std::string& value : parts.outputs) graph += wire_bytes(12, value);
  for (const std::string& value : parts.value_infos) graph += wire_bytes(13, value);
  return wire_number(1, 7) + wire_bytes(7, graph) + wire_bytes(8, wire_number(2, parts.opset));
}

}  // namespace tessera::testing
