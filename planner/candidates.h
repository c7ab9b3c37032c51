// Candidates for the partition search: groups of ops, tiled, placed and simulated, once per
// distinct query. Private to planner/.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cost/array_memo.h"
#include "cost/channel_use.h"
#include "engine/engine.h"
#include "model/poll.h"
#include "model/shared_work.h"
#include "planner/effort.h"
#include "planner/open.h"
#include "planner/option.h"
#include "planner/plan_memory.h"
#include "planner/shapes.h"
#include "search/tiles/tile_search.h"
#include "tessera/effort.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"
#include "tiling/subgraph.h"

namespace tessera::planner {

struct CandidateParams {
  std::int64_t nodes_per_question = nodes_per_plan_question;
  std::string engine = "auto";                    ///< of placement queries
  std::chrono::nanoseconds time_per_question{0};  ///< 0: no limit
  std::uint64_t seed = 0;
  Budget budget;  ///< of the whole plan
  /// The memory outlives this plan: Candidates copies the network data that the memory refers to.
  bool keep_geometry = false;
  std::vector<TensorIndex> stays{};  ///< resident over all cut points (tiling::make_subgraph())
};

/// Parameters of the search for cheaper tiles.
struct ShapeGoal {
  std::function<double(const Metrics&)> score;  ///< monotone; infinite for metrics that are not
                                                ///< allowed
  std::string key;                              ///< key of all inputs of `score`
  std::int64_t most_shapes = 0;                 ///< per variant
  /// Stages in order: plain variants, variants with one copy of some buffers, reductions in parts,
  /// pipelined stages, and direct off-chip access by compute engines.
  enum class Stage : std::uint8_t { plain, one_copies, reductions, side_by_side, direct };
  Stage last = Stage::plain;
  bool alone = false;  ///< skip the stages before the last
};

/// A tiling of a group that has not been placed.
struct Tiling {
  TileVariant variant;
  tiling::TileShape shape;
  Metrics least;  ///< lower bound of its cost and peak load
};

/// Tilings of one variant with a common lower bound of cost and peak load.
struct TilingGroup {
  TileVariant variant;
  search::ShapeGroup group;
  Metrics least;
};

struct TilingGroups {
  std::vector<TilingGroup> groups;
  /// Tilings in none of the groups score no less than this; infinite: they are of no use.
  double open = std::numeric_limits<double>::infinity();
};

struct CandidateCounts {
  std::int64_t solved = 0;  ///< all efforts on one group count once
  std::int64_t reused = 0;  ///< answered earlier, by this object or for another capacity
  std::int64_t infeasible = 0;
  std::int64_t unknown = 0;
  std::int64_t shapes = 0;  ///< evaluated by refine()
};

/// A short text for keys.
[[nodiscard]] std::string variant_word(const TileVariant& variant);

/// `begin` is the key without the shape.
[[nodiscard]] std::string shape_key(const std::string& begin, const tiling::TileShape& shape);

/// Thread-safe.
class Candidates {
 public:
  /// require: all outlive the candidates.
  Candidates(const Network& network, const Hardware& hardware, CandidateParams params,
             std::shared_ptr<PlanMemory> memory);
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;
  /// The answer for a group. Effort 0 is the least; a higher effort resolves more of an answer that
  /// is not final.
  [[nodiscard]] std::shared_ptr<const CandidateAnswer> answer(OpRange ops, int effort = 0);
  /// Searches cheaper tiles of the group, up to most_shapes of each variant, and adds them to later
  /// answers. New options follow the existing ones, whose positions do not change. True if there
  /// are new options. Threads of `shared` help.
  bool refine(OpRange ops, const ShapeGoal& goal, SharedWork* shared = nullptr);
  using ScoreOf = std::function<double(const Metrics&)>;
  /// All tilings of the group in any variant that may score less than `below`. The group is
  /// answered first.
  [[nodiscard]] TilingGroups tiling_groups(OpRange ops, const ScoreOf& score, double below);
  /// Tilings in the groups that may score less than `below` and whose loads fit. Nothing if that
  /// takes more than `most` evaluations or a limit is met. `most` is reduced by the evaluations
  /// made.
  [[nodiscard]] std::optional<std::vector<Tiling>> tilings_in(std::span<const TilingGroup> groups,
                                                              OpRange ops, const ScoreOf& score,
                                                              double below, std::int64_t& most);
  /// Places a tiling with a peak of at most `most_peak`: the option's position in the answer, or
  /// the status of the failure.
  struct Placed {
    Status status = Status::unknown;
    std::size_t option = 0;
  };
  [[nodiscard]] Placed place(OpRange ops, const Tiling& tiling, Size most_peak);
  /// The current answer and its effort, without a search; null if there is none.
  [[nodiscard]] std::pair<std::shared_ptr<const CandidateAnswer>, int> known(OpRange ops) const;
  /// A short word for the structure of a group. Groups with the same structure share one answer.
  [[nodiscard]] std::string structure_of(OpRange ops) const;
  [[nodiscard]] CandidateCounts counts() const;
  /// Names of the tensors that the group keeps on chip, and of those resident during the group.
  [[nodiscard]] std::vector<std::string> kept(OpRange ops) const;
  [[nodiscard]] const std::vector<std::optional<OpIndex>>& readers() const { return readers_; }
  /// Some answer is less precise because memory ran out.
  [[nodiscard]] bool ran_out_of_memory() const { return out_of_memory_; }

 private:
  struct Known {
    std::shared_ptr<const CandidateAnswer> answer;
    /// The answer before refine(), from which known results of refine() follow; empty before
    /// refine().
    std::shared_ptr<const CandidateAnswer> fewest;
    int effort = -1;
    int level = -1;  ///< of planner/effort.h
  };
  /// Empty before the first query.
  [[nodiscard]] Known known_of(OpRange ops) const;
  /// The known answer, marked as final.
  [[nodiscard]] static Known given_up(const Known& known);
  [[nodiscard]] static Known with_cheaper_of(const Known& known, Known next);
  [[nodiscard]] Known more(OpRange ops, const Known& known, bool& searched);
  /// Inputs of more(): the level, the structure and the key of the answer.
  struct Step;
  [[nodiscard]] Step next_step(OpRange ops, const Known& known) const;
  [[nodiscard]] CandidateAnswer make(OpRange ops, const Known& known, const Step& step,
                                     bool& searched) const;
  [[nodiscard]] tiling::Subgraph part_of(OpRange ops) const;
  [[nodiscard]] std::shared_ptr<RunGeometry> new_run(OpRange ops) const;
  [[nodiscard]] std::shared_ptr<RunGeometry> geometry_of(OpRange ops,
                                                         const std::string& structure) const;
  void keep(const std::string& structure, const std::shared_ptr<RunGeometry>& run) const;
  /// Lower bounds of the cost per shape; exact costs if cost_key_ is not empty.
  [[nodiscard]] ByKey<KnownCost>& known_costs() const {
    return of_machine_ ? of_machine_->costs : memory_->costs();
  }
  [[nodiscard]] ByKey<KnownLoad>& known_loads() const {
    return of_machine_ ? of_machine_->loads : memory_->loads();
  }
  [[nodiscard]] std::string cost_key_of(const std::string& structure,
                                        const TileVariant& options) const;
  [[nodiscard]] KnownCost cost_of(RunGeometry& run, tiling::TileGeometry& geometry,
                                  const TileVariant& options, const tiling::TileShape& shape,
                                  Poll& poll) const;
  [[nodiscard]] KnownShapes known_shapes(const std::string& structure,
                                         const TileVariant& options) const;
  /// A group with a reduction in parts, and its structure for keys.
  struct Reduced {
    std::int64_t parts = 1;
    RunGeometry* run = nullptr;
    std::string structure;
  };
  /// The group for a variant: the group with the reduction in parts if the variant has one.
  [[nodiscard]] Reduced in_variant(RunGeometry& run, const std::string& structure,
                                   const TileVariant& variant) const;
  /// Parameters common to all shape searches of the group in a variant; all arguments outlive it.
  [[nodiscard]] ShapeSearchParams shape_params(RunGeometry& run, const std::string& structure,
                                               const TileVariant& options,
                                               tiling::TileGeometry& geometry, Poll& poll) const;
  /// Calls what(run, structure, variant, fewest) for all variants allowed for the group.
  template <typename What>
  void for_each_way(RunGeometry& run, const std::string& structure, const CandidateAnswer& answer,
                    const What& what) const;
  /// Calls what(run, structure, answer) with the fewest-tile answer of a group. 0 if the group has
  /// no answer or a limit is met.
  template <typename What>
  [[nodiscard]] double of_answered(OpRange ops, const What& what) const;
  /// Calls what() for each variant in which cheaper tiles than those of the answer may exist, with
  /// the minimum number of tiles that may fit.
  template <typename What>
  void for_each_variant(const std::vector<TileVariant>& variants, const CandidateAnswer& answer,
                        const What& what) const;
  [[nodiscard]] std::shared_ptr<const CandidateAnswer> cheaper_of(const std::string& structure,
                                                                  OpRange ops, int level,
                                                                  const CandidateAnswer& fewest,
                                                                  const ShapeGoal& goal,
                                                                  SharedWork* shared);
  /// Only the options of the goal's last stage that are cheaper than those of the answer.
  [[nodiscard]] CandidateAnswer cheaper(RunGeometry& run, const std::string& structure,
                                        const CandidateAnswer& answer, const ShapeGoal& goal,
                                        SharedWork* shared) const;
  [[nodiscard]] CandidateAnswer cheaper_past_the_chip(RunGeometry& run,
                                                      const std::string& structure,
                                                      const CandidateAnswer& answer,
                                                      const ShapeGoal& goal, double least,
                                                      SharedWork* shared) const;
  [[nodiscard]] CandidateAnswer cheaper_in_parts(RunGeometry& run, const std::string& structure,
                                                 const CandidateAnswer& answer,
                                                 const ShapeGoal& goal, double least,
                                                 SharedWork* shared) const;
  /// The reductions in parts that the machine allows, fewest parts first.
  [[nodiscard]] std::vector<Reduced> reduced(RunGeometry& run, const std::string& structure) const;
  class CheaperVariants;
  [[nodiscard]] CandidateAnswer make_answer(RunGeometry& run, const std::string& structure,
                                            int level, const CandidateAnswer* before,
                                            bool& searched) const;
  /// One group with one effort.
  struct Question {
    RunGeometry& run;
    const std::string& structure;
    Effort effort;
  };
  void look_at_variants(const Question& question, const std::vector<TileVariant>& variants,
                        const CandidateAnswer* before, CandidateAnswer& answer,
                        bool& searched) const;
  [[nodiscard]] CandidateAnswer::Tried look(const Question& question, const TileVariant& options,
                                            std::int64_t fewest, CandidateAnswer& answer,
                                            bool& searched) const;
  /// Null if boxes are not products of axis ranges. Independent of the capacity.
  [[nodiscard]] std::shared_ptr<const cost::GridBound> grid_bound(const Question& question) const;
  /// A number of tiles from which every tiling is too expensive for the effort, and a lower bound
  /// of its cost.
  struct TooMany {
    std::int64_t tiles = 0;
    Metrics least;
  };
  /// Nothing if no number of tiles is known to be too many. `least` is the bound for that number,
  /// or for `fewest` if that is larger.
  [[nodiscard]] std::optional<TooMany> too_many(const Question& question,
                                                const TileVariant& options,
                                                std::int64_t fewest) const;
  /// Transfers results of easier variants, among them results for other capacities. True if they
  /// decide the variant.
  static bool follows_from_easier(const TileVariant& variant, CandidateAnswer& answer,
                                  std::int64_t& fewest);
  /// find_tile(), or its result remembered for a machine with the same memories. `most_tiles` is
  /// called only if one tile does not fit.
  [[nodiscard]] search::TileSearchResult search_tile(
      const Question& question, tiling::TileGeometry& geometry, const TileVariant& options,
      std::int64_t fewest, const std::function<std::int64_t()>& most_tiles) const;
  void settle(search::TileSearchResult& found, tiling::TileGeometry& geometry,
              const search::TileSearchParams& asked) const;
  [[nodiscard]] std::string tile_key(const Question& question, const TileVariant& options) const;
  [[nodiscard]] PlannedSubgraph option_of(const Question& question, tiling::TileGeometry& geometry,
                                          const TileVariant& options,
                                          search::TileSearchResult found, Poll& poll) const;
  void complete(search::TileSearchResult& found, tiling::TileGeometry& geometry,
                const TileVariant& options) const;
  [[nodiscard]] bool recalled(search::TileSearchResult& found, tiling::TileGeometry& geometry,
                              const TileVariant& options) const;
  /// Transfers the result of a lower effort for a variant. True if more effort would not change it.
  static bool carry_over(const TileVariant& variant, const CandidateAnswer* before,
                         CandidateAnswer& answer, std::int64_t& fewest);
  [[nodiscard]] CandidateAnswer::Tried outcome(const tiling::TileSpace& space,
                                               const TileVariant& variant,
                                               const search::TileSearchResult& found,
                                               std::int64_t fewest, std::int64_t most_tiles) const;
  void add_open(CandidateAnswer& answer, tiling::TileGeometry& geometry,
                const search::TileSearchResult& found) const;

  std::shared_ptr<const Network> kept_network_;
  const Network& network_;
  const Hardware& hardware_;
  Hardware cheapest_;
  std::shared_ptr<cost::ArrayMemo> arrays_;           ///< of hardware_
  std::shared_ptr<cost::ArrayMemo> cheapest_arrays_;  ///< of cheapest_
  std::string array_key_;                             ///< of cheapest_
  CandidateParams params_;
  std::shared_ptr<PlanMemory> memory_;
  std::shared_ptr<NetworkRuns> runs_;
  std::string hardware_key_;
  std::string placement_key_;  ///< the part of it that tiles depend on
  std::string engine_name_;    ///< of tile_engine()
  /// hardware_key_ without the capacity, if the capacity is a plain number; else empty.
  std::string capacity_free_key_;
  std::optional<MemoryIndex> plain_;  ///< the only on-chip memory, if its capacity is a plain
                                      ///< number
  Size capacity_ = 0;                 ///< of that memory
  std::string load_key_;              ///< key of that memory without the capacity; empty like
                                      ///< capacity_free_key_
  std::string cost_key_;  ///< key of the machine if costs are shared for all capacities; else empty
  std::shared_ptr<KnownOfMachine> of_machine_;  ///< if costs are not shared for all capacities
  std::vector<std::optional<OpIndex>> readers_;
  cost::ChannelUse channel_use_;
  mutable std::mutex lock_;
  std::map<std::pair<OpIndex, OpIndex>, Known> of_run_;
  CandidateCounts counts_;
  mutable std::atomic<std::int64_t> shapes_ = 0;
  mutable std::atomic<bool> out_of_memory_ = false;  ///< observed or expected
};

template <typename What>
void Candidates::for_each_variant(const std::vector<TileVariant>& variants,
                                  const CandidateAnswer& answer, const What& what) const {
  for (const TileVariant& options : variants) {
    std::int64_t fewest = 1;
    bool none = false;
    for (const CandidateAnswer::Tried& other : answer.tried) {
      if (other.variant != options && !easier(other.variant, options)) continue;
      none = none || (other.decided && !other.option);
      fewest = std::max(fewest, other.none_below);
    }
    if (!none) what(options, fewest);
  }
}

template <typename What>
double Candidates::of_answered(OpRange ops, const What& what) const {
  Known known;
  {
    const std::lock_guard guard(lock_);
    const auto at = of_run_.find({ops.first, ops.last});
    if (at == of_run_.end() || !at->second.answer) return 0;
    known = at->second;
  }
  const std::string structure = structure_of(ops);
  const std::shared_ptr<RunGeometry> run = geometry_of(ops, structure);
  const std::lock_guard guard(run->lock);
  try {
    const double told = what(*run, structure, known.fewest ? *known.fewest : *known.answer);
    keep(structure, run);
    return told;
  } catch (const BudgetEnded&) {
    return 0;
  }
}

}  // namespace tessera::planner
