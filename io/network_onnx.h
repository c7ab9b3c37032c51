// ONNX models in. Of the ONNX library only the messages are used: files may be hostile.
//
//   OnnxNetwork read = read_onnx(bytes, "resnet50.onnx", {});
//   Network small = simplified(read.network, {});               // network_passes.h
//
// One op per node, except that constants are folded, Identity and Dropout vanish and layout
// changes that move nothing become views. What the geometry does not know is kept as opaque.
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
  bool ignore_declared_shapes = false;  ///< infer everything from the inputs, as a test of both
  Budget budget{};                      ///< looked at every few nodes
};

struct OnnxNetwork {
  Network network;
  std::vector<std::string> warnings;  ///< sentences; the network is usable
  /// Shapes the file itself declares for tensors that are made by nodes, by name.
  std::vector<std::pair<std::string, std::vector<Dim>>> declared;
};

/// Throws BudgetEnded (model/poll.h), and InputError naming the node (cycles, shapes that disagree,
/// dynamic dimensions, files cut short). ensure: check_network(result.network) is empty.
[[nodiscard]] OnnxNetwork read_onnx(std::string_view bytes, const std::string& file,
                                    const OnnxOptions& options);

}  // namespace tessera::io
