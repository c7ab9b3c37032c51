#include "io/text.h"

#include <algorithm>

namespace tessera::io {
namespace {

constexpr unsigned char byte(char c) {
  return static_cast<unsigned char>(c);
}

/// Ordinary ASCII: printable, tab, CR or LF.
constexpr bool is_ascii(char c) {
  return (byte(c) >= 0x20 && byte(c) < 0x7f) || c == '\n' || c == '\r' || c == '\t';
}

std::string hex(char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[byte(c) >> 4U], digits[byte(c) & 15U]};
}

}  // namespace

std::string_view without_bom(std::string_view text) {
  constexpr std::string_view bom = "\xEF\xBB\xBF";
  if (text.starts_with(bom)) text.remove_prefix(bom.size());
  return text;
}

std::size_t utf8_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (byte(c) & 0xc0U) != 0x80U; }));
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

void require_text(std::string_view text, const std::string& file) {
  std::size_t at = 0;
  while (at < text.size()) {
    // Branch-free pass over blocks; almost every file is plain ASCII.
    constexpr std::size_t block = 256;
    if (text.size() - at >= block) {
      bool all = true;
      for (std::size_t k = 0; k < block; ++k) all &= is_ascii(text[at + k]);
      if (all) {
        at += block;
        continue;
      }
    }
    const std::size_t stop = std::min(text.size(), at + block);
    while (at < stop) {
      if (is_ascii(text[at])) {
        ++at;
        continue;
      }
      const std::size_t length = byte(text[at]) < 0x80 ? 0 : utf8_length(text.substr(at));
      if (length == 0) {
        const bool control = byte(text[at]) < 0x80;
        throw InputError(
            file, line_at(text, at),
            (control ? "contains the control character " : "is not UTF-8: byte ") + hex(text[at]),
            "save the file as UTF-8 text");
      }
      at += length;
    }
  }
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "`";
  std::size_t characters = 0;
  while (!text.empty()) {
    if (++characters > longest) {
      out += "...";
      break;
    }
    const std::size_t length = utf8_length(text);
    if (length == 0 || begins_unseen(text)) {
      const std::size_t bytes = length > 0 ? length : 1;
      for (std::size_t k = 0; k < bytes; ++k) out += hex(text[k]);
      text.remove_prefix(bytes);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out += '`';
}

}  // namespace tessera::io
