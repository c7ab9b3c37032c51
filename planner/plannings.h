// The phases of one plan: a start, the path search, weight prefetch, proof.
//
//   const NetworkPlan plan = Plannings(network, hardware, params).run();
//
// plan.cpp has the phases, claims.cpp the bounds and the proof.
// Private to planner/.
#pragma once

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

#include "planner/path_search.h"
#include "planner/planning.h"
#include "tessera/plan.h"
#include "validation/limited_budget.h"

namespace tessera::planner {

/// Longest groups of further searches if transfers from a backing memory find no space.
inline constexpr std::array<std::size_t, 3> short_groups{4, 2, 1};

class Plannings {
  using Clock = std::chrono::steady_clock;

 public:
  Plannings(const Network& network, const Hardware& hardware, const PlanParams& params);

  NetworkPlan run();

 private:
  /// Layer by layer. If that is no plan: the best partition with the largest tile of each group.
  [[nodiscard]] NetworkPlan start();
  [[nodiscard]] bool may_search(const NetworkPlan& plan) const;
  /// Replaces the plan by the best one of the path search. Returns others with almost its score.
  std::vector<NetworkPlan> search(NetworkPlan& plan);
  [[nodiscard]] PathResult search_paths(const NetworkPlan& plan, std::size_t max_ops);
  /// With addresses off chip and all metrics; infeasible if the off-chip memories are too small.
  [[nodiscard]] NetworkPlan described(const NetworkPlan& plan, Runs groups) const;

  /// Weight prefetch, on the plan and on others with almost its score.
  void prefetch(NetworkPlan& plan, std::vector<NetworkPlan>& nearly);

  /// Weights that several groups read stay on chip between them only if each group keeps them for
  /// all of its tiles. That may cost more, so the path search does not find such groups: plans
  /// again with no other tilings, and takes the better plan.
  void keep_weights(NetworkPlan& plan) const;

  /// The fewest modes, at the same score and peak.
  void take_modes(NetworkPlan& plan) const;

  /// Without the time for the last phases.
  [[nodiscard]] static PlanParams for_the_search(PlanParams params, const Hardware& hardware,
                                                 bool prefetches);

  [[nodiscard]] PlanParams rest() const { return rest_of(limited_); }
  [[nodiscard]] PlanParams rest_of(const validation::LimitedBudget& limited) const;

  /// A limit that ends one phase is the limit of the plan, too.
  void note(StopReason stop);

  [[nodiscard]] static bool may_go_on(const NetworkPlan& plan);
  [[nodiscard]] static bool may_look_later(const NetworkPlan& plan);
  /// Takes the other plan if it is better, or if there is none.
  static void take_instead(NetworkPlan& plan, NetworkPlan other);

  /// The bound of the plan, and whether it is optimal.
  void claim(NetworkPlan& plan);
  /// The claims of a plan of the path search.
  void claim_explored(const PathResult& found, NetworkPlan& plan);

  /// Lower bound of all plans, computed once, or again if a budget ended it. `prefetch`: of
  /// partitions into more than one group, with any weight prefetch.
  double least_of_all(const NetworkPlan& plan, bool prefetch, const Budget& budget);
  /// Before the search uses up the time: bounds of deep networks take a second or two.
  void bounds_in_time(const NetworkPlan& plan);

  void bound_groups(NetworkPlan& plan) const;
  [[nodiscard]] PlanScope scope(PlanScope::Tiles tiles) const;
  [[nodiscard]] PlanScope explored_scope() const;

  /// Reports the best score so far. Plans that are made in parallel report one after the other.
  [[nodiscard]] std::function<void(const PlanProgress&)> progress_from(
      const NetworkPlan& plan) const;

  const Network& network_;
  const Hardware& hardware_;
  const bool prefetches_;  ///< weight prefetch follows the search
  PlanParams params_;
  mutable std::mutex told_lock_;  ///< guards the next two members
  mutable double told_score_ = std::numeric_limits<double>::infinity();
  mutable std::int64_t told_solved_ = 0;
  const validation::LimitedBudget whole_;
  const validation::LimitedBudget going_on_;  ///< of the later phases
  const validation::LimitedBudget limited_;   ///< of the search
  const Clock::time_point begin_ = Clock::now();
  std::int64_t solved_ = 0;  ///< sum over all searches made
  StopReason cut_ = StopReason::completed;
  struct Least {
    double bound = 0;
    bool whole = false;  ///< no limit ended it
  };
  std::array<Least, 2> least_of_all_;  ///< without and with weight prefetch
  double path_bound_ = 0;              ///< no plan scores less
  std::vector<GroupFloor> floors_;
  bool fewest_modes_ = false;  ///< minimised when all else is decided
  bool complete_ = false;      ///< the path search ended by itself
};

}  // namespace tessera::planner
