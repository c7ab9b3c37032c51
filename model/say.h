// Builds a message from its parts.
//
//   say("buffer '", id, "' has size ", size)
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "model/utf8.h"
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

/// Can the name be shown in a line of text? Not if it has a line break, a control character or a
/// character that changes the direction of writing.
[[nodiscard]] inline bool is_printable(std::string_view name) {
  while (!name.empty()) {
    if (begins_unseen(name)) return false;
    name.remove_prefix(std::max<std::size_t>(1, utf8_length(name)));
  }
  return true;
}

}  // namespace tessera
