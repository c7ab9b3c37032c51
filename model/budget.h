// How long something may work, and how much it may take.
//
//   Budget budget{.deadline = soon};
//   while (!budget.exhausted()) step();
//   if (auto why = budget.exhausted()) return gave_up(*why);    // a limit, never a "no"
//
// Whatever may take long receives one and looks at it: engines, bounds, readers of large files.
// Limits (tessera/limits.h) is what a user of the library says; a budget is what becomes of it.
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
class Baton {
 public:
  Baton() = default;
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;
  virtual ~Baton() = default;
  /// Called whenever the engine looks at its budget; returns when it is its turn again.
  virtual void pass() = 0;
};

/// Whoever can tell how much memory is in use. Asked from every thread.
class MemoryWatch {
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

/// A budget that stays spent once it was seen to be: memory may come back, but what was left out
/// meanwhile does not.
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
