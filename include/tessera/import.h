// Reads networks: ONNX, TensorFlow Lite or network YAML, detected by content.
//
//   ImportedNetwork in = read_network("resnet50.onnx", {.dtype = ElementType::int8});
//   for (const std::string& warning : in.warnings) std::cerr << warning << '\n';
//   write_output("resnet50.yaml", network_yaml(in.network));      // files.h
//
// ensure: throws BadInput that names the file and the node or line, and ImportStopped at a limit.
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

/// Options of read_network().
struct ImportOptions {
  std::optional<ElementType> dtype{};  ///< for every floating type; biases get bias_type()
  std::vector<std::pair<std::string, Dim>> dims{};  ///< extents of named dynamic dimensions
  bool recognise = true;         ///< merge decomposed norms and activations into one op
  bool fold_batch_norm = true;   ///< into the preceding convolution
  bool fuse_activations = true;  ///< into the op that produces their input
  Limits limits{};               ///< time, memory and the stop token apply
};

/// A limit ended the reading of the network. The file may be valid.
class TESSERA_API ImportStopped : public std::runtime_error {
 public:
  ImportStopped(const std::string& what, StopReason why) : std::runtime_error(what), reason(why) {}
  StopReason reason;
};

/// A network that was read.
struct ImportedNetwork {
  Network network{};
  std::string format{};                 ///< "onnx", "tflite" or "yaml"
  std::vector<std::string> warnings{};  ///< complete sentences; the network is usable
};

/// Reads a network; "-" is the standard input. Of the options, only the dtype applies to network
/// YAML.
/// ensure: check_network(result.network) is empty.
[[nodiscard]] TESSERA_API ImportedNetwork read_network(const std::string& path,
                                                       const ImportOptions& options);

/// The same from memory. `name` is used in messages, and without its extension becomes the name of
/// an ONNX or TensorFlow Lite network.
[[nodiscard]] TESSERA_API ImportedNetwork read_network_bytes(std::string_view bytes,
                                                             const std::string& name,
                                                             const ImportOptions& options);

/// Is this file a network and not a placement problem? False for a file that cannot be read twice,
/// and for a TensorFlow Lite model, which is both.
[[nodiscard]] TESSERA_API bool is_network_file(const std::string& path);

/// The network as YAML; reading it gives the same network.
/// ensure: throws BadInput if check_network(network) is not empty.
[[nodiscard]] TESSERA_API std::string network_yaml(const Network& network);

/// "int8" -> ElementType::int8.
/// ensure: throws BadInput that begins with `what`.
[[nodiscard]] TESSERA_API ElementType parse_element_type(const std::string& text,
                                                         const std::string& what);

}  // namespace tessera
