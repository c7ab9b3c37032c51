// Contents of a TensorFlow Lite file, with all indices checked. Private to the TensorFlow Lite
// reader.
//
//   FlatBytes file(bytes, "model.tflite");
//   const TfliteModel model = read_tflite_model(file);
//   for (const TfliteOperator& op : model.operators) std::cout << op.type << '\n';
//
// Numbers of fields, types and operators follow the schema of TensorFlow:
// tensorflow/compiler/mlir/lite/schema/schema.fbs (github.com/tensorflow/tensorflow), which only
// appends new ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/tflite_tables.h"
#include "tessera/network.h"

namespace tessera::io::tflite_reader {

/// TensorType of the schema.
struct TfliteType {
  std::string_view name;
  Size bytes;  ///< per element; 0: no fixed size
  /// The same for the planner; none if the planner lacks the type.
  std::optional<ElementType> element;
};

struct TfliteTensor {
  std::string name;        ///< text, not empty; no other tensor has it
  std::vector<Dim> shape;  ///< no extent is negative; empty: a scalar
  const TfliteType* type = nullptr;
  bool variable = false;  ///< keeps its value between runs
  bool constant = false;  ///< the file holds its data
  std::string_view data;  ///< of a constant; empty if the data is outside of the tables
  /// Its scales, with an axis in file order. `usable`: positive, one or one per index of the axis,
  /// with zero points in the range of the type.
  std::optional<Quantization> quantization;
  bool usable = true;
};

using TfliteIndex = std::int32_t;  ///< index into TfliteModel::tensors; -1: omitted

struct TfliteOperator {
  std::string type;  ///< CONV_2D and so on; for a custom operator its own name
  std::string name;  ///< "operator 3 (CONV_2D)", for messages
  std::vector<TfliteIndex> inputs;
  std::vector<TfliteIndex> outputs;  ///< none is omitted
  std::optional<FlatTable> options;
};

/// The only subgraph of a model.
struct TfliteModel {
  std::vector<TfliteTensor> tensors;
  std::vector<TfliteOperator> operators;  ///< in execution order
  std::vector<TfliteIndex> inputs;
  std::vector<TfliteIndex> outputs;
};

/// Metadata with the plan of the arena, and with scratch buffers.
inline constexpr const char* plan_name = "OfflineMemoryAllocation";
inline constexpr const char* scratch_name = "TesseraScratch";

/// The data of that metadata; none if the model lacks it.
[[nodiscard]] std::optional<std::string_view> metadata_of(const FlatBytes& file,
                                                          std::string_view name);

/// Does the file have the identifier of a TensorFlow Lite model?
[[nodiscard]] bool has_identifier(std::string_view bytes);

/// Throws InputError: damaged files, several subgraphs, types or shapes that are not fixed, tensors
/// that are read before they are written or written by two operators. ensure: every index is in
/// range.
[[nodiscard]] TfliteModel read_tflite_model(const FlatBytes& file);

/// Bytes of all elements; none if they exceed max_address. require: a type of fixed size.
[[nodiscard]] std::optional<Size> data_bytes(const TfliteTensor& tensor);

/// Sizes and offsets of the arena are multiples of it.
inline constexpr Size arena_alignment = 16;
/// Bytes of a tensor in the arena. Throws InputError for types without a fixed size, and too many
/// bytes.
[[nodiscard]] Size arena_bytes(const TfliteModel& model, std::size_t t, const std::string& file);

/// "`conv1`", for messages.
[[nodiscard]] std::string tensor_named(const TfliteModel& model, TfliteIndex tensor);

}  // namespace tessera::io::tflite_reader
