// The one small interface for "something that places buffers".
//
//   auto engine = make_canonical_engine({});                    // search/placement/canonical.h
//   if (auto why = engine->unsupported(problem)) return ask_another(*why);
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//
//   auto session = engine->open(problem);                       // nullptr: no sessions
//   session->solve({.sizes = smaller, .capacities = same}, {}); // only numbers change
//
// search/ and encoder/ implement it; planner/ and search/tiles/ receive it. An engine decides the
// problem it is given completely, or says through unsupported() that it cannot: it never drops
// a constraint. It obeys its budget and reports a limit as Status::unknown.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

/// Work done, in an engine's own units (nodes, conflicts), which are the same on every machine and
/// in every run. A race between engines is decided by it and not by the clock, so that the same
/// seed gives the same answer. An engine that can, stores `done` at least every few hundred units
/// and when it returns, and stops with StopReason::node_limit once it is not below `limit`, which
/// another thread may lower meanwhile. The units must not depend on the limit.
struct WorkMeter {
  std::atomic<std::int64_t> done{0};
  std::atomic<std::int64_t> limit{std::numeric_limits<std::int64_t>::max()};
};

/// Several engines on one thread's share of the machine: whoever has it works, the others wait.
class TESSERA_API Baton {
 public:
  Baton() = default;
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;
  virtual ~Baton() = default;
  /// Called whenever the engine looks at its budget; returns when it is its turn again.
  virtual void pass() = 0;
};

/// Whoever can tell how much memory is in use. Asked from every thread.
class TESSERA_API MemoryWatch {
 public:
  MemoryWatch() = default;
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  virtual ~MemoryWatch() = default;
  /// Is more in use than is allowed? Cheap enough to be asked wherever the clock is looked at.
  [[nodiscard]] virtual bool exceeded() = 0;
  /// Bytes that may still be taken, roughly; never negative.
  [[nodiscard]] virtual Size left() = 0;
};

/// How long an engine may try, and how much it may take. Every engine polls all of it.
struct Budget {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  std::stop_token stop{};
  WorkMeter* meter = nullptr;     ///< outlives the call; nullptr: nobody races
  Baton* baton = nullptr;         ///< outlives the call; nullptr: nobody waits
  MemoryWatch* memory = nullptr;  ///< outlives the call; nullptr: take what there is

  /// The reason to stop now, if there is one (does not look at nodes).
  [[nodiscard]] std::optional<StopReason> exhausted() const {
    if (baton != nullptr) baton->pass();
    if (stop.stop_requested()) return StopReason::interrupted;
    if (deadline != std::chrono::steady_clock::time_point::max() &&
        std::chrono::steady_clock::now() >= deadline)
      return StopReason::time_limit;
    if (memory != nullptr && memory->exceeded()) return StopReason::memory_limit;
    return std::nullopt;
  }
  /// Would a model of about so many bytes outgrow what is left? Asked before it is built.
  [[nodiscard]] bool too_large(double bytes) const {
    return memory != nullptr && bytes > static_cast<double>(memory->left());
  }
};

/// What is asked for besides a placement that keeps every hard rule.
enum class Goal : std::uint8_t {
  fit,    ///< any placement within the capacities
  cost,   ///< the least summed cost of avoid_overlap
  modes,  ///< the fewest distinct modes used
};

/// Takes the lines of a proof while it is found.
class TESSERA_API ProofSink {
 public:
  ProofSink() = default;
  ProofSink(const ProofSink&) = delete;
  ProofSink& operator=(const ProofSink&) = delete;
  virtual ~ProofSink() = default;
  virtual void write(std::string_view text) = 0;
};

struct SearchParams {
  Budget budget;
  Goal goal = Goal::fit;
  std::uint64_t seed = 0;
  /// With Goal::cost or Goal::modes: only placements that pay at most this are wanted, any of them.
  /// require: the engine says that it proves bounds.
  std::optional<Cost> at_most{};
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
  /// For Goal::cost and Goal::modes: a proved lower bound; optimal iff it equals the placement's.
  Cost bound = 0;
  std::string reason{};  ///< one sentence, for infeasible and unknown
  /// Buffers that cannot be placed by themselves either, ascending; empty: not known.
  std::vector<BufferIndex> used{};
  Stats stats{};
};

/// The size layer: the only numbers a session can replace.
struct SizeLayer {
  std::vector<Size> sizes{};       ///< per buffer
  std::vector<Size> capacities{};  ///< per memory; memories with banks keep their banks
};

/// A problem loaded once and asked many times. Not thread-safe.
class TESSERA_API PlacementSession {
 public:
  PlacementSession() = default;
  PlacementSession(const PlacementSession&) = delete;
  PlacementSession& operator=(const PlacementSession&) = delete;
  virtual ~PlacementSession() = default;
  /// ensure: the same answer as a fresh solve() of the problem with these numbers.
  virtual SearchResult solve(const SizeLayer& layer, const SearchParams& params) = 0;
};

class TESSERA_API PlacementEngine {
 public:
  PlacementEngine() = default;
  PlacementEngine(const PlacementEngine&) = delete;
  PlacementEngine& operator=(const PlacementEngine&) = delete;
  virtual ~PlacementEngine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Why this engine cannot take the problem with this goal, as a sentence; nothing if it can.
  [[nodiscard]] virtual std::optional<std::string> unsupported(const PlacementProblem& problem,
                                                               Goal goal) const = 0;
  /// require: validate(problem) is empty and unsupported(problem, params.goal) is nothing.
  /// ensure: status feasible => placement passes the checker; infeasible => there is none.
  [[nodiscard]] virtual SearchResult solve(const PlacementProblem& problem,
                                           const SearchParams& params) = 0;
  /// Loads the problem for repeated questions; nullptr where the engine keeps nothing.
  [[nodiscard]] virtual std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) {
    static_cast<void>(problem);
    return nullptr;
  }
};

}  // namespace tessera
