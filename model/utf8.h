// UTF-8 validation.
//
//   while (!text.empty() && utf8_length(text) > 0) text.remove_prefix(utf8_length(text));
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera {

/// Number of bytes of the UTF-8 sequence at the beginning of `text`; 0 if it is invalid.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Does the text begin with an invisible or misleading character? Those are control characters
/// (also U+0080 to U+009F, which terminals interpret), characters without width, line ends (U+2028,
/// U+2029) and characters that change the writing direction.
[[nodiscard]] bool begins_unseen(std::string_view text);

}  // namespace tessera
