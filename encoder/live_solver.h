// A solver that stays loaded while sizes and capacities change.
//
//   std::unique_ptr<LiveSolver> solver = make_live_chains(seed, encoding.formula, poll);
//   if (!solver->renumber(encoding.formula, numbers, clauses, poll)) return use_another_solver();
//   if (solver->ask(budget) == Answer::yes) x = solver->backend().value(encoding.offset[0]);
#pragma once

#include <memory>
#include <vector>

#include "backend.h"
#include "encoding.h"

namespace tessera::encoder {

/// Clauses that hold for the numbers of one query, in addition to those of the formula.
struct SizeClauses {
  std::vector<std::vector<Lit>> symmetry;  ///< hold for these numbers, maybe for no others
  std::vector<Cover> covers;
};

class LiveSolver {
 public:
  LiveSolver() = default;
  LiveSolver(const LiveSolver&) = delete;
  LiveSolver& operator=(const LiveSolver&) = delete;
  virtual ~LiveSolver() = default;

  /// Prepares a query. `formula` is the one the solver was made with; it may have more atoms.
  /// ensure: false if the solver does not suit these numbers.
  [[nodiscard]] virtual bool renumber(const Formula& formula, const Numbers& numbers,
                                      const SizeClauses& clauses, Poll& poll) = 0;
  /// require: renumber() returned true.
  [[nodiscard]] virtual Answer ask(const Budget& budget) = 0;
  /// After how many conflicts a new solver is likely to answer sooner.
  [[nodiscard]] virtual std::int64_t patience(const Formula& formula,
                                              const Numbers& numbers) const = 0;
  /// The model of the last answer `yes`.
  [[nodiscard]] virtual Backend& backend() = 0;
  /// Lemmas of earlier queries that hold for the numbers of this one.
  [[nodiscard]] virtual std::int64_t kept() const = 0;
  /// Has so much been added that a new solver should replace this one?
  [[nodiscard]] virtual bool outgrown() const = 0;
};

/// CaDiCaL, and Z3. Throw BudgetEnded.
[[nodiscard]] std::unique_ptr<LiveSolver> make_live_chains(std::uint64_t seed,
                                                           const Formula& formula, Poll& poll);
[[nodiscard]] std::unique_ptr<LiveSolver> make_live_z3(std::uint64_t seed, const Formula& formula,
                                                       Poll& poll);

}  // namespace tessera::encoder
