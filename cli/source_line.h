// The line of a file that an error refers to, with a caret under the affected words.
//
//   std::cerr << bad.what() << '\n' << source_line(bad.what());
//
//   net.yaml:4: `alignment` is `0`, but it must be at least 1
//     |   - {id: a, live: [0, 2], size: 4, alignment: 0}
//     |                                               ^
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::cli {

/// The location before the message of an error: "net.yaml:4: ...".
struct ErrorPlace {
  std::string_view file;
  std::string_view line;
  std::string_view message;
};
[[nodiscard]] std::optional<ErrorPlace> place_of(std::string_view what);

/// Two lines; empty if the error has no line, or the file cannot be read a second time.
[[nodiscard]] std::string source_line(std::string_view what);

/// Position and length of the caret: at the "column" of a rule that the message names, else under
/// the last of the `backticked` words if all occur in the
/// line in order, otherwise under the first word.
struct Caret {
  std::size_t at = 0;
  std::size_t length = 1;
};
[[nodiscard]] Caret caret_of(std::string_view line, std::string_view message);

}  // namespace tessera::cli
