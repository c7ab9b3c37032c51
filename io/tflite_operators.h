// Names of TensorFlow Lite's builtin operators.
//
//   builtin_name(3) == "CONV_2D"
#pragma once

#include <cstdint>
#include <string>

namespace tessera::io::tflite_reader {

inline constexpr std::int32_t custom_operator = 32;

/// "BUILTIN_999" for an unknown number.
[[nodiscard]] std::string builtin_name(std::int32_t code);

}  // namespace tessera::io::tflite_reader
