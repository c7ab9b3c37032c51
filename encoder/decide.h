// The common road of both engines: cut, encode, ask a solver, optimise, decode.
#pragma once

#include <functional>
#include <memory>

#include "backend.h"
#include "encoding.h"
#include "engine/hitting_set.h"

namespace tessera::encoder {

/// What a solver is made for.
struct SolverRequest {
  const Formula& formula;
  const Numbers& numbers;
  std::uint64_t seed = 0;
  Poll& poll;  ///< while it is made: throws BudgetEnded
  /// Lemmas of earlier questions about the same clauses, for solvers that can use them; new ones
  /// are added to it.
  ChainStore* chains = nullptr;
};

struct DecideParams {
  std::string engine;  ///< its name, for sentences
  bool break_symmetry = true;
  bool load_cut = true;
  bool balance = true;                    ///< add_balance()
  std::vector<engine::PairRule> rules{};  ///< with Objective::cost: what hitting.h begins with
  /// ensure: the formula is loaded.
  std::function<std::unique_ptr<Backend>(const SolverRequest& request)> make_solver;
  /// A solver that is soon ready and worth a short try before, or nothing; may be empty.
  std::function<std::unique_ptr<Backend>(const SolverRequest& request)> make_quick_solver{};
};

/// The answer to "does it fit", and the solver that has it.
struct Fitted {
  std::unique_ptr<Backend> solver;
  Answer answer = Answer::unknown;
  double solve_seconds = 0;
};
[[nodiscard]] Fitted fit(const DecideParams& params, const SolverRequest& request,
                         const Budget& budget);

/// The answer of an engine that could not write down its constraints within the budget.
[[nodiscard]] engine::SearchResult given_up(const std::string& engine, const BudgetEnded& ended);

/// require: validate(problem) is empty; with Objective::modes no memory has modes per bank.
[[nodiscard]] engine::SearchResult decide(const PlacementProblem& problem,
                                          const DecideParams& params,
                                          const engine::SearchParams& search);

}  // namespace tessera::encoder
