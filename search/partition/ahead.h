// Runs that a search for a cover will probably ask about next, looked at meanwhile in other
// threads.
//
//   Ahead ahead(kinds, ops, bounds, make, threads - 1);
//   ahead.see_all(costs, efforts, cap);       // what the search knows
//   ahead.ask({3, 7, 9});                     // what it wants to know now:
//   if (ahead.take(3)) evaluate(3);           // nobody is at it
//   ahead.see(3, cost, settled);
//
// The search asks about one run or two at a time, since what these say decides which are next. So
// each thread here goes through the rounds by itself, as if whatever somebody else is just looking
// at were no good, which is what most runs turn out to be. `make` says what the answer will be and
// changes nothing else: the search asks and decides in its own order, and says the same whatever
// was looked at here. Private to search/partition/.
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
#include "search/partition/run_kinds.h"

namespace tessera::search {

class Ahead {
 public:
  /// Of a kind of which no evaluation would say more.
  static constexpr int settled = -1;
  using Make = std::function<std::optional<CoverCandidate>(std::uint32_t kind, int effort)>;
  using BoundOf = std::function<const CoverBound&(std::uint32_t kind)>;

  /// `inner`: of whoever makes, for those who have nothing to make; may be null.
  /// require: `kinds` and what the functions refer to outlive this; bounds do not change.
  Ahead(const RunKinds& kinds, std::size_t ops, BoundOf bound, Make make, int helpers,
        SharedWork* inner);
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;
  /// Waits for what is being looked at.
  ~Ahead();

  /// What each kind costs under the cap, as far as is known, and the effort it would be evaluated
  /// with.
  void see_all(const std::vector<double>& costs, std::vector<int> efforts, std::int64_t cap);
  void see(std::uint32_t kind, double cost, int effort);
  /// Kinds that are evaluated now, the last of them first if it is here.
  void ask(const std::vector<std::uint32_t>& list);
  /// Whoever asks looks at it by itself. False: somebody here is just at it.
  [[nodiscard]] bool take(std::uint32_t kind);
  /// Nobody here is at it any more when this comes back.
  void wait_for(std::uint32_t kind);
  /// One more thread, that comes back when it is the end.
  void help();
  /// Nobody asks any more.
  void end();

 private:
  using Task = std::pair<std::uint32_t, int>;  ///< kind and effort
  void start();
  [[nodiscard]] std::optional<Task> next_task();
  [[nodiscard]] std::optional<Task> predicted();
  [[nodiscard]] bool at_work(std::uint32_t kind) const;
  void wait_for_more(std::unique_lock<std::mutex>& guard);
  void count_as_known(std::uint32_t kind, const CoverCandidate& candidate);

  const RunKinds& kinds_;
  std::size_t ops_;
  BoundOf bound_;
  Make make_;
  int helpers_;
  SharedWork nobodys_;  ///< where there is no other
  SharedWork& inner_;   ///< where everybody here waits
  bool predicts_;
  std::mutex lock_;  ///< of all below; never held while inner_ is called
  bool ends_ = false;
  std::int64_t calls_ = 0;  ///< for those who wait for something to do
  std::int64_t cap_ = 0;
  std::vector<double> costs_;  ///< by kind, with what was made here
  std::vector<int> efforts_;
  std::vector<std::uint32_t> asked_;
  std::vector<std::uint32_t> at_work_;                           ///< in threads of this
  std::map<std::uint32_t, std::optional<CoverCandidate>> made_;  ///< and not seen yet
  std::int64_t version_ = 0;                                     ///< of what is known
  std::int64_t nothing_at_ = -1;  ///< the version for which there is nothing to do
  std::vector<CoverNode> nodes_;
  std::vector<std::jthread> threads_;
};

}  // namespace tessera::search
