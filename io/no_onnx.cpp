// Replaces the ONNX reader in a build without it (TESSERA_WITH_ONNX=OFF).
#include "io/network_onnx.h"

namespace tessera::io {

OnnxNetwork read_onnx(std::string_view, const std::string& file, const OnnxOptions&) {
  throw InputError(file, 0, "is an ONNX model, and this build of Tessera reads no ONNX",
                   "build it with -DTESSERA_WITH_ONNX=ON, or give the network as YAML, which "
                   "`tessera import` of such a build writes");
}

}  // namespace tessera::io
