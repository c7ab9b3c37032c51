// Reads ONNX models. Uses only the message definitions of the ONNX library, because files may be
// hostile.
//
//   OnnxNetwork read = read_onnx(bytes, "resnet50.onnx", {});
//   Network small = simplified(read.network, {});               // network_passes.h
//
// One op per node, except: constants are folded, Identity and Dropout are removed, and layout
// changes that move no element become views. Ops with unsupported geometry become opaque.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/error.h"
#include "model/budget.h"
#include "tessera/network.h"

namespace tessera::io {

struct OnnxOptions {
  std::vector<std::pair<std::string, Dim>> dims;  ///< extents for named dynamic dimensions
  /// infer all shapes from the inputs, to test inference against declared shapes
  bool ignore_declared_shapes = false;
  Budget budget{};  ///< polled every few nodes
};

struct OnnxNetwork {
  Network network;
  std::vector<std::string> warnings;  ///< sentences; the network is usable
  /// Declared shapes of tensors made by nodes, by name.
  std::vector<std::pair<std::string, std::vector<Dim>>> declared;
};

/// Throws BudgetEnded (model/poll.h), and InputError with the node (cycles, inconsistent shapes,
/// dynamic dimensions, truncated files). ensure: check_network(result.network) is empty.
[[nodiscard]] OnnxNetwork read_onnx(std::string_view bytes, const std::string& file,
                                    const OnnxOptions& options);

}  // namespace tessera::io
