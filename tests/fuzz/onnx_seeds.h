// Small well-formed ONNX models: at least one for every supported operator (onnx_operators.cpp),
// and some with several nodes. They are the seeds of mutations.
#pragma once

#include <onnx/onnx.pb.h>

#include <vector>

namespace tessera {
namespace onnx = io::onnx;
}

namespace tessera::fuzz {

[[nodiscard]] std::vector<onnx::ModelProto> onnx_seeds();

}  // namespace tessera::fuzz
