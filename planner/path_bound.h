// A lower bound on the score of every plan, raised step by step.
//
//   PathBound bound(network, hardware, params, plan, groups);
//   while (bound.raise(plan.score)) use(bound.least());
//
// The bound is a shortest path over the groups of group_lattice.h, each with a lower bound of its
// cost. A step takes the cheapest path and raises the bounds of its groups by one rung:
//
//   1. geometry of the group (cost/group_bound.h)
//   2. numbers of tiles along each axis whose loads fit (cost/grid_bound.h)
//   3. every shape with these numbers of tiles, simulated
//   4. the same, placed
//
// Groups of one structure share their rungs. Only tilings that may be part of a plan better than
// the known one are listed: a group's cost is below the known score less the rest of the path.
//
// If peaks have a weight in the score, there is a shortest path for each interval of peaks, with
// the tilings that fit. An interval is divided below the peak of its cheapest path.
// Private to planner/.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "planner/candidates.h"
#include "planner/group_lattice.h"
#include "planner/later_look.h"

namespace tessera::planner {

class PathBound : LaterLook {
 public:
  /// require: all outlive this, `plan` is feasible, and `groups` is of the machine within the peak
  /// limits. The reference of the plan applies. Without `prefetch`, of plans that prefetch no
  /// weights.
  PathBound(const Network& network, const Hardware& hardware, const PlanParams& params,
            const NetworkPlan& plan, const GroupLattice& groups, bool prefetch);

  /// One step. `best`: the score of a known plan. False: the bound is `best`, or no step is left.
  [[nodiscard]] bool raise(double best);
  /// No plan scores less than this.
  [[nodiscard]] double least() const;
  /// The cheapest tiling of an edge that is not excluded: its costs are no less.
  struct Least {
    double cost = 0;
    Metrics metrics{};
  };
  [[nodiscard]] Least least_of(std::size_t edge) const;
  /// Work of all steps (effort.h).
  [[nodiscard]] std::int64_t work() const;

  /// A group in a tiling that was placed.
  struct Placed {
    std::size_t edge = 0;
    Size most = 0;  ///< peak
    PlannedSubgraph group;
  };
  /// Since the last call.
  [[nodiscard]] std::vector<Placed> take_placed() { return std::exchange(placed_, {}); }

 private:
  enum class Rung : std::uint8_t { listed, simulated, placed, undecided };
  /// Rung 1 of a group.
  struct Floor {
    double cost = 0;
    Metrics least{};               ///< with prefetched weights
    Metrics loaded{};              ///< without
    bool prefetch = false;         ///< its weights may be prefetched
    std::int64_t early = 0;        ///< cycles of all their transfers (structure_of())
    double saved_pj = 0;           ///< by weights of an earlier group
    std::int64_t saved_bytes = 0;  ///< the same
    bool alone = false;            ///< the other rungs do not apply
    Size beyond = 0;               ///< bytes of tensors that are resident beside the memory
  };
  /// Some tilings of a group.
  struct Choice {
    double cost = 0;  ///< lower bound, without the peak
    Metrics least{};  ///< lower bounds
    Size peak = 0;    ///< lower bound
    Rung rung = Rung::listed;
    std::optional<Tiling> tiling{};  ///< of one, once simulated
    Size height = 0;                 ///< peak of its placement
  };
  /// What is known of the groups of one structure.
  struct Structure {
    std::vector<Choice> choices;      ///< of ascending costs
    double open = 0;                  ///< all other tilings cost at least this
    bool undecided = false;           ///< no step raises `open`
    double simulated = 0;             ///< groups of tilings whose bound is lower were simulated,
    double reach = 0;                 ///< and each of their tilings that costs less is a choice
    std::int64_t most_shapes = 4096;  ///< of one step
  };
  /// Plans with a peak in this interval.
  struct Interval {
    Size least = 0;
    Size most = 0;
    double score = 0;  ///< lower bound
  };
  /// A step for one edge.
  struct Step {
    std::size_t edge = 0;
    double below = 0;  ///< tilings that cost more are of no use
    double raise = 0;  ///< desired
    Size most = 0;     ///< peak
    Structure next{};
    std::optional<PlannedSubgraph> placed{};
    std::int64_t shapes = 0;
    bool whole = false;  ///< no limit ended it
  };
  enum class Kind : std::uint8_t { list, simulate, place, none };

  void find_floors();
  [[nodiscard]] std::vector<TensorIndex> moved_others(const search::LatticeEdge& edge) const;
  [[nodiscard]] std::vector<TensorIndex> residents(std::size_t edge) const;
  [[nodiscard]] Hardware machine_of(std::size_t edge) const;
  [[nodiscard]] std::shared_ptr<Structure> structure_of(std::size_t edge);
  [[nodiscard]] const Choice* choice_of(const Structure& structure, Size most) const;
  [[nodiscard]] std::vector<double> costs_within(Size most) const;
  [[nodiscard]] Kind next_of(std::size_t edge, Size most) const;
  /// The peak of the path's choices, or of their placements.
  [[nodiscard]] Size peak_of(const search::LatticePath& path, Size most, bool placed) const;
  void split(Interval& interval, Size peak);
  [[nodiscard]] bool take_steps(Kind kind, std::vector<Step> steps);
  void list(Step& step) const;
  [[nodiscard]] double cost_of_rest(const Step& step, const TilingGroup& group) const;
  void offer(Step& step, std::span<const TilingGroup> groups) const;
  void simulate(Step& step, const Choice& choice) const;
  void place(Step& step, const Choice& choice) const;
  [[nodiscard]] Metrics no_less(Metrics metrics, std::size_t edge, bool prefetch) const;
  [[nodiscard]] Metrics least_in(std::size_t edge, const Metrics& metrics,
                                 const TileVariant& variant) const;
  [[nodiscard]] double cost_of(const Metrics& least) const;
  /// In the variant that costs least.
  [[nodiscard]] Candidates::ScoreOf cost_in_any_variant(std::size_t edge) const;
  [[nodiscard]] static std::vector<Choice> best_of(std::vector<Choice> choices);

  const GroupLattice& groups_;
  bool prefetch_;
  std::vector<Floor> floors_;  ///< per edge
  std::map<std::string, std::shared_ptr<Structure>> by_key_;
  std::map<std::size_t, std::shared_ptr<Structure>> by_edge_;
  std::vector<Interval> intervals_;
  std::vector<Placed> placed_;
  std::int64_t work_ = 0;    ///< of groups
  std::int64_t shapes_ = 0;  ///< simulated
  std::int64_t paths_ = 0;   ///< edges of all shortest paths
};

}  // namespace tessera::planner
