// Whether bytes are text.
//
//   while (!text.empty() && utf8_length(text) > 0) text.remove_prefix(utf8_length(text));
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera {

/// Number of bytes of the UTF-8 sequence at the beginning of `text`, 0 where it is not one.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

}  // namespace tessera
