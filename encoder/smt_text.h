// Writes a Formula as SMT-LIB text: differences of integers if every stride is one unit,
// bit-vectors otherwise (as engine `smt`).
//
//   write_smt(formula, numbers, out);
//
// An integer is `x<number>` in steps of its stride, a boolean atom `b<number>`.
#pragma once

#include <iosfwd>
#include <string>

#include "formula.h"

namespace tessera::encoder {

[[nodiscard]] std::string smt_name(IntIndex x);
[[nodiscard]] std::string smt_name_of_atom(std::size_t atom);

/// Throws BudgetEnded if there is a poll.
void write_smt(const Formula& formula, const Numbers& numbers, std::ostream& out,
               Poll* poll = nullptr);

}  // namespace tessera::encoder
