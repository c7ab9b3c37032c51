// Errors of readers, and their text: the public BadInput with file and line.
//
//   throw InputError("buffers.csv", 7, "buffer `b3` has size 0", "sizes are at least 1");
//
//   catch (const InputError& error) {              // exit code 2
//     std::cerr << error.what() << '\n';           // buffers.csv:7: buffer `b3` has size 0
//     if (!error.hint.empty()) std::cerr << "  hint: " << error.hint << '\n';
//   }
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tessera/errors.h"

namespace tessera::io {

/// Bad input. what() is `file:line: message`, or `file: message` if the error concerns the whole
/// file (line 0: it cannot be opened, or cannot be written). ensure: one line; text of the input is
/// escaped and shortened.
struct InputError : BadInput {
  InputError(std::string file_name, std::size_t line_number, std::string what_is_wrong,
             std::string what_would_fix_it = {});
  std::string file;
  std::size_t line;     ///< from 1; 0 for the whole file
  std::string message;  ///< without file and line
  bool unknown_key = false;
};

/// A valid file that does not belong to the given problem.
struct MismatchError : InputError {
  using InputError::InputError;
};

/// Input text for messages: in backquotes, unprintable bytes as \xNN, at most 60 characters.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace tessera::io
