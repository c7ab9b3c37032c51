#include "tessera/import.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "io/files.h"
#include "io/network_onnx.h"
#include "io/network_passes.h"
#include "io/network_yaml.h"
#include "io/tflite.h"
#include "model/network_types.h"
#include "model/poll.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::validation {
namespace {

/// An ONNX file is a protobuf message: its first byte is a field key, a control character in any
/// text. Empty files go to the YAML reader, whose message is better.
bool is_onnx(const std::string& bytes, const std::string& path) {
  // UTF-16 text contains zeros as well.
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return false;
  if (bytes.find("tessera:") < 4096) return false;
  const auto control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  };
  const std::size_t looked_at = std::min<std::size_t>(bytes.size(), 64);
  return path.ends_with(".onnx") ||
         std::any_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(looked_at),
                     control);
}

std::string limit_name(StopReason reason) {
  switch (reason) {
    case StopReason::time_limit:
      return "time limit";
    case StopReason::memory_limit:
      return "memory limit";
    default:
      return "request to stop";
  }
}

}  // namespace

namespace {

/// Reads the bytes with `get`, within the limits of the whole call.
template <typename Get>
ImportedNetwork read_bytes(const std::string& path, const ImportOptions& options, Get get) {
  const LimitedBudget limited(options.limits);
  try {
    const std::string bytes = get();
    ImportedNetwork out;
    const bool tflite = io::is_tflite(bytes, path);
    if (tflite || is_onnx(bytes, path)) {
      Network network;
      if (tflite) {
        io::TfliteNetwork read = io::read_tflite_network(bytes, path, limited.budget());
        out.format = "tflite";
        out.warnings = std::move(read.warnings);
        network = std::move(read.network);
      } else {
        io::OnnxNetwork read = io::read_onnx(
            bytes, path,
            {.dims = options.dims, .ignore_declared_shapes = false, .budget = limited.budget()});
        out.format = "onnx";
        out.warnings = std::move(read.warnings);
        network = std::move(read.network);
      }
      out.network =
          io::simplified(std::move(network), {.recognise = options.recognise,
                                              .fold_batch_norm = options.fold_batch_norm,
                                              .fuse_activations = options.fuse_activations,
                                              .dtype = options.dtype,
                                              .budget = limited.budget()});
      // Exporters give every graph the same name; the file name is more specific.
      const std::string stem = std::filesystem::path(path).stem().string();
      if (path != "-" && !stem.empty()) out.network.name = stem;
    } else {
      out.format = "yaml";
      out.network = io::read_network_yaml(bytes, path).network;
      if (options.dtype) replace_floating(out.network, *options.dtype);
    }
    return out;
  } catch (const BudgetEnded& ended) {
    throw ImportStopped(
        path + ": the " + limit_name(ended.reason) + " was reached before the network was read",
        ended.reason);
  }
}

}  // namespace

}  // namespace tessera::validation

namespace tessera {

ImportedNetwork read_network(const std::string& path, const ImportOptions& options) {
  return validation::read_bytes(path, options, [&] { return io::read_file(io::input_path(path)); });
}

ImportedNetwork read_network_bytes(std::string_view bytes, const std::string& name,
                                   const ImportOptions& options) {
  return validation::read_bytes(name, options, [&] { return std::string(bytes); });
}

bool is_network_file(const std::string& path) {
  const std::optional<std::string> bytes = io::beginning_of(path);
  if (!bytes || io::is_tflite(*bytes, path)) return false;
  return validation::is_onnx(*bytes, path) || bytes->find("tessera: network/") != std::string::npos;
}

std::string network_yaml(const Network& network) {
  validation::require_valid(network);
  return io::write_network_yaml(network);
}

ElementType parse_element_type(const std::string& text, const std::string& what) {
  if (const std::optional<ElementType> type = element_type_from(text)) return *type;
  throw BadInput(
      what + ": '" + text + "' is not an element type",
      "types are int4, int8, uint8, int16, int32, float16, bfloat16, float32 and the like");
}

}  // namespace tessera
