// Sentences out of pieces, for the messages of this room.
//
//   say("buffer '", id, "' has size ", size)
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "units.h"

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

/// Can the name stand in a line of text? One with a line break or a bell cannot.
[[nodiscard]] inline bool is_printable(std::string_view name) {
  return std::none_of(name.begin(), name.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace tessera
