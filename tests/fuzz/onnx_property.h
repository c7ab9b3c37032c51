// What must hold of the ONNX reader for every file: it answers or throws InputError with a sentence
// of one line, and what it reads is a well-formed network that reads back from YAML as it was,
// before and after it is simplified.
#pragma once

#include <string_view>

namespace tessera::fuzz {

/// Was the file accepted? Throws anything but InputError where the property does not hold.
bool onnx(std::string_view bytes);

}  // namespace tessera::fuzz
