// The words of conditions, for the reader and the writer of rules.
//
//   if (is_rule_word(text) && !is_reserved(text)) ...     // a name without quotes
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera {

inline constexpr std::array<std::string_view, 6> rule_properties{"offset", "size", "bank",
                                                                 "memory", "mode", "next_mode"};
inline constexpr std::array<std::string_view, 5> rule_connectives{"and", "or", "not", "implies",
                                                                  "in"};

constexpr bool begins_rule_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_rule_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool in_rule_word(char c) {
  return begins_rule_word(c) || is_rule_digit(c) || c == '.' || c == '|';
}
constexpr bool is_rule_word(std::string_view text) {
  return !text.empty() && begins_rule_word(text.front()) && std::ranges::all_of(text, in_rule_word);
}
constexpr bool is_reserved(std::string_view text) {
  return std::ranges::find(rule_properties, text) != rule_properties.end() ||
         std::ranges::find(rule_connectives, text) != rule_connectives.end();
}

}  // namespace tessera
