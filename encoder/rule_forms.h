// The comparisons of rules in the forms that a formula expresses.
//
//   for (const Digit& digit : digits_of(problem, comparison)) ...      // finitely many values each
//   LinearForm form = compared_form(problem, comparison, digits, values);  // the rest is linear
//
// A bank, or an offset under `%`, is a digit: a case distinction. The rest is a sum of offsets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/rules.h"
#include "tessera/problem.h"

namespace tessera::encoder {

/// A bank that a buffer touches (`modulus` 0), or the remainder of its offset.
struct Digit {
  BufferIndex buffer = 0;
  Size modulus = 0;
  struct Option {
    Size value = 0;
    MemoryIndex memory = 0;  ///< of a bank
  };
  std::vector<Option> options{};
};

/// The digits of a comparison. Each is one of several cases of the others.
[[nodiscard]] std::vector<Digit> digits_of(const PlacementProblem& problem,
                                           const RuleNode& comparison);

/// constant + the sum of factor * offset
struct LinearForm {
  std::map<BufferIndex, WideInteger> factors{};
  WideInteger constant = 0;
};

/// The first term minus the second one; of one_of the first term alone. `values`: of each digit.
[[nodiscard]] LinearForm compared_form(const PlacementProblem& problem, const RuleNode& comparison,
                                       const std::vector<Digit>& digits,
                                       const std::vector<Size>& values);
/// Does the comparison depend on one remainder only?
[[nodiscard]] bool is_one_remainder(const std::vector<Digit>& digits, const LinearForm& form);
[[nodiscard]] LinearForm difference(LinearForm a, const LinearForm& b);

/// Two offsets with factors that differ in more than the sign are compared value by value.
[[nodiscard]] bool needs_table(const LinearForm& form);

/// The largest common divisor of the offsets that the buffer may have.
[[nodiscard]] Size stride_of(const PlacementProblem& problem, BufferIndex buffer);
/// The largest offset the buffer may have; negative if it fits nowhere.
[[nodiscard]] Size last_of(const PlacementProblem& problem, BufferIndex buffer);

/// Why clauses cannot express a rule of the problem, as a sentence; nothing if they can.
[[nodiscard]] std::optional<std::string> unsupported_rule(const PlacementProblem& problem);

/// The problem with modes of rules as tables.
[[nodiscard]] PlacementProblem with_listed_modes(const PlacementProblem& problem);

}  // namespace tessera::encoder
