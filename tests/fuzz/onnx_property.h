// Property of the ONNX reader for every file: it returns a network, or throws InputError with a
// one-line message. A network is well-formed, and survives a round trip through YAML, before and
// after simplification.
#pragma once

#include <string_view>

namespace tessera::fuzz {

/// Returns whether the file was accepted. Throws anything but InputError if the property is
/// violated.
bool onnx(std::string_view bytes);

}  // namespace tessera::fuzz
