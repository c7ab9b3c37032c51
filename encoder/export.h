// The constraints in the formats other solvers read, and their answers read back.
//
//   export_formula(problem, FormulaFormat::dimacs, out);         // tessera export --to dimacs
//   ImportedModel back = import_model(problem, in);              // "v" lines or a define-fun model
//   if (back.status == Status::feasible) use(*back.placement);   // check() it first
//
// The very clauses the engines use, with comments that say which variable is which buffer.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "model/poll.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::encoder {

enum class FormulaFormat : std::uint8_t { dimacs, smt2 };

/// require: validate(problem) is empty.
/// Writes while it goes through the clauses. Throws BudgetEnded where there is a poll.
/// ensure: satisfiable iff the problem is feasible; soft rules are left out.
void export_formula(const PlacementProblem& problem, FormulaFormat format, std::ostream& out,
                    Poll* poll = nullptr);

struct ImportedModel {
  Status status = Status::unknown;     ///< what the solver said; unknown also for unreadable text
  std::optional<Placement> placement;  ///< decoded, not yet checked
  std::string error;                   ///< a sentence with the line, if the text was not a model
};

/// Reads what a SAT solver ("s ..." and "v ..." lines) or an SMT solver (sat / unsat and a model)
/// printed for export_formula() of this very problem; told apart by content.
[[nodiscard]] ImportedModel import_model(const PlacementProblem& problem, std::istream& in);

}  // namespace tessera::encoder
