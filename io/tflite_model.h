// What a TensorFlow Lite file says, checked as far as numbers point at one another. Private to the
// TensorFlow Lite reader.
//
//   FlatBytes file(bytes, "model.tflite");
//   const TfliteModel model = read_tflite_model(file);
//   for (const TfliteOperator& op : model.operators) std::cout << op.type << '\n';
//
// The numbers of fields, types and operators are those of the schema that TensorFlow publishes:
// tensorflow/compiler/mlir/lite/schema/schema.fbs (github.com/tensorflow/tensorflow), where new
// ones are only ever appended.
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
  Size bytes;  ///< of an element; 0: it has no fixed size
  /// The same for the planner; nothing where it has no such type.
  std::optional<ElementType> element;
};

struct TfliteTensor {
  std::string name;        ///< text, not empty; no other tensor has it
  std::vector<Dim> shape;  ///< no extent is negative; empty: a scalar
  const TfliteType* type = nullptr;
  bool variable = false;  ///< keeps its value from run to run
  bool constant = false;  ///< the file holds its data
  std::string_view data;  ///< of a constant; empty where the data is outside of the tables
};

using TfliteIndex = std::int32_t;  ///< position in TfliteModel::tensors; -1: left out

struct TfliteOperator {
  std::string type;  ///< CONV_2D and the like; of a custom operator its own name
  std::string name;  ///< "operator 3 (CONV_2D)", for messages
  std::vector<TfliteIndex> inputs;
  std::vector<TfliteIndex> outputs;  ///< none is left out
  std::optional<FlatTable> options;
};

/// The only subgraph of a model.
struct TfliteModel {
  std::vector<TfliteTensor> tensors;
  std::vector<TfliteOperator> operators;  ///< in the order they run
  std::vector<TfliteIndex> inputs;
  std::vector<TfliteIndex> outputs;
};

/// Metadata with the plan of the arena, and with scratch buffers.
inline constexpr const char* plan_name = "OfflineMemoryAllocation";
inline constexpr const char* scratch_name = "TesseraScratch";

/// The data of that metadata; nothing where the model has none.
[[nodiscard]] std::optional<std::string_view> metadata_of(const FlatBytes& file,
                                                          std::string_view name);

/// Does the file call itself a TensorFlow Lite model?
[[nodiscard]] bool has_identifier(std::string_view bytes);

/// Throws InputError: damaged, several subgraphs, a type or shape that is not fixed, a tensor that
/// is read before it is written or that two operators write. ensure: every index is in range.
[[nodiscard]] TfliteModel read_tflite_model(const FlatBytes& file);

/// Bytes of all elements; nothing where they exceed max_address. require: a type of fixed size.
[[nodiscard]] std::optional<Size> data_bytes(const TfliteTensor& tensor);

/// "`conv1`", for messages.
[[nodiscard]] std::string tensor_named(const TfliteModel& model, TfliteIndex tensor);

}  // namespace tessera::io::tflite_reader
