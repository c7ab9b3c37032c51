// Networks in, from ONNX, TensorFlow Lite or network YAML, told apart by content.
//
//   ImportedNetwork in = read_network("resnet50.onnx", {.dtype = ElementType::int8});
//   for (const std::string& warning : in.warnings) std::cerr << warning << '\n';
//   write_output("resnet50.yaml", network_yaml(in.network));      // files.h
//
// Throws BadInput that names the file and the node or line, and ImportStopped at a limit.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api.h"
#include "errors.h"
#include "limits.h"
#include "network.h"
#include "placement.h"

namespace tessera {

struct ImportOptions {
  std::optional<ElementType> dtype{};               ///< for every floating one; biases: bias_type()
  std::vector<std::pair<std::string, Dim>> dims{};  ///< extents of named dynamic dimensions
  bool recognise = true;         ///< decomposed norms and activations become one op
  bool fold_batch_norm = true;   ///< into the convolution before it
  bool fuse_activations = true;  ///< into the op that makes their input
  Limits limits{};               ///< time, memory and the stop token count
};

/// A limit came before the network was read; that says nothing about the file.
class TESSERA_API ImportStopped : public std::runtime_error {
 public:
  ImportStopped(const std::string& what, StopReason why) : std::runtime_error(what), reason(why) {}
  StopReason reason;
};

struct ImportedNetwork {
  Network network{};
  std::string format{};                 ///< "onnx", "tflite" or "yaml"
  std::vector<std::string> warnings{};  ///< sentences; the network is usable
};

/// "-" is the standard input. A YAML network is taken as it is written, but for the dtype.
/// ensure: check_network(result.network) is empty.
[[nodiscard]] TESSERA_API ImportedNetwork read_network(const std::string& path,
                                                       const ImportOptions& options);

/// The same from what is in memory; `name` is for messages, and becomes the name of an ONNX or
/// TensorFlow Lite network (without its ending).
[[nodiscard]] TESSERA_API ImportedNetwork read_network_bytes(std::string_view bytes,
                                                             const std::string& name,
                                                             const ImportOptions& options);

/// Is this file a network, rather than a placement problem? False for what cannot be read twice,
/// and for a TensorFlow Lite model, which is both.
[[nodiscard]] TESSERA_API bool is_network_file(const std::string& path);

/// Reads back as the same network. Throws BadInput if check_network(network) is not empty.
[[nodiscard]] TESSERA_API std::string network_yaml(const Network& network);

/// "int8" -> ElementType::int8. Throws BadInput that begins with `what`.
[[nodiscard]] TESSERA_API ElementType parse_element_type(const std::string& text,
                                                         const std::string& what);

}  // namespace tessera
