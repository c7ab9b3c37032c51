// Estimates the memory of a parsed ONNX file before parsing. Private to the ONNX reader.
//
// An empty node takes two bytes in a file and about two hundred in memory: a file of 100 MB may
// need 10 GB. Therefore its messages and texts are counted first, in protobuf's wire format.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/poll.h"

namespace tessera::io::onnx_reader {

/// Number of messages and texts in the well-formed part of the file; counting stops above `most`.
/// Throws BudgetEnded.
[[nodiscard]] std::size_t parts_in(std::string_view bytes, std::size_t most, Poll& poll);

/// Approximate bytes of memory per part.
inline constexpr double part_bytes = 200;

}  // namespace tessera::io::onnx_reader
