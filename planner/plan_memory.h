// State shared by plans: candidate answers and the data they are derived from. Private to planner/
// and explorer/.
//
//   const auto memory = std::make_shared<PlanMemory>();
//   const std::string word = memory->short_for(structure_key(part));
//   if (const auto known = memory->costs().find(machine + word + shape)) use(known->metrics);
//
// Keys begin with short words for their subject. Every entry equals the result that its reader
// would compute. Plans are therefore the same with and without a memory and for every order of
// queries. Only the counts of reused answers differ.
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
#include "planner/tile_memo.h"
#include "search/tiles/shape_order.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"
#include "tiling/lower.h"
#include "tiling/subgraph.h"

namespace tessera::planner {

struct CandidateAnswer {
  /// One per feasible variant, without ops and names, which differ between groups of one structure.
  std::vector<PlannedSubgraph> options;
  /// Lower bounds of the cost of undecided tile shapes.
  std::vector<Metrics> open;
  /// After refine(): lower bound of the score of tiles that were not evaluated.
  double open_score = std::numeric_limits<double>::infinity();
  bool open_beyond = false;  ///< further tiles exist about which nothing is known
  bool undecided = false;    ///< a limit left some of them undecided
  bool too_costly = false;   ///< some of `open` bound tiles too expensive for the current effort
  bool final = true;         ///< more effort would give the same answer
  bool cut_short = false;    ///< a limit of its maker ended it: another caller may find more
  /// The variants that were tried, for answers with more effort.
  struct Tried {
    TileVariant variant;
    bool decided = true;
    std::optional<std::size_t> option;  ///< index; empty and decided: no tile fits
    std::int64_t none_below = 1;        ///< shapes with fewer tiles do not fit
  };
  std::vector<Tried> tried;

  [[nodiscard]] bool complete() const { return open.empty() && !open_beyond; }
};

/// Geometry of a group, independent of the machine.
struct RunGeometry {
  std::shared_ptr<const Network> network;
  tiling::Subgraph part;
  std::shared_ptr<const tiling::TileSpace> space;  ///< set at the first query
  std::map<HaloPolicy, tiling::TileGeometry> of_halo;
  std::map<HaloPolicy, search::KnownGroups> groups;
  /// By variant and memories without their capacity, which the problems are independent of.
  std::map<std::string, std::shared_ptr<const tiling::Lowering>> lowerings;
  std::map<std::string, search::FirstLoads> first_loads;  ///< by the same
  /// By engines, halo and number of pipelined ops.
  std::map<std::string, cost::KnownComputing> computing;
  std::shared_ptr<const cost::GridBound> bound;             ///< of the last machine
  std::vector<std::shared_ptr<RunGeometry>> thread_copies;  ///< for helper threads
  /// The group with a reduction in parts, by number of parts and bytes of a partial sum.
  std::map<std::pair<std::int64_t, Size>, std::shared_ptr<RunGeometry>> reduced;
  std::mutex lock;  ///< held during use

  /// A geometry of the same group for one more thread. require: the sharing thread holds the lock
  /// and has called cuts().
  [[nodiscard]] RunGeometry& thread_copy(std::size_t number) {
    while (thread_copies.size() <= number) {
      auto fresh = std::make_shared<RunGeometry>();
      fresh->network = network;
      fresh->part = part;
      fresh->space = space;
      thread_copies.push_back(std::move(fresh));  // not before it is whole
    }
    return *thread_copies[number];
  }

  /// The tile space is the same for all halo policies and threads.
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

/// Cost of a group in tiles of one shape, on a machine with one on-chip memory where all addresses
/// cost the same. Valid for every capacity.
struct KnownCost {
  Metrics metrics;  ///< without the peak
  double utilisation = 0;
  std::optional<Size> load{};  ///< live bytes at the fullest step, if counted
};

/// Capacities for which the loads of all tiles of a shape fit: those of at least `fits_from` do,
/// those up to `fails_to` do not. Undecided between them.
struct KnownLoad {
  Size fits_from = std::numeric_limits<Size>::max();
  Size fails_to = -1;
};

/// Lower bounds of cost per shape, and whether loads fit, on one machine.
struct KnownOfMachine {
  SharedTable<std::string, KnownCost> costs;
  SharedTable<std::string, KnownLoad> loads;
};

/// Short words for the structures of the groups of one network.
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
  /// Geometries take about this many bytes at most; a lower limit costs time.
  explicit PlanMemory(std::size_t most_geometry = std::size_t{512} << 20)
      : geometries_(most_geometry) {}
  [[nodiscard]] planner::TileMemo& tiles() { return tiles_; }
  [[nodiscard]] planner::ByKey<planner::KnownCost>& costs() { return costs_; }
  [[nodiscard]] planner::ByKey<planner::KnownLoad>& loads() { return loads_; }
  /// Peaks of the tiles found, by query and shape.
  [[nodiscard]] planner::ByKey<Size>& peaks() { return peaks_; }
  /// For the machine with this key (hardware_key.h) if nothing is shared for all capacities.
  [[nodiscard]] std::shared_ptr<planner::KnownOfMachine> of_machine(
      const std::string& hardware_key) {
    const std::string machine = short_for(hardware_key);
    const std::lock_guard guard(lock_);
    std::shared_ptr<planner::KnownOfMachine>& known = of_machine_[machine];
    if (!known) known = std::make_shared<planner::KnownOfMachine>();
    return known;
  }
  /// For the network with this key.
  [[nodiscard]] std::shared_ptr<planner::NetworkRuns> runs(const std::string& key) {
    const std::lock_guard guard(lock_);
    std::shared_ptr<planner::NetworkRuns>& runs = runs_[key];
    if (!runs) runs = std::make_shared<planner::NetworkRuns>();
    return runs;
  }
  /// Cycles of arrays for machines with this key (array_key()).
  [[nodiscard]] std::shared_ptr<cost::ArrayMemo> arrays(const std::string& key,
                                                        const Hardware& hardware) {
    const std::lock_guard guard(lock_);
    std::shared_ptr<cost::ArrayMemo>& arrays = arrays_[key];
    if (!arrays) arrays = std::make_shared<cost::ArrayMemo>(hardware);
    return arrays;
  }
  /// A short word for a text: equal texts have equal words, and no word is a prefix of another.
  [[nodiscard]] std::string short_for(const std::string& text) {
    const std::lock_guard guard(lock_);
    const auto word = words_.try_emplace(text, words_.size()).first;
    return std::to_string(word->second) + ' ';
  }

  /// The answer of this key. The first caller runs `make`; others wait for it.
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
  /// By structure.
  [[nodiscard]] planner::GeometryStore& geometries() { return geometries_; }

  /// The bound of the group's cost in many tiles. The first caller makes it; two concurrent callers
  /// may both make it.
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

  /// Drops an answer that a limit cut short, unless another thread has replaced it.
  void forget(const std::string& key, const Answer& answer) {
    const std::lock_guard guard(lock_);
    const auto known = answers_.find(key);
    if (known == answers_.end() ||
        known->second.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return;
    if (known->second.get() == answer) answers_.erase(known);
  }
  /// Drops all entries of this machine alone (hardware_key.h). Entries usable for other machines
  /// remain.
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
  /// Drops data that is fast to recompute first: geometries and lower bounds. With `all` also the
  /// results of tile searches. Running plans keep what they hold.
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
  std::mutex lock_;
  std::map<std::string, std::shared_ptr<planner::NetworkRuns>> runs_;
  std::map<std::string, std::shared_ptr<cost::ArrayMemo>> arrays_;
  std::map<std::string, std::size_t> words_;
  std::map<std::string, std::shared_future<Answer>> answers_;
  std::map<std::string, std::shared_ptr<const cost::GridBound>> bounds_;
  std::map<std::string, std::shared_ptr<planner::KnownOfMachine>> of_machine_;
};

}  // namespace tessera
