// The operators of ONNX that are known here: how many inputs and outputs each has, which attributes
// of which types, and the rule for the shapes it makes. Private to the ONNX reader.
//
//   if (const Operator* op = operator_of("Conv")) op->rule(inference);
//
// An operator that is not in the table is kept as an opaque op, if the file states what it makes.
#pragma once

#include <string_view>

namespace tessera::io::onnx_reader {

class Inference;

inline constexpr int many = -1;  ///< no largest number

struct Operator {
  const char* type;
  int least_inputs, most_inputs;
  int least_outputs, most_outputs;
  /// "axis:i perm:I": i integer, f number, s text, t tensor, capitals for lists. Attributes of
  /// every version of the operator.
  const char* attributes;
  void (*rule)(Inference&);

  /// The letter of an attribute, 0 where the operator has none of that name.
  [[nodiscard]] char attribute_kind(std::string_view name) const;
};

/// Null for an operator that is not known.
[[nodiscard]] const Operator* operator_of(std::string_view type);

}  // namespace tessera::io::onnx_reader
