// Writes the constraints in formats of other solvers, and reads their results.
//
//   export_formula(problem, FormulaFormat::dimacs, out);         // tessera export --to dimacs
//   ImportedModel back = import_model(problem, in);              // "v" lines or a define-fun model
//   if (back.status == Status::feasible) use(*back.placement);   // check() it first
//
// The clauses are those of the engines, with comments that map variables to buffers.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "model/poll.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::encoder {

enum class FormulaFormat : std::uint8_t { dimacs, smt2 };

/// require: validate(problem) is empty. Streams the clauses without storing them. Throws
/// BudgetEnded if there is a poll. ensure: satisfiable iff the problem is feasible; soft rules are
/// left out.
void export_formula(const PlacementProblem& problem, FormulaFormat format, std::ostream& out,
                    Poll* poll = nullptr);

struct ImportedModel {
  Status status = Status::unknown;     ///< the solver's result; unknown also for unreadable text
  std::optional<Placement> placement;  ///< decoded, not yet checked
  std::string error;                   ///< message with the line, if the text was not a model
};

/// Reads the output of a SAT solver ("s ..." and "v ..." lines) or an SMT solver (sat / unsat and a
/// model) for export_formula() of the same problem. The content decides the format.
[[nodiscard]] ImportedModel import_model(const PlacementProblem& problem, std::istream& in);

}  // namespace tessera::encoder
