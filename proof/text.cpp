#include <algorithm>
#include <charconv>

#include "parts.h"

namespace tessera::proof {

std::optional<std::string_view> Lines::peek() const {
  if (rest_.empty()) return std::nullopt;
  return rest_.substr(0, rest_.find('\n'));
}

std::optional<std::string_view> Lines::next() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t end = rest_.find('\n');
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
  return line;
}

std::optional<std::string_view> unsealed(std::string_view text, std::string& why) {
  constexpr std::size_t length = 4 + 16 + 1;  // "end ", digits, newline
  const std::string_view last = text.size() < length ? "" : text.substr(text.size() - length);
  std::uint64_t told = 0;
  if (!last.starts_with("end ") || last.back() != '\n' ||
      std::from_chars(last.data() + 4, last.data() + 20, told, 16).ptr != last.data() + 20 ||
      (text.size() > length && text[text.size() - length - 1] != '\n')) {
    why = "The last line is not 'end' and a checksum: the file is cut off.";
    return std::nullopt;
  }
  text.remove_suffix(length);
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  if (hash != told) {
    why = "The checksum in the last line does not belong to this text: the file is damaged.";
    return std::nullopt;
  }
  return text;
}

std::string_view first_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::string_view take_word(std::string_view& text) {
  if (text.empty() || text.front() != ' ') return {};
  text.remove_prefix(1);
  return first_word(text);
}

std::optional<std::int64_t> take_number(std::string_view& text) {
  const std::string_view word = take_word(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  const std::string_view digits = word.substr(word.front() == '-' ? 1 : 0);
  if (digits.front() == '0' && word != "0") return std::nullopt;
  return value;
}

bool at_end(std::string_view text) {
  return text.empty();
}

std::string at_line(std::size_t line, std::string_view what) {
  return "Line " + std::to_string(line) + ": " + std::string(what) + '.';
}

}  // namespace tessera::proof
