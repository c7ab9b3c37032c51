#include "model/utf8.h"

namespace tessera {

namespace {

unsigned char byte(char c) {
  return static_cast<unsigned char>(c);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned char lead = byte(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(text[k]) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned char second = byte(text[1]);
  // Overlong forms, surrogates and what lies above U+10FFFF (RFC 3629, section 4).
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

bool begins_unseen(std::string_view text) {
  if (text.empty()) return false;
  const unsigned char lead = byte(text[0]);
  if (lead < 0x80) return lead < 0x20 || lead == 0x7f;
  const std::size_t length = utf8_length(text);
  const auto follows = [&](std::size_t k) { return byte(text[k]) & 0x3fU; };
  if (length == 2) {
    const unsigned point = (lead & 0x1fU) << 6U | follows(1);
    return point <= 0x9f || point == 0xad;
  }
  if (length != 3) return false;
  const unsigned point = (lead & 0x0fU) << 12U | follows(1) << 6U | follows(2);
  return (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

}  // namespace tessera
