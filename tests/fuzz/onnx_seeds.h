// Small well-formed ONNX models, at least one for every operator that is known (onnx_operators.cpp)
// and some of several nodes: where mutations of ONNX messages begin.
#pragma once

#include <onnx/onnx.pb.h>

#include <vector>

namespace tessera {
namespace onnx = io::onnx;
}

namespace tessera::fuzz {

[[nodiscard]] std::vector<onnx::ModelProto> onnx_seeds();

}  // namespace tessera::fuzz
