// Byte-level checks of input text: encoding, and line numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/error.h"
#include "model/utf8.h"
#include "model/words.h"

namespace tessera::io {

/// The text without a leading UTF-8 byte-order mark.
[[nodiscard]] std::string_view without_bom(std::string_view text);

/// Throws InputError at the first byte that is neither UTF-8 nor an ordinary character. Control
/// characters except tab, CR and LF are rejected: an embedded NUL ends the text for some parsers.
void require_text(std::string_view text, const std::string& file);

/// Characters, not bytes.  require: UTF-8.
[[nodiscard]] std::size_t utf8_width(std::string_view text);

/// The line of byte `offset`, from 1.
[[nodiscard]] std::size_t line_at(std::string_view text, std::size_t offset);

/// The text without blanks and tabs at its ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace tessera::io
