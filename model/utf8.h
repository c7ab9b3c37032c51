// Whether bytes are text.
//
//   while (!text.empty() && utf8_length(text) > 0) text.remove_prefix(utf8_length(text));
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera {

/// Number of bytes of the UTF-8 sequence at the beginning of `text`, 0 where it is not one.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Does the text begin with what a reader does not see, or sees as something else: control
/// characters (also U+0080 to U+009F, which terminals obey), what has no width, ends a line
/// (U+2028, U+2029) or turns the direction of what follows?
[[nodiscard]] bool begins_unseen(std::string_view text);

}  // namespace tessera
