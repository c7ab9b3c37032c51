// A placement problem as clauses over plain Booleans: what is exported for other solvers.
//
//   ProblemCnf cnf = write_problem(problem, [&](std::span<const int> clause) { ... });
//   describe_variables(problem, cnf, out);          // "c var 12: blob0 >= 4"
//
// The same clauses every time, so that what a solver prints for them can be read back.
#pragma once

#include <iosfwd>

#include "cnf_writer.h"
#include "encoding.h"

namespace tessera::encoder {

struct ProblemCnf {
  CnfLayout layout;
  Encoding encoding;
};

/// ensure: satisfiable iff the problem is feasible; soft rules are left out.
[[nodiscard]] ProblemCnf write_problem(const PlacementProblem& problem, const ClauseSink& sink);

/// A comment line for every variable that means something by itself.
void describe_variables(const PlacementProblem& problem, const ProblemCnf& cnf, std::ostream& out);

}  // namespace tessera::encoder
