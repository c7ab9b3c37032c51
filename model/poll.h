// Looks at a budget now and then while something is built, and ends the building.
//
//   Poll poll(params.budget);
//   try {
//     poll.room(200.0 * pairs);                  // about so many bytes are going to be taken
//     for (const Pair& pair : all) { poll(); build(pair); }
//   } catch (const BudgetEnded& ended) {
//     result.stop = ended.reason;                // Status::unknown: never a "no"
//   }
//
// Models are built in loops far below the function that could give back a result, which is why a
// budget that ends there is an exception. Nobody but the engine that builds ever sees it.
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
  bool foreseen;  ///< by Poll::room(): nothing was tried
};

class Poll {
 public:
  /// Never ends anything.
  Poll() = default;
  explicit Poll(const Budget& budget) : budget_(budget), limited_(true) {}
  /// So many units count as one of the budget's meter, and what its limit leaves is a limit, too: a
  /// race does not wait for whoever is still building when another one has found what it was for.
  /// require: per_work >= 1
  Poll(const Budget& budget, std::int64_t per_work) : Poll(budget) { per_work_ = per_work; }

  /// Counts units of work, each well below a microsecond, and looks at the budget every thousand.
  /// Throws BudgetEnded.
  void operator()(std::int64_t units = 1) {
    spent_ += units;
    left_ -= units;
    if (left_ <= 0) look();
  }
  /// Throws BudgetEnded.
  void look() {
    left_ = between;
    if (!limited_) return;
    if (metered()) throw BudgetEnded(StopReason::node_limit, false);
    if (const auto why = budget_.exhausted()) throw BudgetEnded(*why, false);
  }
  /// The units that were counted so far.
  [[nodiscard]] std::int64_t spent() const { return spent_; }
  /// Throws BudgetEnded where about so many bytes are more than may be taken.
  void room(double bytes) const {
    if (limited_ && budget_.too_large(bytes)) throw BudgetEnded(StopReason::memory_limit, true);
  }

 private:
  static constexpr std::int64_t between = 1024;

  /// Is there no work left?
  [[nodiscard]] bool metered() {
    if (per_work_ == 0 || budget_.meter == nullptr) return false;
    const std::int64_t more = spent_ / per_work_ - told_;
    told_ += more;
    const std::int64_t done = budget_.meter->done.fetch_add(more, std::memory_order_relaxed) + more;
    return done >= budget_.meter->limit.load(std::memory_order_relaxed);
  }

  Budget budget_;  // what it points to outlives the call that made it
  bool limited_ = false;
  std::int64_t left_ = 0;
  std::int64_t spent_ = 0;
  std::int64_t per_work_ = 0;  ///< 0: nothing counts
  std::int64_t told_ = 0;      ///< to the meter, in its units
};

}  // namespace tessera
