// Runs that a search for a cover will probably ask about next, looked at meanwhile in other
// threads.
//
//   Ahead ahead(kinds, ops, known, make, threads - 1, nullptr);
//   ahead.see_intervals(intervals, best, price);         // what the search is going to look into
//   ahead.ask({3, 7, 9});                                // what it wants to know now:
//   if (ahead.take(3)) evaluate(3);                      // nobody is at it
//   ahead.see(3, [&] { known[3].candidate = answer; });
//
// The search asks about one run or two at a time, since what these say decides which are next. So
// each thread here goes through the rounds by itself, as if whatever somebody else is just looking
// at were no good, which is what most runs turn out to be; and where that asks about nothing, as if
// it were as good as its bound. `make` says what the answer will be and changes nothing else: the
// search asks and decides in its own order, and says the same whatever was looked at here. Private
// to search/partition/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "model/shared_work.h"
#include "search/partition/cover.h"
#include "search/partition/cover_kind.h"
#include "search/partition/peak_intervals.h"
#include "search/partition/run_kinds.h"

namespace tessera::search {

class Ahead {
 public:
  using Make = std::function<std::optional<CoverCandidate>(std::uint32_t kind, int effort)>;

  /// `known`: by kind; from now on it changes in see() alone. `inner`: of whoever makes, for those
  /// who have nothing to make; may be null.
  /// require: `kinds`, `known` and what `make` refers to outlive this.
  Ahead(const RunKinds& kinds, std::size_t ops, const std::vector<CoverKind>& known, Make make,
        int helpers, SharedWork* inner);
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;
  /// Waits for what is being looked at.
  ~Ahead();

  /// What the search is going to look into, and what a cover has to cost less than.
  void see_intervals(std::vector<PeakInterval> intervals, double best, PeakPrice price);
  /// Changes what is known of a kind.
  template <typename How>
  void see(std::uint32_t kind, const How& how) {
    const std::lock_guard guard(lock_);
    how();
    made_.erase(kind);
    std::erase(taken_, kind);
    changed(kind);
  }
  /// Kinds that are evaluated now, the last of them first if it is here.
  void ask(const std::vector<std::uint32_t>& list);
  /// Whoever asks looks at it by itself. False: somebody here is just at it.
  [[nodiscard]] bool take(std::uint32_t kind);
  /// Nobody here is at it any more when this comes back. Meanwhile whoever waits looks ahead, too.
  void wait_for(std::uint32_t kind);
  /// Looks at one run here, for whoever asks and has nothing else to do. False: there is none.
  bool look();
  /// One more thread, that comes back when it is the end.
  void help();
  /// Nobody asks any more.
  void end();

 private:
  using Task = std::pair<std::uint32_t, int>;  ///< kind and effort
  /// What becomes of the kinds that somebody is at.
  enum class Guess { no_good, as_bounded };
  using Guard = std::unique_lock<std::mutex>;
  void start();
  [[nodiscard]] std::optional<Task> next_task();
  [[nodiscard]] std::optional<Task> predicted(Guess guess);
  /// The shortest paths under a cap, as far as anybody can guess. `soon`: the same cap is going to
  /// be asked for.
  void guess_paths(Guess guess, std::int64_t cap, bool soon);
  void changed(std::uint32_t kind);
  [[nodiscard]] CoverOption promised_of(std::uint32_t kind, std::int64_t cap) const;
  [[nodiscard]] bool at_work(std::uint32_t kind) const;
  [[nodiscard]] bool somebody_is_at(std::uint32_t kind) const;
  /// False where there is no memory for more.
  bool work(Task task, Guard& guard);
  bool look(Guard& guard);
  template <typename Done>
  void wait_until(const Done& done, Guard& guard);

  const RunKinds& kinds_;
  std::size_t ops_;
  const std::vector<CoverKind>& known_;
  Make make_;
  int helpers_;
  int most_rounds_;     ///< that are gone through for a guess
  SharedWork nobodys_;  ///< where there is no other
  SharedWork& inner_;   ///< where everybody here waits
  std::mutex lock_;     ///< of all below, and of what is known; never held while inner_ is called
  bool ends_ = false;
  std::int64_t calls_ = 0;  ///< for those who wait for something to do
  std::vector<PeakInterval> intervals_;
  double best_ = 0;  ///< covers that cost no less are of no use
  PeakPrice price_;
  std::vector<std::uint32_t> asked_;
  std::vector<std::uint32_t> taken_;    ///< by whoever asks, who did not say yet what they are
  std::vector<std::uint32_t> at_work_;  ///< in threads of this
  std::map<std::uint32_t, std::optional<CoverCandidate>> made_;  ///< and not seen yet
  std::int64_t version_ = 0;                                     ///< of what is known
  std::int64_t nothing_at_ = -1;  ///< the version for which there is nothing to do
  std::vector<double> now_;       ///< what kinds cost under now_cap_, as far as anything is known
  std::int64_t now_cap_ = -1;     ///< negative: of none
  // Working memory of guesses.
  std::vector<double> costs_;
  std::vector<PeakInterval> open_;
  std::vector<CoverNode> nodes_;
  std::vector<std::jthread> threads_;
};

}  // namespace tessera::search
