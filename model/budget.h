// Limits of a computation: time, nodes, memory, cancellation.
//
//   Budget budget{.deadline = soon};
//   while (!budget.exhausted()) step();
//   if (auto why = budget.exhausted()) return gave_up(*why);    // a limit, never a "no"
//
// Solvers, bounds and readers of large files receive a budget and poll it. Limits
// (tessera/limits.h) is the form of the public API; it becomes a budget.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>

#include "tessera/api.h"
#include "tessera/placement.h"
#include "tessera/units.h"

namespace tessera {

/// Work done, in the solver's own units (nodes, conflicts). The units are the same on every machine
/// and in every run. A race between solvers is decided by them and not by the clock, so that equal
/// seeds give equal results. A solver that supports a meter
///  - stores `done` at least every few hundred units and when it returns;
///  - stops with StopReason::node_limit when `done` reaches `limit`, which another thread may
///    lower;
///  - counts units that do not depend on the limit.
struct WorkMeter {
  std::atomic<std::int64_t> done{0};
  std::atomic<std::int64_t> limit{std::numeric_limits<std::int64_t>::max()};
};

/// Lets several solvers take turns on one thread's share of the machine.
class Baton {
 public:
  Baton() = default;
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;
  virtual ~Baton() = default;
  /// The solver calls this at each poll of its budget. It returns when it is the solver's turn
  /// again.
  virtual void pass() = 0;
};

/// Reports memory use. Any thread may call it.
class MemoryWatch {
 public:
  MemoryWatch() = default;
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  virtual ~MemoryWatch() = default;
  /// Does the process use more memory than allowed? As cheap as reading the clock.
  [[nodiscard]] virtual bool exceeded() = 0;
  /// Bytes that may still be allocated, roughly; never negative.
  [[nodiscard]] virtual Size left() = 0;
};

/// Limits of one solver run. The solver polls all of them.
struct Budget {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  std::stop_token stop{};
  WorkMeter* meter = nullptr;     ///< outlives the call; nullptr: no race
  Baton* baton = nullptr;         ///< outlives the call; nullptr: no turns
  MemoryWatch* memory = nullptr;  ///< outlives the call; nullptr: no memory limit

  /// The reason to stop, if any. Does not check max_nodes.
  [[nodiscard]] std::optional<StopReason> exhausted() const {
    if (baton != nullptr) baton->pass();
    if (stop.stop_requested()) return StopReason::interrupted;
    if (deadline != std::chrono::steady_clock::time_point::max() &&
        std::chrono::steady_clock::now() >= deadline)
      return StopReason::time_limit;
    if (memory != nullptr && memory->exceeded()) return StopReason::memory_limit;
    return std::nullopt;
  }
  /// Would a model of about this many bytes exceed the memory limit? Call before building it.
  [[nodiscard]] bool too_large(double bytes) const {
    return memory != nullptr && bytes > static_cast<double>(memory->left());
  }
};

/// A budget that stays exhausted: memory may become free again, but work that was skipped stays
/// missing.
class SpentOnce {
 public:
  /// require: the budget outlives this.
  explicit SpentOnce(const Budget& budget) : budget_(&budget) {}
  [[nodiscard]] std::optional<StopReason> exhausted() {
    if (!why_) why_ = budget_->exhausted();
    return why_;
  }

 private:
  const Budget* budget_;
  std::optional<StopReason> why_;
};

}  // namespace tessera
