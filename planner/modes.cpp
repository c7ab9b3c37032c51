#include "planner/modes.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "facts/modes.h"
#include "model/claim_problem.h"
#include "model/derived.h"
#include "model/joint_modes.h"
#include "placer/decide.h"
#include "planner/kept_places.h"
#include "planner/piece.h"
#include "planner/smallest_set.h"
#include "search/partition/structure.h"
#include "search/placement/bounds.h"
#include "tessera/check.h"

namespace tessera::planner {
namespace {

/// Limit on combinations of one mode per memory, tried if switches make placements expensive.
constexpr std::size_t most_single = 64;

using Set = std::vector<bool>;

struct NamedMode {
  MemoryIndex memory = 0;
  Mode mode;
};

/// The numbered modes that a set may contain.
struct Universe {
  std::vector<NamedMode> modes;
  std::vector<std::vector<std::size_t>> of_memory;  ///< of memories with modes
  bool whole = true;                                ///< false: a memory has further modes

  [[nodiscard]] std::optional<std::size_t> find(MemoryIndex memory, const std::string& name) const {
    for (std::size_t k = 0; k < modes.size(); ++k)
      if (modes[k].memory == memory && modes[k].mode.name == name) return k;
    return std::nullopt;
  }
};

Universe universe_of(const std::vector<Memory>& memories,
                     const std::vector<PlannedSubgraph>& runs) {
  Universe all;
  for (MemoryIndex m = 0; m < memories.size(); ++m) {
    if (!has_modes(memories[m])) continue;
    std::vector<Mode> modes;
    if (std::optional<std::vector<Mode>> known = modes_of(memories[m])) {
      modes = std::move(*known);
    } else {
      all.whole = false;
      std::set<std::string> names;
      for (const PlannedSubgraph& s : runs)
        for (const PlannedPlacement& p : s.placements)
          names.insert(p.placement.modes[m].begin(), p.placement.modes[m].end());
      for (const std::string& name : names) modes.push_back({name, mode_roles(memories[m], name)});
    }
    std::vector<std::size_t>& numbers = all.of_memory.emplace_back();
    for (Mode& mode : modes) {
      numbers.push_back(all.modes.size());
      all.modes.push_back({m, std::move(mode)});
    }
  }
  return all;
}

void keep_modes(Memory& memory, MemoryIndex m, const Universe& universe, const Set& in) {
  if (!has_modes(memory)) return;
  memory.modes_per_bank = false;
  memory.modes.clear();
  for (std::size_t k = 0; k < in.size(); ++k)
    if (in[k] && universe.modes[k].memory == m) memory.modes.push_back(universe.modes[k].mode);
}

/// A unit that is placed alone: a group, or all groups if they share resident tensors.
class Part {
 public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;
  /// Places the part with these modes only.
  Enough ask(const Set& in) {
    if (const auto known = known_.find(in); known != known_.end()) return known->second;
    for (const auto& [set, answer] : known_) {
      if (answer == Enough::yes && within(set, in)) return Enough::yes;
      if (answer == Enough::no && within(in, set)) return Enough::no;
    }
    const Enough answer = place_with(in);
    known_[in] = answer;
    return answer;
  }
  /// Sets the placements for these modes. require: ask() returned yes.
  void take(const Set& in, std::vector<PlannedSubgraph>& runs) {
    for (const auto& [set, placed] : placed_)
      if (within(set, in)) return put(placed, runs);
  }

 protected:
  static bool within(const Set& a, const Set& b) {
    for (std::size_t k = 0; k < a.size(); ++k)
      if (a[k] && !b[k]) return false;
    return true;
  }
  virtual Enough place_with(const Set& in) = 0;
  virtual void put(const std::vector<PlannedSubgraph>& placed,
                   std::vector<PlannedSubgraph>& runs) const = 0;
  Enough keep(const Set& in, std::vector<PlannedSubgraph> placed) {
    placed_.emplace_back(in, std::move(placed));
    return Enough::yes;
  }

 private:
  std::map<Set, Enough> known_;
  std::vector<std::pair<Set, std::vector<PlannedSubgraph>>> placed_;
};

/// Common data of all queries.
struct Common {
  const Network& network;
  const Hardware& hardware;
  const ModesParams& params;
  const Universe& universe;
  Size peak = 0;  ///< of the plan: limit for every group

  [[nodiscard]] double cost(const Metrics& m) const {
    return cost::additive_score(params.score, m);
  }
  /// True if `now` is a valid replacement of `before`.
  [[nodiscard]] bool as_good(const Metrics& now, const Metrics& before) const {
    return cost(now) <= cost(before) * (1 + 1e-12) && params.limits.allow(now) &&
           now.peak_bytes <= peak;
  }
};

/// One group, also for all groups with the same query.
class RunPart final : public Part {
 public:
  RunPart(const Common& common, const PlannedSubgraph& run,
          const std::vector<std::optional<OpIndex>>& readers)
      : common_(common),
        run_(run),
        piece_(make_piece(common.network, common.hardware, run, readers)) {}

  void add(std::size_t run) { alike_.push_back(run); }

 protected:
  Enough place_with(const Set& in) override {
    if (settled(in)) return Enough::yes;
    for (const Attempt& attempt : attempts()) {
      const Enough found = tried(in, attempt);
      if (found == Enough::yes) return found;
      if (found == Enough::no && attempt.proves) return found;
    }
    // With one mode, nothing switches.
    for (const Set& single : singles(in))
      if (single != in && ask(single) == Enough::yes) return Enough::yes;
    return Enough::open;
  }

  void put(const std::vector<PlannedSubgraph>& placed,
           std::vector<PlannedSubgraph>& runs) const override {
    for (const std::size_t k : alike_) {
      PlannedSubgraph& run = runs[k];
      for (std::size_t p = 0; p < run.placements.size(); ++p) {
        run.placements[p].placement = placed.front().placements[p].placement;
        run.placements[p].engine = placed.front().placements[p].engine;
      }
      run.metrics = placed.front().metrics;
      run.mode_switches = placed.front().mode_switches;
      run.utilisation = placed.front().utilisation;
    }
  }

 private:
  /// Limits on the heights of several memories that share a peak.
  enum class Room : std::uint8_t {
    most,  ///< each up to the rest that the least heights of the others leave; lower limits would
           ///< prove nothing
    now,   ///< each at its current height, plus the rest of the plan's peak
  };
  struct Attempt {
    Room room = Room::most;
    bool pinned = false;  ///< each buffer stays in its current memory
    bool proves = false;  ///< infeasible proves that no placement is as good
  };

  [[nodiscard]] std::vector<Attempt> attempts() const {
    const bool several = piece_.lowering.problem.memories.size() > 1;
    if (!several) return {{.proves = common_.universe.whole}};
    return {{.proves = common_.universe.whole},
            {.room = Room::now},
            {.room = Room::now, .pinned = true}};
  }

  [[nodiscard]] PlacementProblem problem_with(const Set& in, std::size_t index) const {
    PlacementProblem problem = piece_problem(piece_, index);
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m)
      keep_modes(problem.memories[m], m, common_.universe, in);
    return problem;
  }

  /// Tries the current placement with these modes.
  bool settled(const Set& in) {
    PlannedSubgraph now = run_;
    for (std::size_t k = 0; k < now.placements.size(); ++k) {
      auto modes = facts::resolve_modes(problem_with(in, k), now.placements[k].placement.places,
                                        piece_.lowering.steps_per_tile);
      if (!modes) return false;
      now.placements[k].placement.modes = std::move(*modes);
    }
    return taken(in, std::move(now));
  }

  Enough tried(const Set& in, const Attempt& attempt) {
    PlannedSubgraph now = run_;
    for (std::size_t k = 0; k < now.placements.size(); ++k) {
      PlacementProblem problem = problem_with(in, k);
      const Placement& before = run_.placements[k].placement;
      lower(problem, attempt.room, before);
      if (attempt.pinned)
        for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
          problem.buffers[b].memories = {before.places[b].memory};
      engine::SearchParams search{.budget = common_.params.budget, .seed = common_.params.seed};
      search.budget.max_nodes = common_.params.nodes_per_question;
      placer::Decision decision =
          placer::decide(problem, search, {.threads = common_.params.threads});
      if (decision.found.status == Status::infeasible) return Enough::no;
      if (!decision.found.placement) return Enough::open;
      PlannedPlacement& placed = now.placements[k];
      placed.engine = decision.engine;
      placed.placement = std::move(*decision.found.placement);
      auto modes =
          facts::resolve_modes(problem, placed.placement.places, piece_.lowering.steps_per_tile);
      if (!modes) return Enough::open;
      placed.placement.modes = std::move(*modes);
    }
    return taken(in, std::move(now)) ? Enough::yes : Enough::open;
  }

  void lower(PlacementProblem& problem, Room room, const Placement& before) const {
    std::vector<Size> high =
        room == Room::now
            ? heights(problem, before)
            : search::lower_bounds(problem, {.budget = common_.params.budget}).heights;
    high.resize(problem.memories.size(), 0);
    Size all = 0;
    for (const Size height : high) all += height;
    const Size beside = std::max<Size>(0, common_.peak - all);
    const auto moded = std::ranges::count_if(problem.memories, has_modes);
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      // The rest goes to one memory, unless all may use it.
      const bool more = room == Room::most || (moded == 1 && has_modes(problem.memories[m]));
      limit_height(problem.memories[m], std::max<Size>(1, high[m] + (more ? beside : 0)));
    }
  }

  /// Keeps it if it is correct and as good.
  bool taken(const Set& in, PlannedSubgraph now) {
    for (std::size_t k = 0; k < now.placements.size(); ++k) {
      now.placements[k].problem = piece_problem(piece_, k);
      if (!check(now.placements[k].problem, now.placements[k].placement, 1).empty()) return false;
    }
    const cost::GroupCost cost =
        cost::group_cost(piece_run(piece_, common_.hardware, now.placements));
    if (!common_.as_good(cost.metrics, run_.metrics)) return false;
    now.metrics = cost.metrics;
    now.mode_switches = cost.mode_switches;
    now.utilisation = cost.utilisation;
    keep(in, {std::move(now)});
    return true;
  }

  /// All combinations of one mode per memory.
  [[nodiscard]] std::vector<Set> singles(const Set& in) const {
    std::vector<Set> all{Set(in.size(), false)};
    for (const std::vector<std::size_t>& modes : common_.universe.of_memory) {
      std::vector<Set> more;
      for (const Set& set : all)
        for (const std::size_t mode : modes) {
          if (!in[mode] || more.size() == most_single) continue;
          more.push_back(set);
          more.back()[mode] = true;
        }
      all = std::move(more);
    }
    return all;
  }

  const Common& common_;
  PlannedSubgraph run_;
  Piece piece_;
  std::vector<std::size_t> alike_;
};

/// All groups of a machine on which tensors stay on chip between groups.
class WholePart final : public Part {
 public:
  /// Groups from `first` on.
  WholePart(const Common& common, std::size_t first, std::vector<PlannedSubgraph> runs)
      : common_(common), first_(first), runs_(std::move(runs)) {}

 protected:
  Enough place_with(const Set& in) override {
    using Clock = std::chrono::steady_clock;
    Hardware machine = common_.hardware;
    MemoryIndex m = 0;
    for (HardwareMemory& memory : machine.memories)
      if (!memory.offchip) keep_modes(memory.space, m++, common_.universe, in);
    if (m == 1)
      for (HardwareMemory& memory : machine.memories)
        if (!memory.offchip) limit_height(memory.space, std::max<Size>(1, common_.peak));
    Limits limits{.threads = common_.params.threads,
                  .seed = common_.params.seed,
                  .stop = common_.params.budget.stop};
    limits.work = common_.params.nodes_per_question;
    if (const auto deadline = common_.params.budget.deadline; deadline != Clock::time_point::max())
      limits.timeout = std::max(Clock::duration{0}, deadline - Clock::now());
    std::vector<PlannedSubgraph> now = runs_;
    PieceStore pieces(common_.network, common_.hardware);
    const KeptPlaces kept = settle_kept(pieces, machine, now, limits);
    if (kept.status == Status::infeasible)
      return common_.universe.whole ? Enough::no : Enough::open;
    if (kept.status != Status::feasible) return Enough::open;
    double cost = 0, before = 0;
    for (std::size_t k = 0; k < now.size(); ++k) {
      const Metrics& metrics = now[k].metrics;
      cost += common_.cost(metrics);
      before += common_.cost(runs_[k].metrics);
      if (!common_.params.limits.allow(metrics) || metrics.peak_bytes > common_.peak)
        return Enough::open;
    }
    return cost <= before * (1 + 1e-12) ? keep(in, std::move(now)) : Enough::open;
  }

  void put(const std::vector<PlannedSubgraph>& placed,
           std::vector<PlannedSubgraph>& runs) const override {
    std::ranges::copy(placed, runs.begin() + static_cast<std::ptrdiff_t>(first_));
  }

 private:
  const Common& common_;
  std::size_t first_;
  std::vector<PlannedSubgraph> runs_;
};

/// Groups with equal keys are one query: they have the same tiles and placements.
std::string key_of(const tiling::Subgraph& part, const PlannedSubgraph& run) {
  std::string key = search::structure_key(part);
  const auto add = [&](std::int64_t number) { key += ' ' + std::to_string(number); };
  for (const Dim extent : run.extent) add(extent);
  add(run.variant.double_buffer ? 1 : 0);
  add(static_cast<std::int64_t>(run.variant.weights));
  add(static_cast<std::int64_t>(run.variant.halo));
  add(static_cast<std::int64_t>(run.variant.stationary));
  add(static_cast<std::int64_t>(run.variant.one_copy));
  add(run.variant.reduction);
  add(static_cast<std::int64_t>(run.variant.direct));
  add(run.variant.trailing);
  for (const PlannedPlacement& placed : run.placements) {
    for (const BufferPlace& place : placed.placement.places) {
      add(static_cast<std::int64_t>(place.memory));
      add(place.offset);
    }
    for (const auto& names : placed.placement.modes)
      for (const std::string& name : names) key += '\n' + name;
  }
  return key;
}

}  // namespace

ModesParams modes_params(const PlanParams& params, const cost::Score& score,
                         const PeakLimits& limits, const Budget& budget) {
  return {.score = score,
          .limits = limits,
          .nodes_per_question = params.nodes_per_question,
          .seed = params.limits.seed,
          .threads = params.limits.threads,
          .budget = budget};
}

std::optional<std::vector<Mode>> modes_of(const Memory& memory) {
  return joint_modes(memory, most_listed_modes);
}

std::int64_t modes_in_use(const std::vector<PlannedSubgraph>& runs) {
  std::set<std::pair<MemoryIndex, std::string>> used;
  for (const PlannedSubgraph& run : runs)
    for (const PlannedPlacement& placed : run.placements)
      for (MemoryIndex m = 0; m < placed.placement.modes.size(); ++m)
        for (const std::string& name : placed.placement.modes[m]) used.emplace(m, name);
  return static_cast<std::int64_t>(used.size());
}

ObjectiveValue take_fewest_modes(const Network& network, const Hardware& hardware,
                                 const ModesParams& params, std::vector<PlannedSubgraph>& runs) {
  const Universe universe = universe_of(placement_memories(hardware), runs);
  Common common{network, hardware, params, universe, 0};
  for (const PlannedSubgraph& run : runs)
    common.peak = std::max(common.peak, run.metrics.peak_bytes);
  std::vector<std::unique_ptr<Part>> parts;
  std::vector<bool> together(runs.size(), false);
  for (const auto& [first, end] : tied_runs(hardware, runs)) {
    const auto at = [&](std::size_t k) { return runs.begin() + static_cast<std::ptrdiff_t>(k); };
    parts.push_back(std::make_unique<WholePart>(common, first,
                                                std::vector<PlannedSubgraph>(at(first), at(end))));
    for (std::size_t k = first; k < end; ++k) together[k] = true;
  }
  const std::vector<std::optional<OpIndex>> readers = tiling::last_readers(network);
  std::map<std::string, RunPart*> of_key;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (together[k]) continue;
    const tiling::Subgraph part = tiling::make_subgraph(network, runs[k].ops, readers, hardware);
    RunPart*& known = of_key[key_of(part, runs[k])];
    if (known == nullptr) {
      auto fresh = std::make_unique<RunPart>(common, runs[k], readers);
      known = fresh.get();
      parts.push_back(std::move(fresh));
    }
    known->add(k);
  }
  SmallestSetParams search{.things = universe.modes.size(),
                           .one_of = universe.of_memory,
                           .known = {},
                           .enough = {},
                           .budget = params.budget};
  for (std::size_t k = 0; k < universe.modes.size(); ++k) {
    const NamedMode& each = universe.modes[k];
    const bool used = std::ranges::any_of(runs, [&](const PlannedSubgraph& run) {
      return std::ranges::any_of(run.placements, [&](const PlannedPlacement& placed) {
        return std::ranges::count(placed.placement.modes[each.memory], each.mode.name) > 0;
      });
    });
    if (used) search.known.push_back(k);
  }
  // The part that failed last usually fails first.
  search.enough = [&](const Set& in) {
    Enough all = Enough::yes;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Enough answer = parts[k]->ask(in);
      if (answer == Enough::no) {
        std::rotate(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k),
                    parts.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        return answer;
      }
      if (answer == Enough::open) all = answer;
    }
    return all;
  };
  const SmallestSet found = smallest_set(search);
  if (found.set.size() < search.known.size()) {
    Set in(universe.modes.size(), false);
    for (const std::size_t k : found.set) in[k] = true;
    for (const std::unique_ptr<Part>& part : parts) part->take(in, runs);
  }
  const std::int64_t value = modes_in_use(runs);
  return {"modes", value, static_cast<std::int64_t>(found.bound),
          value == static_cast<std::int64_t>(found.bound)};
}

}  // namespace tessera::planner
