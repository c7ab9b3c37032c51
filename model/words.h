// Suggestions for misspelt words.
//
//   const std::string_view close = closest_word("capasity", known);     // "capacity"
//   if (!close.empty()) hint = "did you mean `" + std::string(close) + "`?";
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera {

/// The number of edits (insert, delete, replace) between two short words.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word closest to `wrong`; else the shortest one that begins with it; else "".
template <typename Words>
[[nodiscard]] std::string_view closest_word(std::string_view wrong, const Words& known) {
  if (wrong.size() > 40) return {};
  std::string_view best;
  std::size_t least = wrong.size() / 3 + 2;  // a larger distance is not a misspelling
  for (const std::string_view word : known) {
    const std::size_t distance = edit_distance(wrong, word);
    if (distance < least) {
      least = distance;
      best = word;
    }
  }
  if (!best.empty() || wrong.size() < 3) return best;
  for (const std::string_view word : known)
    if (word.starts_with(wrong) && (best.empty() || word.size() < best.size())) best = word;
  return best;
}

}  // namespace tessera
