// The interface of solvers that place buffers.
//
//   auto engine = make_canonical_engine({});                    // search/placement/canonical.h
//   if (auto why = engine->unsupported(problem, Objective::fit)) return ask_another(*why);
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//
//   auto session = open_session(*engine, problem);              // session.h
//   session->solve({.sizes = smaller, .capacities = same}, {}); // only numbers change
//
// Solvers implement it; placer/ and search/tiles/ use it. features() lists what an
// engine supports. An engine receives only problems with these features and respects all their
// constraints. A new feature is unsupported until the list names it. An engine obeys its budget; if
// a limit ends the search, its status is unknown.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/features.h"
#include "model/budget.h"
#include "model/size_layer.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::engine {

/// The features that an engine needs for the problem and the goal: a fit, the least cost, the
/// fewest modes or switches. placer/ finds heights and benefits by several queries.
[[nodiscard]] facts::FeatureSet features_asked(const PlacementProblem& problem, Objective goal);

/// Receives the lines of a proof during the search.
class ProofSink {
 public:
  ProofSink() = default;
  ProofSink(const ProofSink&) = delete;
  ProofSink& operator=(const ProofSink&) = delete;
  virtual ~ProofSink() = default;
  virtual void write(std::string_view text) = 0;
};

struct SearchParams {
  Budget budget;
  Objective goal = Objective::fit;
  std::uint64_t seed = 0;
  /// For Objective::cost, modes and switches: accept any placement that pays at most this.
  /// require: the engine proves bounds (SearchResult::bound).
  std::optional<Cost> at_most{};
  /// For the same goals: a proved lower bound. A placement that pays no more is optimal, and the
  /// engine may stop there.
  Cost at_least = 0;
  /// For the same goals without at_most: a known valid placement. The engine may search for cheaper
  /// ones only, and returns this one if none exists. Not owned, may be null.
  const Placement* known = nullptr;
  /// Receives the proof of infeasibility (docs/reference/proofs.md); void for any other status. Not
  /// owned; null: no proof.
  /// require: the engine writes proofs.
  ProofSink* proof = nullptr;
  /// Fill SearchResult::used, if the engine can do that without writing a proof.
  bool tell_used = false;
};

struct SearchResult {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::optional<Placement> placement{};
  /// For Objective::cost, modes and switches: a proved lower bound. The placement is optimal if
  /// and only if its cost equals the bound.
  Cost bound = 0;
  std::string reason{};  ///< one sentence, for infeasible and unknown
  /// If infeasible: a subset of the buffers that has no placement either, ascending; empty: not
  /// known.
  std::vector<BufferIndex> used{};
  /// In a session: the step that decided the query before any search ("load", "order", "first fit",
  /// "repair"); empty: a search, or nothing.
  std::string_view step{};
  /// In a session: lemmas of earlier queries that hold for this one, and that the search used.
  std::int64_t kept = 0;
  Stats stats{};
};

/// A problem that is loaded once and solved with different sizes. Not thread-safe.
class PlacementSession {
 public:
  PlacementSession() = default;
  PlacementSession(const PlacementSession&) = delete;
  PlacementSession& operator=(const PlacementSession&) = delete;
  virtual ~PlacementSession() = default;
  /// ensure: the same result as solve() of the problem with these numbers.
  virtual SearchResult solve(const SizeLayer& layer, const SearchParams& params) = 0;
};

class PlacementEngine {
 public:
  PlacementEngine() = default;
  PlacementEngine(const PlacementEngine&) = delete;
  PlacementEngine& operator=(const PlacementEngine&) = delete;
  virtual ~PlacementEngine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// The features that problems may use. Every engine lists them explicitly.
  [[nodiscard]] virtual facts::FeatureSet features() const = 0;
  /// Why the problem is too large for this engine, as a sentence; nothing if it is not.
  /// require: features() contains all features of the problem and the goal.
  [[nodiscard]] virtual std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                            Objective goal) const {
    static_cast<void>(problem);
    static_cast<void>(goal);
    return std::nullopt;
  }
  /// Why this engine does not support the problem and the goal, as a sentence; nothing if it does.
  [[nodiscard]] std::optional<std::string> unsupported(const PlacementProblem& problem,
                                                       Objective goal) const;
  /// require: validate(problem) is empty, and unsupported(problem, params.goal) is nothing.
  /// ensure: feasible => the placement passes the checker; infeasible => no placement exists.
  [[nodiscard]] virtual SearchResult solve(const PlacementProblem& problem,
                                           const SearchParams& params) = 0;
  /// Opens a session for repeated queries. It keeps engine-specific state: models, orders, learned
  /// clauses. open_session() adds the reuse of earlier results. The default solves each query from
  /// scratch.
  [[nodiscard]] virtual std::unique_ptr<PlacementSession> open(const PlacementProblem& problem);
};

}  // namespace tessera::engine
