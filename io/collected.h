// Collects independent errors of one file, so that one run reports all of them.
//
//   Collected wrong;
//   for (const Node& each : list) wrong.attempt([&] { read_buffer(each); });
//   wrong.rethrow();                       // nothing, one InputError, or SeveralErrors
//
// After rethrow() returns, everything read is complete; before it, failed parts may be incomplete.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "io/error.h"
#include "model/more_errors.h"

namespace tessera::io {

/// The first error, with the further ones attached.
struct SeveralErrors : InputError, MoreErrors {
  SeveralErrors(const InputError& first, std::vector<BadInput> others)
      : InputError(first), MoreErrors(std::move(others)) {}
};

class Collected {
 public:
  /// Maximum number of errors per run; more errors usually have another cause.
  static constexpr std::size_t most = 10;

  template <typename Read>
  void attempt(Read read) {
    try {
      read();
    } catch (const InputError& error) {
      if (errors_.size() == most) throw;  // from an attempt nested in this one
      errors_.push_back(error);
      if (errors_.size() == most) rethrow();
    }
  }
  [[nodiscard]] bool any() const { return !errors_.empty(); }
  [[nodiscard]] std::size_t count() const { return errors_.size(); }
  void rethrow() const {
    if (errors_.empty()) return;
    if (errors_.size() == 1) throw errors_.front();
    throw SeveralErrors(errors_.front(), {errors_.begin() + 1, errors_.end()});
  }

 private:
  std::vector<InputError> errors_;
};

}  // namespace tessera::io
