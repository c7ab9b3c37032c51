#include "cli/source_line.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "model/utf8.h"

namespace tessera::cli {

namespace {

/// A file is read again for one line, up to this size.
constexpr std::size_t most_bytes = std::size_t{16} << 20U;
constexpr std::size_t widest = 96;
constexpr std::string_view margin = "  | ";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// From `from` on, as a whole word.
std::size_t find_word(std::string_view line, std::string_view word, std::size_t from) {
  for (std::size_t at = line.find(word, from); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word(word.front()) || !is_word(line[at - 1]);
    const bool ends = end == line.size() || !is_word(word.back()) || !is_word(line[end]);
    if (begins && ends) return at;
  }
  return line.npos;
}

std::optional<std::string> line_of(const std::string& file, std::size_t number) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  std::string line;
  std::size_t now = 1;
  std::size_t read = 0;
  for (char c = 0; read < most_bytes && in.get(c); ++read) {
    if (c != '\n') {
      if (now == number) line += c;
      continue;
    }
    if (now == number) break;
    ++now;
  }
  if (now != number || read == most_bytes || line.find('\0') != line.npos) return std::nullopt;
  if (line.ends_with('\r')) line.pop_back();
  if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  return line;
}

/// Replaces control characters (including U+0080 to U+009F) by blanks and invalid UTF-8 by question
/// marks, one per byte.
void make_harmless(std::string& line) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t length = utf8_length(std::string_view(line).substr(at));
    const auto byte = static_cast<unsigned char>(line[at]);
    if (length == 0) {
      line[at++] = '?';
      continue;
    }
    const bool control = byte < 0x20 || byte == 0x7f ||
                         (byte == 0xC2 && static_cast<unsigned char>(line[at + 1]) < 0xA0);
    if (control) line.replace(at, length, length, ' ');
    at += length;
  }
}

/// Approximate terminal columns: UTF-8 continuation bytes take none.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

/// For an error in "column N" of the text after `that:`.
std::optional<Caret> caret_in_rule(std::string_view line, std::string_view message) {
  constexpr std::string_view word = "column ";
  constexpr std::string_view key = "that:";
  const std::size_t said = message.find(word);
  std::size_t at = line.find(key);
  if (said == message.npos || at == line.npos) return std::nullopt;
  std::size_t column = 0;
  std::from_chars(message.data() + said + word.size(), message.data() + message.size(), column);
  at = line.find_first_not_of(" \t", at + key.size());
  if (at == line.npos || column == 0) return std::nullopt;
  if (line[at] == '"' || line[at] == '\'') ++at;
  at += column - 1;
  if (at >= line.size()) return std::nullopt;
  std::size_t end = at;
  while (end < line.size() && is_word(line[end])) ++end;
  return Caret{at, std::max<std::size_t>(1, end - at)};
}

}  // namespace

std::optional<ErrorPlace> place_of(std::string_view what) {
  for (std::size_t colon = what.find(':'); colon != what.npos; colon = what.find(':', colon + 1)) {
    const std::size_t end = what.find_first_not_of("0123456789", colon + 1);
    if (end == what.npos || end == colon + 1 || what.compare(end, 2, ": ") != 0) continue;
    return ErrorPlace{what.substr(0, colon), what.substr(colon + 1, end - colon - 1),
                      what.substr(end + 2)};
  }
  return std::nullopt;
}

Caret caret_of(std::string_view line, std::string_view message) {
  if (const auto in_rule = caret_in_rule(line, message)) return *in_rule;
  std::optional<Caret> found;
  for (std::size_t open = message.find('`'); open != message.npos;) {
    const std::size_t close = message.find('`', open + 1);
    if (close == message.npos) break;
    const std::string_view word = message.substr(open + 1, close - open - 1);
    open = message.find('`', close + 1);
    if (word.empty()) continue;
    const std::size_t at = find_word(line, word, found ? found->at + found->length : 0);
    if (at != line.npos) found = Caret{at, word.size()};
  }
  if (found) return *found;
  const std::size_t first = line.find_first_not_of(" \t");
  return {first == line.npos ? 0 : first, 1};
}

std::string source_line(std::string_view what) {
  const std::optional<ErrorPlace> place = place_of(what);
  if (!place) return "";
  std::size_t number = 0;
  const auto [end, code] =
      std::from_chars(place->line.data(), place->line.data() + place->line.size(), number);
  if (code != std::errc{} || end == place->line.data() || number == 0) return "";
  const std::optional<std::string> read = line_of(std::string(place->file), number);
  if (!read || read->find_first_not_of(" \t") == read->npos) return "";
  std::string line = *read;
  Caret caret = caret_of(line, place->message);
  make_harmless(line);
  const auto cut_at = [&](std::size_t at) {
    while (at < line.size() && at > 0 && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U)
      --at;
    return at;
  };
  if (line.size() > widest) {
    const std::size_t from = caret.at < widest / 2 ? 0 : cut_at(caret.at - widest / 3);
    const std::size_t to = std::min(line.size(), cut_at(std::min(from + widest, line.size())));
    line =
        (from > 0 ? "..." : "") + line.substr(from, to - from) + (to < read->size() ? "..." : "");
    caret.at = caret.at - from + (from > 0 ? 3 : 0);
  }
  caret.length = std::min(caret.length, line.size() - std::min(line.size(), caret.at));
  const std::size_t before = columns(std::string_view(line).substr(0, caret.at));
  const std::size_t under =
      std::max<std::size_t>(1, columns(std::string_view(line).substr(caret.at, caret.length)));
  return std::string(margin) + line + "\n" + std::string(margin) + std::string(before, ' ') + "^" +
         std::string(under - 1, '~') + "\n";
}

}  // namespace tessera::cli
