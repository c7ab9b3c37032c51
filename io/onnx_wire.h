// How much an ONNX file becomes in memory, before anything is made of it. Private to the ONNX
// reader.
//
// An empty node takes two bytes of a file and some two hundred of memory: a file of 100 MB may ask
// for 10 GB. So its messages and texts are counted first, in protobuf's wire format.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/poll.h"

namespace tessera::io::onnx_reader {

/// Messages and texts in the file, as far as it is well-formed; counting ends beyond `most`.
/// Throws BudgetEnded.
[[nodiscard]] std::size_t parts_in(std::string_view bytes, std::size_t most, Poll& poll);

/// Bytes that a part takes in memory, about.
inline constexpr double part_bytes = 200;

}  // namespace tessera::io::onnx_reader
