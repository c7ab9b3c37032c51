// Errors of one file that have nothing to do with each other, so that one run tells them all.
//
//   Collected wrong;
//   for (const Node& each : list) wrong.attempt([&] { read_buffer(each); });
//   wrong.rethrow();                       // nothing, one InputError, or SeveralErrors
//
// After rethrow() whatever was read is whole; before it, what failed may be half there.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "io/error.h"
#include "model/more_errors.h"

namespace tessera::io {

/// The first error as such, and those behind it.
struct SeveralErrors : InputError, MoreErrors {
  SeveralErrors(const InputError& first, std::vector<BadInput> others)
      : InputError(first), MoreErrors(std::move(others)) {}
};

class Collected {
 public:
  /// Errors told in one run: who has more has another kind of problem.
  static constexpr std::size_t most = 10;

  template <typename Read>
  void attempt(Read read) {
    try {
      read();
    } catch (const InputError& error) {
      if (errors_.size() == most) throw;  // from an attempt inside of this one
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
