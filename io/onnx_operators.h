// Table of the supported ONNX operators: number of inputs and outputs, attributes with their types,
// and the shape inference rule. Private to the ONNX reader.
//
//   if (const Operator* op = operator_of("Conv")) op->rule(inference);
//
// Operators outside the table become opaque ops if the file declares the shapes of their outputs.
#pragma once

#include <string_view>

namespace tessera::io::onnx_reader {

class Inference;

inline constexpr int many = -1;  ///< unlimited

struct Operator {
  const char* type;
  int least_inputs, most_inputs;
  int least_outputs, most_outputs;
  /// "axis:i perm:I": i integer, f number, s text, t tensor, capitals for lists. Includes the
  /// attributes of all versions of the operator.
  const char* attributes;
  void (*rule)(Inference&);

  /// The type letter of an attribute, 0 if the operator has no such attribute.
  [[nodiscard]] char attribute_kind(std::string_view name) const;
};

/// Null for an unknown operator.
[[nodiscard]] const Operator* operator_of(std::string_view type);

}  // namespace tessera::io::onnx_reader
