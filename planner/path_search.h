// The best partition with resident tensors, by one anytime search.
//
//   PathSearch search(network, hardware, params, plan);
//   const PathResult found = search.run(plan.subgraphs);
//   if (!found.plans.empty()) use(found.plans.back());            // scores least, and is placed
//
// A plan is a shortest path over cut points and the tensors that are resident over them
// (search/partition/lattice.h). An edge is a group with its resident tensors. Its cost is known
// once the group is tiled in the best of all variants that the profile permits. Until then the
// search estimates it: lower bound x (1 + weight x (ratio - 1)), where the ratio is the highest
// ratio of cost to lower bound of a known group within this one. The search tiles the unknown
// groups of the cheapest path, and repeats until all its groups are known. Then the resident
// tensors get one address each, and the path is a plan.
//
// If the cheapest path is no better than the best plan, the weight falls, until it is 0: then no
// path of explored tilings is better. (Anytime repairing A*: Likhachev, Gordon and Thrun, NIPS
// 2003. Lazy shortest path: Dellin and Srinivasa, ICAPS 2016.)
//
// If the peak has a weight in the score, the search repeats within less and less memory.
// Private to planner/.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "planner/group_lattice.h"
#include "planner/later_look.h"
#include "planner/path_bound.h"

namespace tessera::planner {

using Runs = std::vector<PlannedSubgraph>;  ///< the groups of a plan

/// Lower bounds of a group with its resident tensors, in any tiles.
struct GroupFloor {
  OpRange ops;
  std::vector<std::string> kept;
  double cost = 0;  ///< without the peak
  Metrics least{};
};

struct PathResult {
  /// Plans, each with a lower score than the one before it and than the first plan. All resident
  /// tensors are placed.
  std::vector<Runs> plans{};
  bool complete = false;  ///< no explored plan is better
  bool exact = false;     ///< complete, and no other choice of explored tilings is better
  double bound = 0;       ///< no plan scores less; 0: unknown
  std::vector<GroupFloor> floors{};  ///< of the groups of all plans, if the bound is known
  std::int64_t work = 0;             ///< effort.h
  PlanSearch search{};               ///< the counters of candidates
  std::int64_t tiled = 0;            ///< groups
  std::int64_t rounds = 0;           ///< shortest paths
};

class PathSearch : LaterLook {
 public:
  /// require: all outlive this, and `plan` is feasible; its weights and its reference apply.
  PathSearch(const Network& network, const Hardware& hardware, const PlanParams& params,
             const NetworkPlan& plan);

  /// require: `start` is a partition that plan_network() may return on this machine.
  [[nodiscard]] PathResult run(const Runs& start);

 private:
  /// The result for a group with its resident tensors in so much memory.
  struct Tiled {
    Size cap = 0;
    double cost = 0;       ///< without its peak; infinite: impossible
    bool refined = false;  ///< more shapes than the largest tile were evaluated
    std::optional<PlannedSubgraph> group{};
    [[nodiscard]] bool final() const { return refined || !group; }
  };
  struct Asked {
    Tiled tiled{};
    bool refined = false;
    CandidateCounts counts{};
    bool whole = false;  ///< no limit ended it
  };
  /// What is known of the groups with the same ops.
  struct Known {
    double above = 0;  ///< least difference between cost and lower bound
    double ratio = 0;  ///< least ratio of them
  };
  /// So much memory.
  struct Level {
    Size cap = 0;
    Size peak = 0;     ///< of the last path whose groups were known
    double cost = 0;   ///< of the last path, without its peak
    double score = 0;  ///< of the last path
  };
  using Range = std::pair<std::size_t, std::size_t>;

  void find_bounds();
  void start_with(const Runs& runs);
  /// Tiled in the whole memory, and not refined.
  void keep_group(std::size_t edge, PlannedSubgraph group);
  /// The groups of PlanParams::start.
  void take_start();
  /// False: the budget ended.
  [[nodiscard]] bool explore();
  /// Explores paths within the level's memory until the cheapest path is no better than the best
  /// plan. False: the budget ended.
  [[nodiscard]] bool search(Level& level, double weight);
  [[nodiscard]] bool proved() const;
  [[nodiscard]] bool goes_on() const;
  void raise_bound(std::int64_t most_work);
  void take_placed();
  [[nodiscard]] bool descends() const;
  [[nodiscard]] bool descend(double weight);
  [[nodiscard]] bool descend_to_all_peaks();
  [[nodiscard]] Size capacity() const { return on_chip_capacity(within_); }
  [[nodiscard]] std::optional<std::size_t> edge_of(const PlannedSubgraph& group) const;
  [[nodiscard]] Size cap_of(std::size_t edge, Size cap) const;
  [[nodiscard]] const Tiled* result_of(std::size_t edge, Size cap) const;
  [[nodiscard]] const Tiled* fitting(std::size_t edge, Size cap) const;
  [[nodiscard]] std::map<Range, Known> known_groups(Size cap) const;
  void estimate(Size cap, double weight);
  void estimate_group(std::size_t begin, std::size_t end, Size cap, double weight, double ratio,
                      const Known* known);
  [[nodiscard]] search::LatticePath known_paths_within(Size cap) const;
  [[nodiscard]] std::optional<search::LatticePath> known_path(const Level& level) const;
  [[nodiscard]] double score_of_path(const search::LatticePath& path, const Level& level) const;
  [[nodiscard]] Size known_peak(const search::LatticePath& path, Size cap) const;
  void tile(const std::vector<std::size_t>& edges, Size cap);
  [[nodiscard]] Asked tiled(std::size_t edge, Size cap, bool refined, SharedWork& shared) const;
  void keep(std::size_t edge, Asked asked);
  /// The result in just so much memory; null if there is none.
  [[nodiscard]] const Tiled* at_cap(std::size_t edge, Size cap) const;
  void put(std::size_t edge, Tiled tiled);
  [[nodiscard]] double hoped(const Tiled& tiled) const {
    return tiled.final() ? tiled.cost : tiled.cost * gain_;
  }
  void place(const search::LatticePath& path, Level& level);
  void note_shares(const Runs& runs);
  void note_floors(const Runs& runs);

  GroupLattice groups_;
  std::optional<PathBound> bound_;  ///< of plans without prefetch; if it holds for all of them
  std::optional<PathBound> early_;  ///< of plans with any prefetch
  std::int64_t most_work_;
  std::vector<double> bounds_;                       ///< per edge
  std::vector<double> costs_;                        ///< per edge: known or estimated
  std::map<std::size_t, std::vector<Tiled>> tiled_;  ///< by edge, the largest memory first
  std::map<std::size_t, Size> limits_of_edges_;      ///< memory, where more had no joint placement
  std::vector<double> shares_;  ///< per op: cost over bound of its group in the best plan
  double best_ = 0;             ///< score
  double gain_ = 1;             ///< mean ratio of refined costs to those before
  double gains_ = 0;            ///< sum of logarithms of the ratios
  int refined_ = 0;
  std::vector<Level> levels_;                     ///< the most memory first
  mutable std::atomic<bool> unresolved_ = false;  ///< the tiles of some group
  PathResult result_;
};

}  // namespace tessera::planner
