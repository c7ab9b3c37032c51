// The exceptions of Tessera. The command line exits with 2 for BadInput, and with 1 for OutputError
// and InternalError.
//
//   try { input = load_input("net.csv", {}); }                                      // files.h
//   catch (const BadInput& bad) { std::cerr << bad.what() << '\n'; }   // "net.csv:3: size is 0..."
#pragma once

#include <stdexcept>
#include <string>

#include "api.h"

namespace tessera {

/// The input or a parameter is invalid. what() is one sentence that names file and line if there
/// are any; `hint` tells how to fix it and may be empty.
class TESSERA_API BadInput : public std::runtime_error {
 public:
  explicit BadInput(const std::string& what, std::string hint_text = {})
      : std::runtime_error(what), hint(std::move(hint_text)) {}
  std::string hint;
};

/// A well-formed result or plan that does not belong to the given input. `check` reports it as
/// wrong (exit 3).
class TESSERA_API WrongAnswer : public BadInput {
 public:
  using BadInput::BadInput;
};

/// A result could not be written: disk full, device error. A path that cannot be opened for writing
/// is BadInput.
class TESSERA_API OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The reader closed the pipe, as in `tessera ... | head -1`.
class TESSERA_API ClosedPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

/// The checker rejected the result of a solver: a bug in Tessera.
class TESSERA_API InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace tessera
