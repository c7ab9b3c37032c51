// The one small interface for "something that places buffers".
//
//   auto engine = make_canonical_engine({});                    // search/placement/canonical.h
//   if (auto why = engine->unsupported(problem, Objective::fit)) return ask_another(*why);
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//
//   auto session = open_session(*engine, problem);              // session.h
//   session->solve({.sizes = smaller, .capacities = same}, {}); // only numbers change
//
// search/ and encoder/ implement it; placer/ and search/tiles/ receive it. An engine decides the
// problem it is given completely, or has not claimed one of its features and is not asked: it never
// drops a constraint. A feature that is new is claimed by nobody until somebody writes it down. An
// engine obeys its budget and reports a limit as Status::unknown.
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

/// What the problem and the goal use. Engines are asked for a fit, the least cost or the fewest
/// modes; heights and benefits are found by asking them several times (placer/).
[[nodiscard]] facts::FeatureSet features_asked(const PlacementProblem& problem, Objective goal);

/// Takes the lines of a proof while it is found.
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
  /// With Objective::cost or Objective::modes: only placements that pay at most this are wanted,
  /// any of them. require: the engine says that it proves bounds.
  std::optional<Cost> at_most{};
  /// With the same goals: proved elsewhere, no placement pays less. One that pays no more is the
  /// answer, and its bound; an engine may go on all the same.
  Cost at_least = 0;
  /// With the same goals and without at_most: a placement that is known already and keeps every
  /// rule. Whoever makes use of it looks for cheaper ones, and where there is none it is the
  /// answer. Not owned, may be null.
  const Placement* known = nullptr;
  /// Where the proof goes if the answer is infeasible (docs/proofs.md; what an engine writes into
  /// it before another answer is void); not owned, null: none is wanted.
  /// require: the engine says that it writes proofs.
  ProofSink* proof = nullptr;
  /// SearchResult::used is wanted, if that can be had without a certificate.
  bool tell_used = false;
};

struct SearchResult {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::optional<Placement> placement{};
  /// For Objective::cost and Objective::modes: a proved lower bound; optimal iff it equals the
  /// placement's.
  Cost bound = 0;
  std::string reason{};  ///< one sentence, for infeasible and unknown
  /// Buffers that cannot be placed by themselves either, ascending; empty: not known.
  std::vector<BufferIndex> used{};
  Stats stats{};
};

/// A problem loaded once and asked many times. Not thread-safe.
class PlacementSession {
 public:
  PlacementSession() = default;
  PlacementSession(const PlacementSession&) = delete;
  PlacementSession& operator=(const PlacementSession&) = delete;
  virtual ~PlacementSession() = default;
  /// ensure: the same answer as a fresh solve() of the problem with these numbers.
  virtual SearchResult solve(const SizeLayer& layer, const SearchParams& params) = 0;
};

class PlacementEngine {
 public:
  PlacementEngine() = default;
  PlacementEngine(const PlacementEngine&) = delete;
  PlacementEngine& operator=(const PlacementEngine&) = delete;
  virtual ~PlacementEngine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// What a problem may use. Written out by every engine, never "all there are".
  [[nodiscard]] virtual facts::FeatureSet features() const = 0;
  /// Why the problem is too large for this engine, as a sentence; nothing where it is not.
  /// require: features() has all that the problem and the goal use.
  [[nodiscard]] virtual std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                            Objective goal) const {
    static_cast<void>(problem);
    static_cast<void>(goal);
    return std::nullopt;
  }
  /// Why this engine cannot take the problem with this goal, as a sentence; nothing if it can.
  [[nodiscard]] std::optional<std::string> unsupported(const PlacementProblem& problem,
                                                       Objective goal) const;
  /// require: validate(problem) is empty and unsupported(problem, params.goal) is nothing.
  /// ensure: status feasible => placement passes the checker; infeasible => there is none.
  [[nodiscard]] virtual SearchResult solve(const PlacementProblem& problem,
                                           const SearchParams& params) = 0;
  /// Loads the problem for repeated questions, of which it keeps what only it can know: models,
  /// orders, learned clauses. What every session keeps (old answers) is open_session()'s. An engine
  /// that keeps nothing is asked from scratch each time.
  [[nodiscard]] virtual std::unique_ptr<PlacementSession> open(const PlacementProblem& problem);
};

}  // namespace tessera::engine
