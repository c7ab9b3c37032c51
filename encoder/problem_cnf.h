// A placement problem as clauses over Boolean variables, for export to other solvers.
//
//   ProblemCnf cnf = write_problem(problem, [&](std::span<const int>) { ++count; });
//   describe_variables(problem, cnf, out);          // "c var 12: blob0 >= 4"
//   write_again(problem, cnf, [&](std::span<const int> clause) { ... });
//
// The clauses are the same every time. Results of solvers can therefore be read back, and the
// clauses can be counted before they are written, without storing them.
#pragma once

#include <iosfwd>

#include "cnf_writer.h"
#include "encoding.h"

namespace tessera::encoder {

struct ProblemCnf {
  CnfLayout layout;
  Encoding encoding;
};

/// ensure: satisfiable iff the problem is feasible; soft rules are left out. Throws BudgetEnded if
/// there is a poll.
[[nodiscard]] ProblemCnf write_problem(const PlacementProblem& problem, const ClauseSink& sink,
                                       Poll* poll = nullptr);

/// The same clauses in the same order.
void write_again(const PlacementProblem& problem, const ProblemCnf& cnf, const ClauseSink& sink);

/// A comment line for every variable with a meaning of its own.
void describe_variables(const PlacementProblem& problem, const ProblemCnf& cnf, std::ostream& out);

}  // namespace tessera::encoder
