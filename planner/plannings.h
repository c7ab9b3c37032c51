// Planning for one network on one machine, more than once: what one search finds is where the next
// one begins.
//
//   const NetworkPlan plan = Plannings(network, hardware, params).run();
//
// plan.cpp has the order of it all, less_memory.cpp the looks at how much of the memory is best
// used, claims.cpp what may be said of plans that were not looked at.
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

/// Lengths of runs that are tried where long ones leave no room for what comes from behind, or for
/// what has to stay on the chip.
inline constexpr std::array<std::size_t, 3> short_runs{4, 2, 1};

class Plannings {
  using Clock = std::chrono::steady_clock;

 public:
  Plannings(const Network& network, const Hardware& hardware, const PlanParams& params);

  NetworkPlan run();

 private:
  /// What is looked for when all else is settled.
  struct LaterLooks {
    bool direct = false;
    bool trailing = false;
    bool early = false;  ///< weights
    bool rows = false;   ///< that stay
    [[nodiscard]] bool any() const { return direct || trailing || early || rows; }
  };
  [[nodiscard]] static LaterLooks later_looks(const Network& network, const Hardware& hardware,
                                              const PlanParams& params);

  /// Covers, in more and in less of the memory, and what stays on the chip between runs.
  NetworkPlan found(const PlanParams& params, bool wants_nearly, ResidencyWork& stays);

  /// What makes a run cheap at last, as sums in parts, is looked at where the best cover has it,
  /// and that has long runs as a rule, which have less use for it. So the best of short ones are
  /// asked for besides; whichever is best is the plan. In short networks all that comes later is
  /// tried on them, too: op by op, say, every one may work past the chip.
  std::vector<NetworkPlan> short_covers(NetworkPlan& plan);

  /// The best one by runs of at most so many ops.
  [[nodiscard]] NetworkPlan cover_of_runs(std::size_t most_ops, const PlanPart& part);
  /// What is known of all covers is what the first search says.
  static void claim_as(const NetworkPlan& plan, NetworkPlan& other);

  /// The same with runs whose last ops may trail: a start of its own, since two copies of what is
  /// handed over take room that other plans may have better use for.
  void add_side_by_side(const NetworkPlan& plan, std::vector<NetworkPlan>& others);
  static void add_start(const NetworkPlan& plan, NetworkPlan start,
                        std::vector<NetworkPlan>& others);

  /// More that is looked at, of the best of all before and of those that are nearly as good: the
  /// best is the least of what they become.
  void go_on(NetworkPlan& plan, std::vector<NetworkPlan>& nearly);
  [[nodiscard]] std::string looked_at_later() const;

  /// What several runs read may wait from one to the next only where they have it through all of
  /// their tiles. That may cost more before anything waits: so all is planned once more with no
  /// other tiles. The better plan is taken.
  void keep_weights(NetworkPlan& plan) const;

  /// What was found by the proof may have room for some, too.
  void add_rows(NetworkPlan& plan);

  /// Nor may a cover by more than one run be better where its weights come early.
  void claim_with_early(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets);

  /// Of the plan that it is to be, which neither scores nor peaks higher for it.
  void take_modes(NetworkPlan& plan) const;

  /// Without the time for what is settled at last: what is looked for when all else is, what lies
  /// off the chip, and the fewest modes.
  [[nodiscard]] static PlanParams for_the_search(PlanParams params, const Hardware& hardware,
                                                 const LaterLooks& later);

  [[nodiscard]] PlanParams rest() const { return rest_of(covers_ ? *covers_ : limited_); }
  /// What stays may be worth more than what the rest of a search for covers finds.
  [[nodiscard]] static Limits part_for_covers(Limits limits);
  [[nodiscard]] PlanParams rest_of(const validation::LimitedBudget& limited) const;

  /// A limit that ends a look for something better ends the plan, too.
  void note(StopReason stop);

  /// Where all has to stay on the chip: the best in the fewest tiles by runs of several lengths,
  /// and a quick look for cheaper ones, in half of a limit, so that there is a plan when it ends
  /// the search. A place beside long runs may take long to find.
  [[nodiscard]] NetworkPlan soon_placed();
  /// Runs that fit by themselves may leave no one place for what stays on the chip between them.
  /// Then tiles that leave some room do, as a rule: what is proved is what was proved of all tiles.
  void leave_room(NetworkPlan& plan) const;

  /// The other plan where it is better, or where there is none, with what is known of all covers:
  /// is it taken?
  static bool take_instead(NetworkPlan& plan, NetworkPlan other);

  /// Covers are found as if nothing had to be fetched. Shorter runs read less at a time: what has
  /// no room otherwise is there in time, perhaps.
  void try_shorter_runs(NetworkPlan& plan);

  [[nodiscard]] static bool may_go_on(const NetworkPlan& plan);
  /// Some of a time limit is kept for what comes later.
  [[nodiscard]] static bool may_look_later(const NetworkPlan& plan);
  static void take_if_better(NetworkPlan& plan, NetworkPlan other);

  /// After quick looks at how much of the memory is best used, all that there is to do with as
  /// much, and with what was nearly as good; what the quick looks found is remembered.
  void look_further(NetworkPlan& plan, double fewest);

  /// A quick look at what there is in less memory.
  struct Quick {
    Size level = 0;
    double worth_below = 0;
    Planned planned{};

    /// Would it have found the same with another bound of what is worth it?
    [[nodiscard]] bool says_below(double worth) const {
      const double fewest = planned.fewest;
      return worth == worth_below || fewest < std::min(worth, worth_below);
    }
  };

  /// Where nothing better is found there, the next levels are looked at, too: so that is done
  /// meanwhile, if there are threads for it.
  [[nodiscard]] std::vector<Quick> quick_looks(Descent descent, const NetworkPlan& plan) const;

  /// The fewest tiles fill the memory, however little that is worth. Where less memory gives a
  /// better plan, that is the plan of this machine, too. The best first.
  std::vector<Level> best_levels(NetworkPlan& plan, double fewest);

  /// Says what no plan beats. `sets`: of tensors that stay over cuts; none where they are too many.
  void prove(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets);

  /// So many shapes are looked at for the best cover that keeps these. Where nothing is to stay
  /// that is as many as if nothing might: so no plan is worse than without residency. Others share
  /// them.
  [[nodiscard]] std::int64_t shapes_of(const std::vector<TensorIndex>& stays, std::int64_t shapes,
                                       std::int64_t sets) const;

  /// Bounds of tiles that keep halos are low. Where there may be some, the shapes that may be
  /// looked at for a proof can all be theirs, and better tiles without them stay unseen. So those
  /// kinds are left out, one after the other, until a proof ends.
  void look_with_fewer_halos(NetworkPlan& plan, const std::vector<std::vector<TensorIndex>>& sets);

  /// What nothing like that scores less than, and whether nothing is better than the plan; it is
  /// the better one afterwards, where there is one.
  std::pair<double, bool> look_for_better(NetworkPlan& plan, PlanPart part, std::size_t max_ops);
  /// `machine`: with less to choose from, perhaps.
  std::pair<double, bool> look_for_better(NetworkPlan& plan, PlanPart part, std::size_t max_ops,
                                          const Hardware& machine);

  /// With what stays, of which every set was looked at, or some of them.
  void claim_with(NetworkPlan& plan, const ResidencyWork& stays);
  void bound_alone(NetworkPlan& plan);

  /// What every plan costs at least, which is the same whatever was found: asked for once, or again
  /// where a budget ended it. `early`: of covers by more than one run, whatever weights come early.
  double least_of_all(const NetworkPlan& plan, bool early, const Budget& budget);
  /// Before what is looked for next takes all the time there is: bounds of deep networks take a
  /// second or two.
  void bounds_in_time(const NetworkPlan& plan);

  [[nodiscard]] std::string over_everything() const;

  /// What is known already stays the best until something better is. Plans that are made side by
  /// side tell one after the other.
  [[nodiscard]] std::function<void(const PlanProgress&)> progress_from(
      const NetworkPlan& plan) const;

  const Network& network_;
  const Hardware& hardware_;
  const LaterLooks later_;
  PlanParams params_;
  mutable std::mutex told_lock_;  ///< of the next two
  mutable double told_score_ = std::numeric_limits<double>::infinity();
  mutable std::int64_t told_solved_ = 0;
  const validation::LimitedBudget whole_;
  const validation::LimitedBudget going_on_;  ///< of what is looked for when all else is settled
  const validation::LimitedBudget limited_;   ///< of what is looked for
  std::optional<validation::LimitedBudget> covers_;  ///< the part of it for covers, while they are
  const Clock::time_point begin_ = Clock::now();
  std::int64_t solved_ = 0;  ///< so far
  StopReason cut_ = StopReason::completed;
  struct Least {
    double bound = 0;
    bool whole = false;  ///< no limit ended it
  };
  std::array<Least, 2> least_of_all_;  ///< covers, and those with weights that come early
  bool fewest_modes_ = false;          ///< of all of the plan, when all else is decided
  bool side_by_side_ = false;          ///< covers are found so
};

}  // namespace tessera::planner
