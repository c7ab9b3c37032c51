// Common procedure of both engines: load cut, encoding, solver, optimisation, decoding.
#pragma once

#include <functional>
#include <memory>

#include "backend.h"
#include "encoding.h"
#include "engine/hitting_set.h"
#include "live_solver.h"

namespace tessera::encoder {

/// Input for making a solver.
struct SolverRequest {
  const Formula& formula;
  const Numbers& numbers;
  std::uint64_t seed = 0;
  Poll& poll;  ///< polled while the solver is made: throws BudgetEnded
};

struct DecideParams {
  std::string engine;  ///< name of the engine in messages
  bool break_symmetry = true;
  bool load_cut = true;
  bool try_orders = true;                 ///< in sessions
  bool balance = true;                    ///< add_balance()
  std::vector<engine::PairRule> rules{};  ///< with Objective::cost: initial rules of hitting.h
  /// ensure: the formula is loaded.
  std::function<std::unique_ptr<Backend>(const SolverRequest& request)> make_solver;
  /// A solver that is ready early and worth a short first attempt, or null; may be empty.
  std::function<std::unique_ptr<Backend>(const SolverRequest& request)> make_quick_solver{};
  /// For sessions: a solver that stays loaded.
  std::function<std::unique_ptr<LiveSolver>(std::uint64_t seed, const Formula& formula, Poll& poll)>
      make_live_solver{};
};

/// The result of an engine whose budget ended while it wrote its constraints.
[[nodiscard]] engine::SearchResult given_up(const std::string& engine, const BudgetEnded& ended);

/// require: validate(problem) is empty; with Objective::modes no memory has modes per bank.
[[nodiscard]] engine::SearchResult decide(const PlacementProblem& problem,
                                          const DecideParams& params,
                                          const engine::SearchParams& search);

}  // namespace tessera::encoder
