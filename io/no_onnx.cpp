// Replaces the ONNX reader in a build without it (TESSERA_WITH_ONNX=OFF).
#include "io/network_onnx.h"

namespace tessera::io {

OnnxNetwork read_onnx(std::string_view, const std::string& file, const OnnxOptions&) {
  throw InputError(file, 0, "is an ONNX model, but this build of Tessera has no ONNX reader",
                   "build with -DTESSERA_WITH_ONNX=ON, or convert the model to YAML with `tessera "
                   "import` of such a build");
}

}  // namespace tessera::io
