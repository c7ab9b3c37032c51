// What plans share: answers to candidates, and what these follow from. Private to planner/ and
// explorer/.
//
//   const auto memory = std::make_shared<PlanMemory>();
//   const std::string word = memory->short_for(structure_key(part));
//   if (const auto known = memory->costs().find(machine + word + shape)) use(known->metrics);
//
// Keys begin with short words for what they are about. Whatever is kept is what whoever asks would
// find by itself, so that a plan is the same with it and without, and whoever asks first: all but
// its counts of what was there before.
#pragma once

#include <chrono>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/array_memo.h"
#include "cost/computing.h"
#include "cost/grid_bound.h"
#include "model/shared_table.h"
#include "planner/geometry_store.h"
#include "planner/made_ahead.h"
#include "planner/tile_memo.h"
#include "search/tiles/shape_order.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"
#include "tiling/lower.h"
#include "tiling/subgraph.h"

namespace tessera::planner {

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
  /// The variants that were tried, for answers with more effort.
  struct Tried {
    TileVariant variant;
    bool decided = true;
    std::optional<std::size_t> option;  ///< index; nothing where it is decided: no tile fits
    std::int64_t none_below = 1;        ///< shapes with fewer tiles do not fit
  };
  std::vector<Tried> tried;

  [[nodiscard]] bool complete() const { return open.empty() && !open_beyond; }
};

/// A run's geometry, which does not depend on the machine.
struct RunGeometry {
  std::shared_ptr<const Network> network;
  tiling::Subgraph part;
  std::shared_ptr<const tiling::TileSpace> space;  ///< where somebody has asked about it
  std::map<HaloPolicy, tiling::TileGeometry> of_halo;
  std::map<HaloPolicy, search::KnownGroups> groups;
  /// By variant and memories without their capacity, which their problems may have any of.
  std::map<std::string, std::shared_ptr<const tiling::Lowering>> lowerings;
  std::map<std::string, search::FirstLoads> first_loads;  ///< by the same
  /// By engines, halo and how many ops trail.
  std::map<std::string, cost::KnownComputing> computing;
  std::shared_ptr<const cost::GridBound> bound;     ///< on some machine
  std::vector<std::shared_ptr<RunGeometry>> twins;  ///< for whoever helps
  /// The run with the sums of a product in parts, by how many and how wide.
  std::map<std::pair<std::int64_t, Size>, std::shared_ptr<RunGeometry>> reduced;
  std::mutex lock;  ///< held while it is used

  /// A geometry of the same run for one more thread. require: the lock is held by whoever shares
  /// it, who has asked how it is cut.
  [[nodiscard]] RunGeometry& twin(std::size_t number) {
    while (twins.size() <= number) {
      auto fresh = std::make_shared<RunGeometry>();
      fresh->network = network;
      fresh->part = part;
      fresh->space = space;
      twins.push_back(std::move(fresh));  // not before it is whole
    }
    return *twins[number];
  }

  /// What can be cut is the same whatever is kept of the halos, and for all twins.
  [[nodiscard]] const std::shared_ptr<const tiling::TileSpace>& cuts() {
    if (!space) space = std::make_shared<const tiling::TileSpace>(tiling::tile_space(part));
    return space;
  }
  [[nodiscard]] tiling::TileGeometry& with(HaloPolicy halo) {
    const auto known = of_halo.find(halo);
    if (known != of_halo.end()) return known->second;
    return of_halo.try_emplace(halo, part, halo, cuts()).first->second;
  }
};

/// What a run costs in tiles of some shape on a machine with one memory on the chip, where no place
/// costs more than another: the same for every capacity.
struct KnownCost {
  Metrics metrics;  ///< without its peak
  double utilisation = 0;
  std::optional<Size> load{};  ///< bytes alive at the fullest step, where somebody counted them
};

/// For which capacities the loads of all tiles of a shape are within it: from the first of these
/// on, and up to the second they are not. Between them nobody has looked.
struct KnownLoad {
  Size fits_from = std::numeric_limits<Size>::max();
  Size fails_to = -1;
};

/// What tiles of shapes cost at least, and whether their loads fit, on one machine.
struct KnownOfMachine {
  SharedTable<std::string, KnownCost> costs;
  SharedTable<std::string, KnownLoad> loads;
};

/// Structures of the runs of one network, in short words.
class NetworkRuns {
 public:
  template <typename Make>
  std::string word(OpRange ops, const Make& make) {
    {
      const std::lock_guard guard(lock_);
      const auto known = words_.find({ops.first, ops.last});
      if (known != words_.end()) return known->second;
    }
    std::string made = make();
    const std::lock_guard guard(lock_);
    return words_.try_emplace({ops.first, ops.last}, std::move(made)).first->second;
  }

 private:
  std::mutex lock_;
  std::map<std::pair<OpIndex, OpIndex>, std::string> words_;
};

template <typename Value>
using ByKey = SharedTable<std::string, Value>;

}  // namespace tessera::planner

namespace tessera {

class PlanMemory {
 public:
  using Answer = std::shared_ptr<const planner::CandidateAnswer>;
  /// Of how runs are cut it keeps about so many bytes: with fewer it takes longer.
  explicit PlanMemory(std::size_t most_geometry = std::size_t{512} << 20)
      : geometries_(most_geometry) {}
  [[nodiscard]] planner::TileMemo& tiles() { return tiles_; }
  [[nodiscard]] planner::ByKey<planner::KnownCost>& costs() { return costs_; }
  [[nodiscard]] planner::ByKey<planner::KnownLoad>& loads() { return loads_; }
  /// Heights of the tiles that were found, by their question and their shape.
  [[nodiscard]] planner::ByKey<Size>& peaks() { return peaks_; }
  /// Of a machine with this key (hardware_key.h), where nothing is shared for all capacities.
  [[nodiscard]] std::shared_ptr<planner::KnownOfMachine> of_machine(
      const std::string& hardware_key) {
    const std::string machine = short_for(hardware_key);
    const std::lock_guard guard(lock_);
    std::shared_ptr<planner::KnownOfMachine>& known = of_machine_[machine];
    if (!known) known = std::make_shared<planner::KnownOfMachine>();
    return known;
  }
  /// Of the network with this key.
  [[nodiscard]] std::shared_ptr<planner::NetworkRuns> runs(const std::string& key) {
    const std::lock_guard guard(lock_);
    std::shared_ptr<planner::NetworkRuns>& runs = runs_[key];
    if (!runs) runs = std::make_shared<planner::NetworkRuns>();
    return runs;
  }
  /// What arrays of machines with this key (array_key()) take.
  [[nodiscard]] std::shared_ptr<cost::ArrayMemo> arrays(const std::string& key,
                                                        const Hardware& hardware) {
    const std::lock_guard guard(lock_);
    std::shared_ptr<cost::ArrayMemo>& arrays = arrays_[key];
    if (!arrays) arrays = std::make_shared<cost::ArrayMemo>(hardware);
    return arrays;
  }
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
        mine.set_value(std::make_shared<const planner::CandidateAnswer>(make()));
      } catch (...) {
        mine.set_exception(std::current_exception());
      }
    }
    return answer.get();
  }
  /// Is the answer of this key made, or being made?
  [[nodiscard]] bool has(const std::string& key) {
    const std::lock_guard guard(lock_);
    return answers_.contains(key);
  }
  /// Would whoever asks for it have to wait for somebody else?
  [[nodiscard]] bool under_way(const std::string& key) {
    {
      const std::lock_guard guard(lock_);
      const auto known = answers_.find(key);
      if (known != answers_.end())
        return known->second.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    }
    return ahead_.under_way(key);
  }
  [[nodiscard]] planner::MadeAhead& ahead() { return ahead_; }
  /// By structure.
  [[nodiscard]] planner::GeometryStore& geometries() { return geometries_; }

  /// What the run costs in many tiles; made by whoever asks first (twice, if two do at once).
  template <typename Make>
  std::shared_ptr<const cost::GridBound> bound(const std::string& key, const Make& make) {
    {
      const std::lock_guard guard(lock_);
      const auto known = bounds_.find(key);
      if (known != bounds_.end()) return known->second;
    }
    std::shared_ptr<const cost::GridBound> made = make();
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
    of_machine_.erase(machine);
  }
  /// What is quickly made again goes first: how tiles cut a run, and what it costs at least. With
  /// `all` what tile searches found goes as well. Plans under way keep what they hold.
  void shrink(bool all) {
    geometries_.clear();
    {
      const std::lock_guard guard(lock_);
      bounds_.clear();
      if (all) of_machine_.clear();
    }
    if (!all) return;
    tiles_.clear();
    costs_.clear();
    loads_.clear();
    peaks_.clear();
  }

 private:
  planner::GeometryStore geometries_;
  planner::TileMemo tiles_;
  planner::ByKey<planner::KnownCost> costs_;
  planner::ByKey<planner::KnownLoad> loads_;
  planner::ByKey<Size> peaks_;
  planner::MadeAhead ahead_;
  std::mutex lock_;
  std::map<std::string, std::shared_ptr<planner::NetworkRuns>> runs_;
  std::map<std::string, std::shared_ptr<cost::ArrayMemo>> arrays_;
  std::map<std::string, std::size_t> words_;
  std::map<std::string, std::shared_future<Answer>> answers_;
  std::map<std::string, std::shared_ptr<const cost::GridBound>> bounds_;
  std::map<std::string, std::shared_ptr<planner::KnownOfMachine>> of_machine_;
};

}  // namespace tessera
