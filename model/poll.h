// Polls a budget while a model is built, and ends the construction by an exception.
//
//   Poll poll(params.budget);
//   try {
//     poll.check_memory(200.0 * pairs);                // estimate of the bytes to allocate
//     for (const Pair& pair : all) { poll(); build(pair); }
//   } catch (const BudgetEnded& ended) {
//     result.stop = ended.reason;                      // Status::unknown: never a "no"
//   }
//
// Models are built in loops far below the function that returns a result, so the end of a budget is
// an exception. The solver that builds the model catches it.
#pragma once

#include <cstdint>
#include <exception>

#include "budget.h"

namespace tessera {

class BudgetEnded final : public std::exception {
 public:
  BudgetEnded(StopReason why, bool beforehand) : reason(why), foreseen(beforehand) {}
  [[nodiscard]] const char* what() const noexcept override { return "the budget ended"; }
  StopReason reason;
  bool foreseen;  ///< by Poll::check_memory(): nothing was built
};

class Poll {
 public:
  /// No limits.
  Poll() = default;
  explicit Poll(const Budget& budget) : budget_(budget), limited_(true) {}
  /// `per_work` polled units count as one unit of the budget's meter, and the meter's limit ends
  /// the construction: a race does not wait for a solver that still builds its model.
  /// require: per_work >= 1
  Poll(const Budget& budget, std::int64_t per_work) : Poll(budget) { per_work_ = per_work; }

  /// Counts units of work, each well below a microsecond, and checks the budget about every
  /// thousand. Throws BudgetEnded.
  void operator()(std::int64_t units = 1) {
    spent_ += units;
    left_ -= units;
    if (left_ <= 0) check();
  }
  /// Checks the budget. Throws BudgetEnded.
  void check() {
    left_ = between;
    if (!limited_) return;
    if (metered()) throw BudgetEnded(StopReason::node_limit, false);
    if (const auto why = budget_.exhausted()) throw BudgetEnded(*why, false);
  }
  /// The units counted so far.
  [[nodiscard]] std::int64_t spent() const { return spent_; }
  /// Throws BudgetEnded if about this many bytes exceed the memory limit.
  void check_memory(double bytes) const {
    if (limited_ && budget_.too_large(bytes)) throw BudgetEnded(StopReason::memory_limit, true);
  }

 private:
  static constexpr std::int64_t between = 1024;

  /// Adds the work to the meter. Is its limit reached?
  [[nodiscard]] bool metered() {
    if (per_work_ == 0 || budget_.meter == nullptr) return false;
    const std::int64_t more = spent_ / per_work_ - told_;
    told_ += more;
    const std::int64_t done = budget_.meter->done.fetch_add(more, std::memory_order_relaxed) + more;
    return done >= budget_.meter->limit.load(std::memory_order_relaxed);
  }

  Budget budget_;  // the objects it points to outlive this
  bool limited_ = false;
  std::int64_t left_ = 0;
  std::int64_t spent_ = 0;
  std::int64_t per_work_ = 0;  ///< 0: units do not count as work
  std::int64_t told_ = 0;      ///< added to the meter, in its units
};

}  // namespace tessera
