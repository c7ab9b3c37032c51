// Writing JSON by hand, so that keys keep their order and long lists stand one entry a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// With the quotes; control characters escaped, bytes that are not UTF-8 as U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);
/// The shortest text that reads back the same; `null` for what is not finite (JSON has no word
/// for it).
[[nodiscard]] std::string json_number(double value);
[[nodiscard]] std::string json_number(std::int64_t value);

}  // namespace tessera
