// Sentences out of pieces, for the messages of this room.
//
//   say("buffer '", id, "' has size ", size)
#pragma once

#include <sstream>
#include <string>

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

}  // namespace tessera
