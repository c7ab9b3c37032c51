// Bytes before they mean anything: is this text at all, and which line is byte N in?
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/error.h"
#include "model/utf8.h"

namespace tessera {

/// The text without a leading UTF-8 byte-order mark.
[[nodiscard]] std::string_view without_bom(std::string_view text);

/// Throws InputError at the first byte that is neither UTF-8 nor an ordinary character (control
/// characters besides tab, CR and LF are refused: an embedded NUL ends the text for some parsers).
void require_text(std::string_view text, const std::string& file);

/// Characters, not bytes.  require: UTF-8.
[[nodiscard]] std::size_t utf8_width(std::string_view text);

/// The line byte `offset` stands in, from 1.
[[nodiscard]] std::size_t line_at(std::string_view text, std::size_t offset);

/// The text without blanks and tabs at its ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The known word closest to a misspelt one, or "" where none is close.
template <typename Words>
[[nodiscard]] std::string_view closest_word(std::string_view wrong, const Words& known);

/// Edits (insert, delete, replace) between two short words.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

template <typename Words>
std::string_view closest_word(std::string_view wrong, const Words& known) {
  if (wrong.size() > 40) return {};
  std::string_view best;
  std::size_t least = wrong.size() / 3 + 2;  // further away is no misspelling
  for (const std::string_view word : known) {
    const std::size_t distance = edit_distance(wrong, word);
    if (distance < least) {
      least = distance;
      best = word;
    }
  }
  return best;
}

}  // namespace tessera
