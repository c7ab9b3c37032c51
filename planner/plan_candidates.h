// What each run of ops offers the cover: tiled, placed and simulated, once per distinct question.
// Private to planner/.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cost/array_memo.h"
#include "cost/channel_use.h"
#include "cost/grid_bound.h"
#include "engine/engine.h"
#include "planner/plan_effort.h"
#include "planner/tile_memo.h"
#include "search/tiles/tile_search.h"
#include "tessera/effort.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"
#include "tiling/subgraph.h"

namespace tessera {

struct CandidateAnswer {
  /// One per variant that fits, without ops and names, which differ where structure is shared.
  std::vector<PlannedSubgraph> options;
  /// Bounds of what tile shapes with a question left open would cost.
  std::vector<Metrics> open;
  /// What tiles nobody looked at score at least, where cheaper ones were looked for (refine()).
  double open_score = std::numeric_limits<double>::infinity();
  bool open_beyond = false;  ///< and there are more of them, of which nothing is known
  bool undecided = false;    ///< a limit left some of them open
  bool dear = false;         ///< some of `open` are bounds of tiles too dear to look for yet
  bool final = true;         ///< more effort would not be made
  bool cut_short = false;    ///< the limits of whoever made it ended it: others may know more
  /// The variants that were tried, for answers with other capacities.
  struct Tried {
    LoweringOptions variant;
    bool decided = true;
    std::optional<std::size_t> option;  ///< index; nothing where it is decided: no tile fits
    std::int64_t none_below = 1;        ///< shapes with fewer tiles do not fit
    Size headroom = 0;  ///< the capacity can grow by so much before a shape before could fit
    Size lacking = 0;
  };
  std::vector<Tried> tried;

  [[nodiscard]] bool complete() const { return open.empty() && !open_beyond; }
};

/// A run's geometry, which does not depend on the machine.
struct RunGeometry {
  std::shared_ptr<const Network> network;
  Subgraph part;
  std::map<HaloPolicy, TileGeometry> of_halo;
  std::mutex lock;  ///< held while it is used
};

class PlanMemory {
 public:
  using Answer = std::shared_ptr<const CandidateAnswer>;
  /// Exact: a plan is the same to the byte with it and without. Else a tile's placement may be one
  /// that was made for another capacity, which fits as well and takes no time, but may be higher.
  explicit PlanMemory(bool exact = false) : exact_(exact) {}
  [[nodiscard]] bool exact() const { return exact_; }
  [[nodiscard]] TileMemo& tiles() { return tiles_; }
  /// A short word for a long one, the same for the same, that begins no other.
  [[nodiscard]] std::string short_for(const std::string& text) {
    const std::lock_guard guard(lock_);
    const auto word = words_.try_emplace(text, words_.size()).first;
    return std::to_string(word->second) + ' ';
  }

  /// The answer of this key; `make` is called by the first who asks, others wait for it.
  template <typename Make>
  Answer get(const std::string& key, bool& fresh, const Make& make) {
    std::promise<Answer> mine;
    std::shared_future<Answer> answer;
    {
      const std::lock_guard guard(lock_);
      const auto [entry, is_new] = answers_.try_emplace(key);
      if (is_new) entry->second = mine.get_future().share();
      answer = entry->second;
      fresh = is_new;
    }
    if (fresh) {
      try {
        mine.set_value(std::make_shared<const CandidateAnswer>(make()));
      } catch (...) {
        mine.set_exception(std::current_exception());
      }
    }
    return answer.get();
  }
  /// The geometry kept for this structure; nothing if none is.
  [[nodiscard]] std::shared_ptr<RunGeometry> geometry(const std::string& structure) {
    const std::lock_guard guard(lock_);
    const auto known = geometries_.find(structure);
    return known == geometries_.end() ? nullptr : known->second;
  }
  void keep(const std::string& structure, std::shared_ptr<RunGeometry> geometry) {
    const std::lock_guard guard(lock_);
    geometries_.emplace(structure, std::move(geometry));
  }

  /// What the run costs in many tiles; made by whoever asks first (twice, if two do at once).
  template <typename Make>
  std::shared_ptr<const GridBound> bound(const std::string& key, const Make& make) {
    {
      const std::lock_guard guard(lock_);
      const auto known = bounds_.find(key);
      if (known != bounds_.end()) return known->second;
    }
    std::shared_ptr<const GridBound> made = make();
    const std::lock_guard guard(lock_);
    return bounds_.emplace(key, std::move(made)).first->second;
  }

  /// An answer that a limit cut short is not worth remembering. Somebody may have made another one
  /// by now.
  void forget(const std::string& key, const Answer& answer) {
    const std::lock_guard guard(lock_);
    const auto known = answers_.find(key);
    if (known == answers_.end() ||
        known->second.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return;
    if (known->second.get() == answer) answers_.erase(known);
  }
  /// Everything that is about this machine alone (hardware_key.h), which is not asked about again.
  /// What others can use stays.
  void drop(const std::string& hardware_key) {
    const std::string machine = short_for(hardware_key);
    const std::lock_guard guard(lock_);
    const auto drop_from = [&](auto& map) {
      auto at = map.lower_bound(machine);
      while (at != map.end() && at->first.starts_with(machine)) at = map.erase(at);
    };
    drop_from(answers_);
    drop_from(bounds_);
  }
  /// What is quickly made again goes first: how tiles cut a run, and what it costs at least. With
  /// `all` what tile searches found goes as well. Plans under way keep what they hold.
  void shrink(bool all) {
    {
      const std::lock_guard guard(lock_);
      geometries_.clear();
      bounds_.clear();
    }
    if (all) tiles_.clear();
  }
  /// Answers by their question without the capacity, for other capacities.
  void note(const std::string& question, Size capacity, Answer answer) {
    const std::lock_guard guard(lock_);
    of_capacity_[question].emplace_back(capacity, std::move(answer));
  }
  [[nodiscard]] std::vector<std::pair<Size, Answer>> noted(const std::string& question) {
    const std::lock_guard guard(lock_);
    const auto known = of_capacity_.find(question);
    return known == of_capacity_.end() ? std::vector<std::pair<Size, Answer>>{} : known->second;
  }

 private:
  bool exact_;
  TileMemo tiles_;
  std::mutex lock_;
  std::map<std::string, std::size_t> words_;
  std::map<std::string, std::shared_future<Answer>> answers_;
  std::map<std::string, std::vector<std::pair<Size, Answer>>> of_capacity_;
  std::map<std::string, std::shared_ptr<RunGeometry>> geometries_;
  std::map<std::string, std::shared_ptr<const GridBound>> bounds_;
};

struct CandidateParams {
  std::int64_t nodes_per_question = nodes_per_plan_question;
  std::uint64_t seed = 0;
  Budget budget;  ///< of the whole plan
  /// The memory outlives this plan: what it needs of the network it gets as a copy.
  bool keep_geometry = false;
};

/// What cheaper tiles are looked for with.
struct ShapeGoal {
  std::function<double(const Metrics&)> score;  ///< monotone; infinite for what is not allowed
  std::string key;                              ///< what it depends on
  std::int64_t most_shapes = 0;                 ///< of each variant
};

struct CandidateCounts {
  std::int64_t solved = 0;  ///< efforts on one run count once
  std::int64_t reused = 0;  ///< answered before, here or for another capacity
  std::int64_t infeasible = 0;
  std::int64_t unknown = 0;
  std::int64_t shapes = 0;  ///< costed by refine()
};

/// Thread-safe.
class Candidates {
 public:
  /// require: all outlive the candidates.
  Candidates(const Network& network, const Hardware& hardware, CandidateParams params,
             std::shared_ptr<PlanMemory> memory);
  /// The answer for a run: 0 is the least effort, each number more tells more where it is not
  /// final.
  [[nodiscard]] std::shared_ptr<const CandidateAnswer> answer(OpRange ops, int effort = 0);
  /// From now on answer() has cheaper tiles of the run, too, as far as so many shapes of each
  /// variant tell: options more, after those there are, whose positions stay what they were. Are
  /// there any? None where more effort on the run was not asked for yet.
  bool refine(OpRange ops, const ShapeGoal& goal);
  [[nodiscard]] CandidateCounts counts() const;
  /// Some answer says less than it might with more memory.
  [[nodiscard]] bool ran_out_of_memory() const { return out_of_memory_; }

 private:
  struct Known {
    std::shared_ptr<const CandidateAnswer> answer;
    /// The answer before refine(), which what refine() remembers follows from; empty before it.
    std::shared_ptr<const CandidateAnswer> fewest;
    int effort = -1;
    int level = -1;  ///< of planner/plan_effort.h
  };
  /// Shapes with fewer tiles do not fit, nor would they with so much more capacity.
  struct Fewest {
    std::int64_t tiles = 1;
    Size headroom = std::numeric_limits<Size>::max() / 4;
    void raise(std::int64_t least, Size room) {
      if (least > tiles || (least == tiles && room > headroom)) *this = {least, room};
    }
  };
  using OfCapacity = std::vector<std::pair<Size, PlanMemory::Answer>>;
  /// What is known, and that nobody will know more.
  [[nodiscard]] static Known given_up(const Known& known);
  [[nodiscard]] Known more(OpRange ops, const Known& known, bool& searched);
  [[nodiscard]] std::shared_ptr<RunGeometry> new_run(OpRange ops) const;
  /// The options that are cheaper than those of the answer, and no others.
  [[nodiscard]] CandidateAnswer cheaper(RunGeometry& run, const std::string& structure,
                                        const CandidateAnswer& answer, const ShapeGoal& goal) const;
  [[nodiscard]] CandidateAnswer make_answer(RunGeometry& run, const std::string& structure,
                                            int level, const OfCapacity& others,
                                            bool& searched) const;
  /// Of one run, with one effort.
  struct Question {
    RunGeometry& run;
    const std::string& structure;
    Effort effort;
  };
  [[nodiscard]] CandidateAnswer::Tried look(const Question& question,
                                            const LoweringOptions& options, const Fewest& fewest,
                                            CandidateAnswer& answer, bool& searched) const;
  /// Nothing where boxes are no products. The capacity does not matter to it.
  [[nodiscard]] std::shared_ptr<const GridBound> grid_bound(const Question& question) const;
  /// From so many tiles on every tiling is known to be too dear for the effort: what it costs.
  struct TooMany {
    std::int64_t tiles = 0;
    Metrics least;
  };
  /// At least `fewest`; nothing where no number is known to be too many.
  [[nodiscard]] std::optional<TooMany> too_many(const Question& question, WeightPolicy weights,
                                                std::int64_t fewest) const;
  /// What the easier variants say about one, and what answers for other capacities do: true where
  /// it is all there is to say.
  static bool follows_from_easier(const LoweringOptions& variant, CandidateAnswer& answer,
                                  Fewest& fewest);
  /// find_tile(), or what a machine with the same memories made of it. `most_tiles` is asked where
  /// one tile does not do.
  [[nodiscard]] TileSearchResult search_tile(const Question& question, TileGeometry& geometry,
                                             const LoweringOptions& options, std::int64_t fewest,
                                             const std::function<std::int64_t()>& most_tiles) const;
  void settle(TileSearchResult& found, TileGeometry& geometry, const TileSearchParams& asked) const;
  [[nodiscard]] bool recalled(TileSearchResult& found, TileGeometry& geometry,
                              const LoweringOptions& options) const;
  bool carry_over(const LoweringOptions& variant, const OfCapacity& others, CandidateAnswer& answer,
                  Fewest& fewest) const;
  [[nodiscard]] CandidateAnswer::Tried outcome(const TileSpace& space,
                                               const LoweringOptions& variant,
                                               const TileSearchResult& found, const Fewest& fewest,
                                               std::int64_t most_tiles) const;
  void add_open(CandidateAnswer& answer, TileGeometry& geometry,
                const TileSearchResult& found) const;

  std::shared_ptr<const Network> kept_network_;
  const Network& network_;
  const Hardware& hardware_;
  Hardware cheapest_;
  mutable ArrayMemo arrays_;           ///< of hardware_
  mutable ArrayMemo cheapest_arrays_;  ///< of cheapest_
  CandidateParams params_;
  std::shared_ptr<PlanMemory> memory_;
  std::string hardware_key_;
  std::string placement_key_;  ///< the part of it that tiles depend on
  std::string engine_name_;    ///< of tile_engine()
  /// The same without the capacity, where it is a plain number; empty: it is not.
  std::string capacity_free_key_;
  std::optional<MemoryIndex> plain_;  ///< of the hardware: the only memory on the chip
  Size capacity_ = 0;                 ///< of that memory
  std::vector<std::optional<OpIndex>> readers_;
  ChannelUse channel_use_;
  mutable std::mutex lock_;
  std::map<std::pair<OpIndex, OpIndex>, Known> of_run_;
  CandidateCounts counts_;
  mutable std::atomic<std::int64_t> shapes_ = 0;
  mutable std::atomic<bool> out_of_memory_ = false;  ///< seen or foreseen
};

}  // namespace tessera
