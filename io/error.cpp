#include "io/error.h"

#include "io/text.h"

namespace tessera::io {
namespace {

std::string located(const std::string& file, std::size_t line, const std::string& message) {
  std::string out = file;
  if (line > 0) out += ':' + std::to_string(line);
  return out + ": " + message;
}

/// Names from the input appear in messages unquoted. Line breaks and non-text bytes are escaped,
/// and overlong messages are cut.
std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 500;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    if (out.size() >= longest) return out + "...";
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace

InputError::InputError(std::string file_name, std::size_t line_number, std::string what_is_wrong,
                       std::string what_would_fix_it)
    : BadInput(located(file_name, line_number, one_line(what_is_wrong)),
               one_line(what_would_fix_it)),
      file(std::move(file_name)),
      line(line_number),
      message(one_line(what_is_wrong)) {}

}  // namespace tessera::io
