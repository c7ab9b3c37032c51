// The line of a file that an error is about, with a caret under what it names.
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

/// What stands before the sentence of an error: "net.yaml:4: ...".
struct ErrorPlace {
  std::string_view file;
  std::string_view line;
  std::string_view message;
};
[[nodiscard]] std::optional<ErrorPlace> place_of(std::string_view what);

/// Two lines, or nothing: where the error has no line, or the file cannot be read a second time.
[[nodiscard]] std::string source_line(std::string_view what);

/// Where the caret stands, and how long it is: under the last of the words in `backticks` that
/// stand in the line one after the other, else under its first word.
struct Caret {
  std::size_t at = 0;
  std::size_t length = 1;
};
[[nodiscard]] Caret caret_of(std::string_view line, std::string_view message);

}  // namespace tessera::cli
