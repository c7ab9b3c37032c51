// Repeated planning for one network on one machine: each search starts from the result of the last.
//
//   const NetworkPlan plan = Plannings(network, hardware, params).run();
//
// plan.cpp has the order of the phases, less_memory.cpp the choice of a memory size, claims.cpp the
// bounds and proofs.
// Private to planner/.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/descent.h"
#include "planner/planning.h"
#include "planner/residency.h"
#include "tessera/plan.h"
#include "validation/limited_budget.h"

namespace tessera::planner {

/// Maximum group lengths that are tried if long groups leave too little space for fetches from a
/// backing memory or for mandatory resident tensors.
inline constexpr std::array<std::size_t, 3> short_runs{4, 2, 1};

class Plannings {
  using Clock = std::chrono::steady_clock;

 public:
  Plannings(const Network& network, const Hardware& hardware, const PlanParams& params);

  NetworkPlan run();

 private:
  /// Phases that start from a complete plan.
  struct LaterLooks {
    bool direct = false;
    bool trailing = false;
    bool early = false;  ///< weight prefetch
    bool rows = false;   ///< resident rows
    [[nodiscard]] bool any() const { return direct || trailing || early || rows; }
  };
  [[nodiscard]] static LaterLooks later_looks(const Network& network, const Hardware& hardware,
                                              const PlanParams& params);

  /// Runs the partition phases, with all and with less of the memory, and residency.
  NetworkPlan found(const PlanParams& params, bool wants_nearly, ResidencyWork& stays);

  /// Variants that help long groups little, such as reductions in parts, are only tried on the
  /// groups of the best partition, which are usually long. The best partitions of short groups are
  /// therefore added, and the best of all is the plan. In short networks all later phases run on
  /// them, too, for example direct off-chip access op by op.
  std::vector<NetworkPlan> short_covers(NetworkPlan& plan);

  /// The best partition with at most `most_ops` ops per group.
  [[nodiscard]] NetworkPlan cover_of_runs(std::size_t most_ops, const PlanPart& part);
  /// Takes bound and proof from the first search, which covers all partitions.
  static void claim_as(const NetworkPlan& plan, NetworkPlan& other);

  /// Adds a start whose groups may have pipelined last ops. It is a separate start because two
  /// copies of the tensors between stages take space that other plans use better.
  void add_side_by_side(const NetworkPlan& plan, std::vector<NetworkPlan>& others);
  static void add_start(const NetworkPlan& plan, NetworkPlan start,
                        std::vector<NetworkPlan>& others);

  /// Runs the later phases on the best plan and on plans nearly as good, and takes the best result.
  void go_on(NetworkPlan& plan, std::vector<NetworkPlan>& nearly);
  [[nodiscard]] std::string later_phases() const;

  /// A weight read by several groups remains for the next one only if it is resident through all
  /// tiles of each group. Such tiles may cost more at first. The network is therefore planned again
  /// with resident weights only, and the better plan is taken.
  void keep_weights(NetworkPlan& plan) const;

  /// Adds resident rows to a plan found by the proof.
  void add_rows(NetworkPlan& plan);

  /// Extends the bound to partitions of more than one group with weight prefetch.
  void claim_with_early(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets);

  /// Minimises the modes of the final plan, without increasing its score or peak.
  void take_modes(NetworkPlan& plan) const;

  /// Reserves time for the last steps: the later phases, off-chip addresses, and the fewest modes.
  [[nodiscard]] static PlanParams for_the_search(PlanParams params, const Hardware& hardware,
                                                 const LaterLooks& later);

  [[nodiscard]] PlanParams rest() const { return rest_of(covers_ ? *covers_ : limited_); }
  /// Leaves a quarter of the time limit to residency, which may gain more than the rest of a
  /// partition search.
  [[nodiscard]] static Limits part_for_covers(Limits limits);
  [[nodiscard]] PlanParams rest_of(const validation::LimitedBudget& limited) const;

  /// A limit that ends a phase ends the plan, too.
  void note(StopReason stop);

  /// For machines without off-chip activations. Takes the best fewest-tile partition over several
  /// maximum group lengths, then searches cheaper tiles briefly, in half of the time limit. A plan
  /// then exists when the limit ends the main search, in which placement next to long groups may
  /// take long.
  [[nodiscard]] NetworkPlan soon_placed();
  /// Groups that fit alone may leave no common address for the resident tensors between them. Tiles
  /// that leave some space free usually do. The bound remains that of all tiles.
  void leave_room(NetworkPlan& plan) const;

  /// Takes the other plan if it is better or the only feasible one, with the bound for all
  /// partitions. True if it was taken.
  static bool take_instead(NetworkPlan& plan, NetworkPlan other);

  /// Partitions are found without the cost of fetches. Shorter groups read less at a time, so their
  /// weights may arrive earlier.
  void try_shorter_runs(NetworkPlan& plan);

  [[nodiscard]] static bool may_go_on(const NetworkPlan& plan);
  /// True also after a time limit: part of it is reserved for later phases.
  [[nodiscard]] static bool may_look_later(const NetworkPlan& plan);
  static void take_if_better(NetworkPlan& plan, NetworkPlan other);

  /// Makes full plans for the best memory sizes found by quick plans.
  void look_further(NetworkPlan& plan, double fewest);

  /// A quick plan for one memory size.
  struct Quick {
    Size level = 0;
    double worth_below = 0;
    Planned planned{};

    /// True if a quick plan with the limit `worth` would have the same result.
    [[nodiscard]] bool says_below(double worth) const {
      const double fewest = planned.fewest;
      return worth == worth_below || fewest < std::min(worth, worth_below);
    }
  };

  /// Quick plans for the next memory sizes, as if none of them improved the plan. Spare threads
  /// make several at once.
  [[nodiscard]] std::vector<Quick> quick_looks(Descent descent, const NetworkPlan& plan) const;

  /// The memory sizes worth a full plan, best first. `plan` becomes the best quick plan.
  std::vector<Level> best_levels(NetworkPlan& plan, double fewest);

  /// Bounds the score of all plans. `sets`: sets of resident tensors; empty if there are too many.
  void prove(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets);

  /// Shapes to evaluate for the best partition with this resident set. The empty set gets as many
  /// as without residency, so the proof is no weaker than without residency. The other sets share
  /// the rest.
  [[nodiscard]] std::int64_t shapes_of(const std::vector<TensorIndex>& stays, std::int64_t shapes,
                                       std::int64_t sets) const;

  /// Bounds of tiles that reuse halos are weak. Their shapes may exhaust the limit of a proof and
  /// hide better tiles without reuse. This repeats the proof with one halo policy less at a time
  /// until it succeeds.
  void look_with_fewer_halos(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets);

  /// Returns the lower bound and whether no better plan exists. Replaces `plan` if a better one is
  /// found.
  std::pair<double, bool> look_for_better(NetworkPlan& plan, PlanPart part, std::size_t max_ops);
  /// `machine`: the machine, possibly with fewer choices.
  std::pair<double, bool> look_for_better(NetworkPlan& plan, PlanPart part, std::size_t max_ops,
                                          const Hardware& machine);

  /// Claims after residency, for all resident sets or for some.
  void claim_with(NetworkPlan& plan, const ResidencyWork& stays);
  void bound_alone(NetworkPlan& plan);

  /// Lower bound of all plans, independent of the search. Computed once, or again if a budget ended
  /// it. `early`: bound for partitions of more than one group with weight prefetch.
  double least_of_all(const NetworkPlan& plan, bool early, const Budget& budget);
  /// Computes the bounds before the next phase uses all time. Deep networks take a second or two.
  void bounds_in_time(const NetworkPlan& plan);

  [[nodiscard]] std::string over_everything() const;

  /// Combines progress with the known plan, so that the reported best score never rises. Concurrent
  /// plans report one after the other.
  [[nodiscard]] std::function<void(const PlanProgress&)> progress_from(
      const NetworkPlan& plan) const;

  const Network& network_;
  const Hardware& hardware_;
  const LaterLooks later_;
  PlanParams params_;
  mutable std::mutex told_lock_;  ///< guards the next two members
  mutable double told_score_ = std::numeric_limits<double>::infinity();
  mutable std::int64_t told_solved_ = 0;
  const validation::LimitedBudget whole_;
  const validation::LimitedBudget going_on_;         ///< limit of the phases after the main search
  const validation::LimitedBudget limited_;          ///< limit of the main search
  std::optional<validation::LimitedBudget> covers_;  ///< its part for partitions, while they are
                                                     ///< searched
  const Clock::time_point begin_ = Clock::now();
  std::int64_t solved_ = 0;  ///< sum over all searches made
  StopReason cut_ = StopReason::completed;
  struct Least {
    double bound = 0;
    bool whole = false;  ///< no limit ended it
  };
  std::array<Least, 2> least_of_all_;  ///< all partitions, and those with weight prefetch
  bool fewest_modes_ = false;          ///< minimise modes at the end
  bool side_by_side_ = false;          ///< search partitions with pipelined last ops
};

}  // namespace tessera::planner
