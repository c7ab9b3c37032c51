// JSON values as text. Writing them directly keeps the order of keys and puts long lists one entry
// per line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// Quoted and escaped; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);
/// The shortest text that reads back as the same value; `null` for infinity and NaN, which JSON
/// does not have.
[[nodiscard]] std::string json_number(double value);
[[nodiscard]] std::string json_number(std::int64_t value);

}  // namespace tessera
