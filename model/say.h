// Sentences out of pieces, for the messages of this room.
//
//   say("buffer '", id, "' has size ", size)
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "tessera/units.h"

namespace tessera {

inline std::ostream& operator<<(std::ostream& out, const StepRange& range) {
  return out << '[' << range.lower << ", " << range.upper << ')';
}
inline std::ostream& operator<<(std::ostream& out, const AddressRange& range) {
  return out << '[' << range.begin << ", " << range.end << ')';
}

template <typename... Pieces>
[[nodiscard]] std::string say(const Pieces&... pieces) {
  std::ostringstream out;
  (out << ... << pieces);
  return out.str();
}

/// Does the name turn the direction of what is written after it (Unicode U+202A to U+202E and
/// U+2066 to U+2069, in UTF-8)? What a reader sees would not be what is there.
[[nodiscard]] inline bool turns_text(std::string_view name) {
  for (std::size_t k = 0; k + 2 < name.size(); ++k) {
    if (name[k] != '\xe2') continue;
    const auto last = static_cast<unsigned char>(name[k + 2]);
    if (name[k + 1] == '\x80' && last >= 0xaa && last <= 0xae) return true;
    if (name[k + 1] == '\x81' && last >= 0xa6 && last <= 0xa9) return true;
  }
  return false;
}

/// Can the name stand in a line of text? One with a line break or a bell cannot.
[[nodiscard]] inline bool is_printable(std::string_view name) {
  return !turns_text(name) && std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

}  // namespace tessera
