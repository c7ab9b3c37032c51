// What Tessera throws. The command line turns BadInput into exit 2, OutputError and InternalError
// into exit 1.
//
//   try { input = load_input("net.csv", {}); }                                      // files.h
//   catch (const BadInput& bad) { std::cerr << bad.what() << '\n'; }   // "net.csv:3: size is 0..."
#pragma once

#include <stdexcept>
#include <string>

#include "api.h"

namespace tessera {

/// The input, or what was asked of it, is wrong. The text is one sentence, and names file and line
/// where there is one; `hint` says what would fix it and may be empty.
class TESSERA_API BadInput : public std::runtime_error {
 public:
  explicit BadInput(const std::string& what, std::string hint_text = {})
      : std::runtime_error(what), hint(std::move(hint_text)) {}
  std::string hint;
};

/// An answer that reads well, but not one to this question: `check` calls it wrong (exit 3).
class TESSERA_API WrongAnswer : public BadInput {
 public:
  using BadInput::BadInput;
};

/// What was found could not be written: a full disk, a broken device. Nobody's mistake; a path that
/// cannot be written to at all is BadInput.
class TESSERA_API OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Nobody reads the pipe any more, which may be all right: `tessera ... | head -1`.
class TESSERA_API ClosedPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

/// An engine gave an answer that the checker refuses: a bug in Tessera, never the user's fault.
class TESSERA_API InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace tessera
