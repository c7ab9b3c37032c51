// What each run of ops offers the cover: tiled, placed and simulated, once per distinct question.
// Private to planner/.
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
  /// The memory outlives this plan: what it needs of the network it gets as a copy.
  bool keep_geometry = false;
  std::vector<TensorIndex> stays{};  ///< on the chip, over all cuts (tiling::make_subgraph())
  SharedWork* shared = nullptr;      ///< what answers take is shared with whoever has time
};

/// What cheaper tiles are looked for with.
struct ShapeGoal {
  std::function<double(const Metrics&)> score;  ///< monotone; infinite for what is not allowed
  std::string key;                              ///< what it depends on
  std::int64_t most_shapes = 0;                 ///< of each variant
  /// After all the others what has one copy is looked at as well, then sums in parts, then engines
  /// side by side, and at last what an engine may read and write off the chip itself.
  enum class Stage : std::uint8_t { plain, one_copies, reductions, side_by_side, direct };
  Stage last = Stage::plain;
  bool alone = false;  ///< none of those before the last
};

/// A tiling of a run that nobody placed yet.
struct Tiling {
  TileVariant variant;
  tiling::TileShape shape;
  Metrics least;  ///< what it costs, and loads, at least
};

/// Many of one variant, and what any of them costs and loads at least.
struct TilingGroup {
  TileVariant variant;
  search::ShapeGroup group;
  Metrics least;
};

struct TilingGroups {
  std::vector<TilingGroup> groups;
  /// What is in none of them scores no less than this; infinite: it is of no use.
  double open = std::numeric_limits<double>::infinity();
};

struct CandidateCounts {
  std::int64_t solved = 0;  ///< efforts on one run count once
  std::int64_t reused = 0;  ///< answered before, here or for another capacity
  std::int64_t infeasible = 0;
  std::int64_t unknown = 0;
  std::int64_t shapes = 0;  ///< costed by refine()
};

/// In a few letters, for keys.
[[nodiscard]] std::string variant_word(const TileVariant& variant);

/// `begin` is all of the key but the shape.
[[nodiscard]] std::string shape_key(const std::string& begin, const tiling::TileShape& shape);

/// Thread-safe.
class Candidates {
 public:
  /// require: all outlive the candidates.
  Candidates(const Network& network, const Hardware& hardware, CandidateParams params,
             std::shared_ptr<PlanMemory> memory);
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;
  ~Candidates();
  /// The answer for a run: 0 is the least effort, each number more tells more where it is not
  /// final.
  [[nodiscard]] std::shared_ptr<const CandidateAnswer> answer(OpRange ops, int effort = 0);
  /// What answer() will say, which then takes no time: changes nothing else. Null where that is no
  /// use, as somebody made it already or is just at it.
  [[nodiscard]] std::shared_ptr<const CandidateAnswer> ahead(OpRange ops, int effort);
  /// Would answer() wait for somebody else, who is just finding out the same?
  [[nodiscard]] bool under_way(OpRange ops, int effort) const;
  /// From now on answer() has cheaper tiles of the run, too, as far as so many shapes of each
  /// variant tell: options more, after those there are, whose positions stay what they were. Are
  /// there any? Whoever shares the work helps with it.
  bool refine(OpRange ops, const ShapeGoal& goal, SharedWork* shared = nullptr);
  /// No tiles of the run score less, however many there are and whatever shape they have, than
  /// this, which follows from how many have to be made, or this, from how many along each axis.
  /// 0 where nothing is known; infinite where all others are no better than the answer's.
  using ScoreOf = std::function<double(const Metrics&)>;
  [[nodiscard]] double least_score(OpRange ops, const ScoreOf& score) const;
  [[nodiscard]] double least_score_of_shapes(OpRange ops, const ScoreOf& score,
                                             SharedWork* shared = nullptr) const;
  /// No tiling of the run in any variant there is scores less, stages of refine() among them; 0
  /// where nothing is known. The run is answered first.
  [[nodiscard]] double least_of_all(OpRange ops, const ScoreOf& score);
  /// All tilings of the run in any variant that may score less than `below`. The run is answered
  /// first.
  [[nodiscard]] TilingGroups tiling_groups(OpRange ops, const ScoreOf& score, double below);
  /// Those in the groups that may score less than `below` and whose loads fit. Nothing where more
  /// than `most` have to be looked at for it, or a limit is met; `most` is what is left of it.
  [[nodiscard]] std::optional<std::vector<Tiling>> tilings_in(std::span<const TilingGroup> groups,
                                                              OpRange ops, const ScoreOf& score,
                                                              double below, std::int64_t& most);
  /// Places it in so much of the memory: the option's position in the answer, or why there is none.
  struct Placed {
    Status status = Status::unknown;
    std::size_t option = 0;
  };
  [[nodiscard]] Placed place(OpRange ops, const Tiling& tiling, Size most_peak);
  /// What was answered so far, and with which effort, without work: null where nothing was.
  [[nodiscard]] std::pair<std::shared_ptr<const CandidateAnswer>, int> known(OpRange ops) const;
  /// The structure of a run, in a short word: those with the same are answered once.
  [[nodiscard]] std::string structure_of(OpRange ops) const;
  [[nodiscard]] CandidateCounts counts() const;
  /// What the run keeps on the chip, and what waits there meanwhile, by their names.
  [[nodiscard]] std::vector<std::string> kept(OpRange ops) const;
  [[nodiscard]] const std::vector<std::optional<OpIndex>>& readers() const { return readers_; }
  /// Some answer says less than it might with more memory.
  [[nodiscard]] bool ran_out_of_memory() const { return out_of_memory_; }

 private:
  struct Known {
    std::shared_ptr<const CandidateAnswer> answer;
    /// The answer before refine(), which what refine() remembers follows from; empty before it.
    std::shared_ptr<const CandidateAnswer> fewest;
    int effort = -1;
    int level = -1;  ///< of planner/effort.h
  };
  /// Empty where nothing was asked yet.
  [[nodiscard]] Known known_of(OpRange ops) const;
  /// What is known, and that nobody will know more.
  [[nodiscard]] static Known given_up(const Known& known);
  [[nodiscard]] static Known with_cheaper_of(const Known& known, Known next);
  [[nodiscard]] Known more(OpRange ops, const Known& known, bool& searched);
  /// What more() has to make, and what was known when it did.
  struct Step;
  [[nodiscard]] Step next_step(OpRange ops, const Known& known) const;
  [[nodiscard]] CandidateAnswer make(OpRange ops, const Known& known, const Step& step,
                                     MadeAhead::Tiles* aside, bool& searched) const;
  [[nodiscard]] search::TileSearchParams::Together together(RunGeometry& run,
                                                            HaloPolicy halo) const;
  [[nodiscard]] std::shared_ptr<const CandidateAnswer> take_ahead(const std::string& key,
                                                                  bool& searched);
  [[nodiscard]] tiling::Subgraph part_of(OpRange ops) const;
  [[nodiscard]] std::shared_ptr<RunGeometry> new_run(OpRange ops) const;
  [[nodiscard]] std::shared_ptr<RunGeometry> geometry_of(OpRange ops,
                                                         const std::string& structure) const;
  void keep(const std::string& structure, const std::shared_ptr<RunGeometry>& run) const;
  /// What tiles of shapes cost at least, or do cost where cost_key_ is not empty.
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
  /// A run with the sums of a product in parts, and what it is in keys.
  struct Reduced {
    std::int64_t parts = 1;
    RunGeometry* run = nullptr;
    std::string structure;
  };
  /// The run that a variant is of: in parts, if that makes them.
  [[nodiscard]] Reduced in_variant(RunGeometry& run, const std::string& structure,
                                   const TileVariant& variant) const;
  /// What is the same for whoever looks at shapes of the run in a variant; all outlive it.
  [[nodiscard]] ShapeSearchParams shape_params(RunGeometry& run, const std::string& structure,
                                               const TileVariant& options,
                                               tiling::TileGeometry& geometry, Poll& poll) const;
  /// Tells what(run, structure, variant, fewest) of all variants that the run may be in.
  template <typename What>
  void for_each_way(RunGeometry& run, const std::string& structure, const CandidateAnswer& answer,
                    const What& what) const;
  /// Asks what(run, structure, answer) of a run that was answered, of the fewest tiles; 0 where it
  /// was not, or where a limit is met.
  template <typename What>
  [[nodiscard]] double of_answered(OpRange ops, const What& what) const;
  /// Those of the variants in which tiles of the run may be cheaper than those of the answer, with
  /// the fewest tiles that might fit: what() is told of each.
  template <typename What>
  void for_each_variant(const std::vector<TileVariant>& variants, const CandidateAnswer& answer,
                        const What& what) const;
  [[nodiscard]] std::shared_ptr<const CandidateAnswer> cheaper_of(const std::string& structure,
                                                                  OpRange ops, int level,
                                                                  const CandidateAnswer& fewest,
                                                                  const ShapeGoal& goal,
                                                                  SharedWork* shared);
  /// The options that are cheaper than those of the answer, and no others.
  /// Of the goal's last stage alone.
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
  /// Those that the machine may be asked to make, the fewest parts first.
  [[nodiscard]] std::vector<Reduced> reduced(RunGeometry& run, const std::string& structure) const;
  class CheaperVariants;
  [[nodiscard]] CandidateAnswer make_answer(RunGeometry& run, const std::string& structure,
                                            int level, const CandidateAnswer* before,
                                            MadeAhead::Tiles* aside, bool& searched) const;
  /// Of one run, with one effort.
  struct Question {
    RunGeometry& run;
    const std::string& structure;
    Effort effort;
    MadeAhead::Tiles* aside = nullptr;  ///< gets what the memory would
  };
  void look_at_variants(const Question& question, const std::vector<TileVariant>& variants,
                        const CandidateAnswer* before, CandidateAnswer& answer,
                        bool& searched) const;
  [[nodiscard]] CandidateAnswer::Tried look(const Question& question, const TileVariant& options,
                                            std::int64_t fewest, CandidateAnswer& answer,
                                            bool& searched) const;
  /// Nothing where boxes are no products. The capacity does not matter to it.
  [[nodiscard]] std::shared_ptr<const cost::GridBound> grid_bound(const Question& question) const;
  /// From so many tiles on every tiling is known to be too dear for the effort: what it costs.
  struct TooMany {
    std::int64_t tiles = 0;
    Metrics least;
  };
  /// What that number costs at least, or `fewest` where that is more; nothing where no number is
  /// known to be too many.
  [[nodiscard]] std::optional<TooMany> too_many(const Question& question,
                                                const TileVariant& options,
                                                std::int64_t fewest) const;
  /// What the easier variants say about one, and what answers for other capacities do: true where
  /// it is all there is to say.
  static bool follows_from_easier(const TileVariant& variant, CandidateAnswer& answer,
                                  std::int64_t& fewest);
  /// find_tile(), or what a machine with the same memories made of it. `most_tiles` is asked where
  /// one tile does not do.
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
  /// What less effort said about a variant: true where more would say the same.
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
  /// The same without the capacity, where it is a plain number; empty: it is not.
  std::string capacity_free_key_;
  std::optional<MemoryIndex> plain_;  ///< of the hardware: the only memory on the chip
  Size capacity_ = 0;                 ///< of that memory
  std::string load_key_;              ///< of its memory without the capacity; empty as the next
  std::string cost_key_;  ///< of the machine, where costs are shared for all capacities; or empty
  std::shared_ptr<KnownOfMachine> of_machine_;  ///< where they are not
  std::vector<std::optional<OpIndex>> readers_;
  cost::ChannelUse channel_use_;
  mutable std::mutex lock_;
  /// What was made ahead here, whether or not somebody took it.
  std::vector<std::pair<std::string, std::weak_ptr<MadeAhead::One>>> ahead_;
  std::map<std::pair<OpIndex, OpIndex>, Known> of_run_;
  CandidateCounts counts_;
  mutable std::atomic<std::int64_t> shapes_ = 0;
  mutable std::atomic<bool> out_of_memory_ = false;  ///< seen or foreseen
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
