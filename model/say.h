// Sentences out of pieces, for the messages of this room.
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

/// Can the name stand in a line of text, and does a reader see what it is? One with a line break, a
/// bell or what turns the direction of writing cannot.
[[nodiscard]] inline bool is_printable(std::string_view name) {
  while (!name.empty()) {
    if (begins_unseen(name)) return false;
    name.remove_prefix(std::max<std::size_t>(1, utf8_length(name)));
  }
  return true;
}

}  // namespace tessera
