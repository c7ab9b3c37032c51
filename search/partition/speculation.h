// Speculative evaluation of groups: idle threads evaluate candidates that the partition search will
// probably need next.
//
//   Speculation speculation(kinds, ops, known, make, threads - 1, nullptr);
//   speculation.set_intervals(intervals, best, price);         // what the search will explore
//   speculation.request({3, 7, 9});                            // what it needs next
//   if (speculation.claim(3)) evaluate(3);                     // no other thread evaluates it
//   speculation.update(3, [&] { known[3].candidate = answer; });
//
// The search evaluates one or two groups at a time, because their results determine the next ones.
// Each thread therefore simulates the rounds of the search. It first assumes that groups under
// evaluation are useless, as most are. If that predicts nothing, it assumes that they are as good
// as their bounds. `make` computes a result without other effects. The search evaluates and decides
// in its own order, so its result does not depend on the speculation. Private to search/partition/.
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

class Speculation {
 public:
  using Make = std::function<std::optional<CoverCandidate>(std::uint32_t kind, int effort)>;

  /// `known`: by kind; from here on it only changes in update(). `inner`: the shared work of the
  /// evaluations, for threads without a task; may be null.
  /// require: `kinds`, `known` and the captures of `make` outlive this.
  Speculation(const RunKinds& kinds, std::size_t ops, const std::vector<CoverKind>& known,
              Make make, int helpers, SharedWork* inner);
  Speculation(const Speculation&) = delete;
  Speculation& operator=(const Speculation&) = delete;
  /// Waits for running evaluations.
  ~Speculation();

  /// The intervals left to explore, and the cost that a partition has to beat.
  void set_intervals(std::vector<PeakInterval> intervals, double best, PeakPrice price);
  /// Changes the state of a kind.
  template <typename How>
  void update(std::uint32_t kind, const How& how) {
    const std::lock_guard guard(lock_);
    how();
    made_.erase(kind);
    std::erase(claimed_, kind);
    changed(kind);
  }
  /// The kinds that the search evaluates next, from the last one.
  void request(const std::vector<std::uint32_t>& list);
  /// Claims a kind for the calling thread. False: another thread is evaluating it.
  [[nodiscard]] bool claim(std::uint32_t kind);
  /// Returns when no other thread evaluates the kind. Meanwhile the caller evaluates speculatively.
  void wait_for(std::uint32_t kind);
  /// Evaluates one group in the calling thread. False: there is none.
  bool evaluate_one();
  /// Runs one more thread until end().
  void serve();
  /// No more requests.
  void end();

 private:
  using Task = std::pair<std::uint32_t, int>;  ///< kind and effort
  /// The assumed result of kinds under evaluation.
  enum class Assumption { useless, as_bounded };
  using Guard = std::unique_lock<std::mutex>;
  void start();
  [[nodiscard]] std::optional<Task> next_task();
  [[nodiscard]] std::optional<Task> predicted(Assumption assumption);
  /// The predicted shortest paths under a cap. `soon`: the same cap will be used again.
  void predict_paths(Assumption assumption, std::int64_t cap, bool soon);
  void changed(std::uint32_t kind);
  [[nodiscard]] CoverOption promised_of(std::uint32_t kind, std::int64_t cap) const;
  [[nodiscard]] bool at_work(std::uint32_t kind) const;
  [[nodiscard]] bool in_progress(std::uint32_t kind) const;
  /// False: out of memory.
  bool work(Task task, Guard& guard);
  bool evaluate_one(Guard& guard);
  template <typename Done>
  void wait_until(const Done& done, Guard& guard);

  const RunKinds& kinds_;
  std::size_t ops_;
  const std::vector<CoverKind>& known_;
  Make make_;
  int helpers_;
  int most_rounds_;        ///< rounds per prediction
  SharedWork own_shared_;  ///< used if there is no other
  SharedWork& inner_;      ///< all threads wait here
  std::mutex lock_;  ///< protects everything below and `known`; not held during calls of inner_
  bool ends_ = false;
  std::int64_t calls_ = 0;  ///< for threads that wait for a task
  std::vector<PeakInterval> intervals_;
  double best_ = 0;  ///< partitions of this cost or more are useless
  PeakPrice price_;
  std::vector<std::uint32_t> asked_;
  std::vector<std::uint32_t> claimed_;  ///< claimed by the search, without a result yet
  std::vector<std::uint32_t> at_work_;  ///< evaluated by threads of this object
  std::map<std::uint32_t, std::optional<CoverCandidate>> made_;  ///< results not used yet
  std::int64_t version_ = 0;                                     ///< of `known`
  std::int64_t nothing_at_ = -1;  ///< the version for which there is no task
  std::vector<double> now_;       ///< costs of kinds under now_cap_, as far as known
  std::int64_t now_cap_ = -1;     ///< negative: none
  // Reused memory of predictions.
  std::vector<double> costs_;
  std::vector<PeakInterval> open_;
  std::vector<CoverNode> nodes_;
  std::vector<std::jthread> threads_;
};

}  // namespace tessera::search
