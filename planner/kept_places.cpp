#include "planner/kept_places.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "cost/tiled_group.h"
#include "facts/modes.h"
#include "model/rules.h"
#include "placer/decide.h"
#include "planner/piece.h"
#include "tessera/errors.h"
#include "tessera/validate.h"
#include "validation/limited_budget.h"

namespace tessera::planner {
namespace {

/// Content of a buffer across groups: a resident tensor, or a weight prefetched for a group.
struct Held {
  TensorIndex tensor = 0;
  std::optional<std::size_t> reader{};  ///< of the weight, which may be fetched separately for
                                        ///< other groups
  friend auto operator<=>(const Held&, const Held&) = default;
};

/// The first group from `run` on that finds the weight prefetched and does not leave it to a later
/// group.
std::size_t reader_of(std::span<const PlannedSubgraph> runs, std::size_t run,
                      const std::string& weight) {
  const auto lists = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, weight) != names.end();
  };
  for (; run < runs.size(); ++run)
    if (lists(runs[run].early) && !lists(runs[run].ahead)) break;
  return run;
}

std::optional<Held> held_by(const Piece& piece, std::span<const PlannedSubgraph> runs,
                            std::size_t run, BufferIndex buffer) {
  const tiling::LoweredBuffer& lowered = piece.lowering.buffers[buffer];
  if (lowered.role == tiling::BufferRole::passing)
    return Held{piece.part.planned(piece.part.passing[lowered.tensor])};
  const tiling::LocalTensor& local = piece.part.tensors[lowered.tensor];
  if (lowered.role == tiling::BufferRole::kept) return Held{piece.part.planned(local.tensor)};
  if (!local.early && !local.ahead && !local.left) return std::nullopt;
  return Held{local.tensor, reader_of(runs, local.ahead || local.left ? run + 1 : run,
                                      piece.part.tensor(lowered.tensor).name)};
}

/// All groups on one time line.
class Together {
 public:
  Together(std::vector<Memory> memories, std::span<const PlannedSubgraph> runs) : runs_(runs) {
    all_.memories = std::move(memories);
  }
  /// Adds the next group.
  void add(const Piece& piece) {
    const PlacementProblem own = piece_problem(piece, 0);
    std::vector<BufferIndex>& mine = of_run_.emplace_back();
    const Step length = steps_of(piece);
    for (BufferIndex b = 0; b < own.buffers.size(); ++b) {
      Buffer buffer = shifted(own.buffers[b]);
      const std::optional<Held> held = held_by(piece, runs_, of_run_.size() - 1, b);
      if (!held) {
        buffer.id = "group " + std::to_string(of_run_.size()) + ": " + buffer.id;
        mine.push_back(all_.buffers.size());
        all_.buffers.push_back(std::move(buffer));
        continue;
      }
      const auto [known, fresh] = kept_.try_emplace(*held, all_.buffers.size());
      mine.push_back(known->second);
      if (!fresh) {
        extend(all_.buffers[known->second], buffer);
        continue;
      }
      buffer.id = (held->reader ? "for group " + std::to_string(*held->reader) : "stays") + ": " +
                  buffer.id;
      all_.buffers.push_back(std::move(buffer));
    }
    for (Relation relation : own.relations) {
      for (BufferIndex& buffer : relation.buffers) buffer = mine[buffer];
      all_.relations.push_back(std::move(relation));
    }
    for (const ConditionRule& rule : own.rules)
      if (auto here = remaining(rule, mine)) all_.rules.push_back(*std::move(here));
    now_ += length;
  }
  [[nodiscard]] const PlacementProblem& problem() const { return all_; }
  /// True if some tensor has no memory that all of its users reach.
  [[nodiscard]] bool homeless() const { return homeless_; }
  [[nodiscard]] const std::vector<BufferIndex>& of_run(std::size_t run) const {
    return of_run_[run];
  }

 private:
  static Step steps_of(const Piece& piece) {
    return piece.lowering.steps_per_tile * (piece.lowering.options.double_buffer ? 2 : 1);
  }
  [[nodiscard]] Buffer shifted(Buffer buffer) const {
    for (StepRange& live : buffer.live) live = {live.lower + now_, live.upper + now_};
    for (Step& step : buffer.read) step += now_;
    for (Step& step : buffer.write) step += now_;
    return buffer;
  }
  /// Groups follow each other, so lives are adjacent and steps remain sorted.
  void extend(Buffer& buffer, const Buffer& more) {
    homeless_ = homeless_ || buffer.size != more.size;  // only weights of a single group are
                                                        // encoded
    buffer.live.back().upper = more.live.back().upper;
    buffer.read.insert(buffer.read.end(), more.read.begin(), more.read.end());
    buffer.write.insert(buffer.write.end(), more.write.begin(), more.write.end());
    if (more.memories.empty()) return;
    if (buffer.memories.empty()) {
      buffer.memories = more.memories;
      return;
    }
    std::erase_if(buffer.memories, [&](MemoryIndex m) {
      return std::ranges::find(more.memories, m) == more.memories.end();
    });
    homeless_ = homeless_ || buffer.memories.empty();
  }

  std::span<const PlannedSubgraph> runs_;
  PlacementProblem all_;
  std::map<Held, BufferIndex> kept_;
  std::vector<std::vector<BufferIndex>> of_run_;
  Step now_ = 0;
  bool homeless_ = false;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> tied_runs(const Hardware& hardware,
                                                           std::span<const PlannedSubgraph> runs) {
  std::vector<std::pair<std::size_t, std::size_t>> stretches;
  if (stays_on_chip(hardware)) {
    if (!runs.empty()) stretches.emplace_back(0, runs.size());
    return stretches;
  }
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (runs[k].kept.empty() && runs[k].early.empty() && runs[k].ahead.empty() &&
        runs[k].passing.empty())
      continue;
    const auto stays = [&](const std::string& name) {
      return std::ranges::find(runs[k].kept, name) != runs[k].kept.end();
    };
    const bool tied = !stretches.empty() && stretches.back().second == k &&
                      (!runs[k].early.empty() || !runs[k].passing.empty() ||
                       std::ranges::any_of(runs[k - 1].kept, stays));
    if (tied)
      ++stretches.back().second;
    else
      stretches.emplace_back(k, k + 1);
  }
  return stretches;
}

KeptPlaces settle_kept(PieceStore& store, const Hardware& within, std::span<PlannedSubgraph> runs,
                       const Limits& limits) {
  Together together(placement_memories(within), runs);
  std::vector<std::shared_ptr<const Piece>> pieces;
  for (const PlannedSubgraph& run : runs) {
    pieces.push_back(store.of(run));
    together.add(*pieces.back());
  }
  if (together.homeless()) return {Status::infeasible, StopReason::completed};
  const validation::LimitedBudget limited(limits);
  const placer::Decision decision =
      placer::decide(together.problem(), {.budget = limited.budget(), .seed = limits.seed},
                     {.threads = limits.threads});
  const engine::SearchResult& found = decision.found;
  if (!found.placement) return {found.status, found.stop};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    // A buffer that lives through all tiles of a group has one address there.
    runs[k].placements.erase(runs[k].placements.begin() + 1, runs[k].placements.end());
    PlannedPlacement& own = runs[k].placements.front();
    own.problem = piece_problem(*pieces[k], 0);
    own.engine = decision.engine;
    const std::vector<BufferIndex>& of_run = together.of_run(k);
    own.placement.places.clear();
    for (const BufferIndex buffer : of_run)
      own.placement.places.push_back(found.placement->places[buffer]);
    PlacementProblem inside = own.problem;
    inside.memories = together.problem().memories;
    auto modes =
        facts::resolve_modes(inside, own.placement.places, pieces[k]->lowering.steps_per_tile);
    if (!modes) throw InternalError("a joint placement of groups leaves a step without a mode");
    own.placement.modes = std::move(*modes);
    const cost::GroupCost cost = store.cost(*pieces[k], runs[k].placements);
    runs[k].metrics = cost.metrics;
    runs[k].utilisation = cost.utilisation;
    runs[k].mode_switches = cost.mode_switches;
  }
  return {};
}

namespace {

/// Every group lists its resident tensors, and all groups of a tensor's life agree.
void residence_wrong(const Network& network, const Hardware& hardware,
                     const std::vector<PlannedSubgraph>& runs, std::vector<std::string>& wrong) {
  const std::vector<std::optional<OpIndex>> readers = tiling::last_readers(network);
  std::vector<TensorIndex> stays;
  for (const PlannedSubgraph& run : runs)
    std::ranges::copy(kept_tensors(network, run), std::back_inserter(stays));
  if (stays.empty()) return;
  std::ranges::sort(stays);
  stays.erase(std::unique(stays.begin(), stays.end()), stays.end());
  if (stays_on_chip(hardware)) {
    wrong.emplace_back(
        "subgraphs list resident tensors on a machine that keeps every tensor on chip");
    return;
  }
  const std::vector<TensorIndex> may = tiling::may_stay(network, readers);
  for (const TensorIndex t : stays)
    if (!std::ranges::binary_search(may, t))
      wrong.push_back("tensor '" + network.tensors[t].name +
                      "' cannot stay on chip: it is a network output, or it is not produced by one "
                      "op for others");
  for (const PlannedSubgraph& run : runs)
    if (const std::vector<std::string> right =
            kept_names(tiling::make_subgraph(network, run.ops, readers, hardware, stays));
        run.kept != right) {
      std::string names;
      for (const std::string& name : right) names += (names.empty() ? "'" : ", '") + name + "'";
      wrong.push_back("the group of ops " + std::to_string(run.ops.first) + " to " +
                      std::to_string(run.ops.last) + " keeps " +
                      (names.empty() ? "nothing" : names) + ", which differs from its list `kept`");
    }
}

/// A prefetched weight was loaded by an earlier group, and all groups between list it.
void early_wrong(const Network& network, const Hardware& hardware,
                 const std::vector<PlannedSubgraph>& runs, std::vector<std::string>& wrong) {
  const auto has_some = [](const PlannedSubgraph& run) {
    return !run.early.empty() || !run.ahead.empty() || !run.passing.empty();
  };
  if (hardware.tiling.early == Early::none && std::ranges::any_of(runs, has_some)) {
    wrong.emplace_back("weights are prefetched, which the profile's `tiling` does not allow");
    return;
  }
  std::vector<TensorIndex> waiting;  // sorted
  const auto begins_at = [&](const PlannedSubgraph& run) {
    return "the group that begins at op " + std::to_string(run.ops.first);
  };
  for (const PlannedSubgraph& run : runs) {
    const tiling::PrefetchedWeights weights = early_weights(network, run);
    std::vector<TensorIndex> still;
    const auto is_there = [&](TensorIndex t) { return std::ranges::binary_search(waiting, t); };
    for (const TensorIndex t : weights.early)
      if (!is_there(t))
        wrong.push_back("weight '" + network.tensors[t].name + "' is not prefetched before " +
                        begins_at(run));
    for (const TensorIndex t : weights.passing) {
      if (is_there(t))
        still.push_back(t);
      else
        wrong.push_back("weight '" + network.tensors[t].name + "' is listed as `passing` by " +
                        begins_at(run) + ", but no earlier group prefetches it");
    }
    std::ranges::sort(still);
    for (const TensorIndex t : waiting)
      if (!std::ranges::binary_search(weights.early, t) && !std::ranges::binary_search(still, t))
        wrong.push_back("weight '" + network.tensors[t].name +
                        "' is prefetched, but listed neither as `early` nor as `passing` by " +
                        begins_at(run));
    waiting = std::move(still);
    std::ranges::copy(weights.ahead, std::back_inserter(waiting));
    std::ranges::sort(waiting);
  }
  for (const TensorIndex t : waiting)
    wrong.push_back("weight '" + network.tensors[t].name +
                    "' is prefetched, but no later group reads it");
}

}  // namespace

std::vector<std::string> kept_wrong(const Network& network, const Hardware& hardware,
                                    const std::vector<PlannedSubgraph>& runs) {
  std::vector<std::string> wrong;
  residence_wrong(network, hardware, runs, wrong);
  early_wrong(network, hardware, runs, wrong);
  if (!wrong.empty()) return wrong;
  std::map<Held, std::pair<BufferPlace, Size>> places;
  const std::vector<std::optional<OpIndex>> readers = tiling::last_readers(network);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const PlannedSubgraph& run = runs[k];
    const Piece piece = make_piece(network, hardware, run, readers);
    for (const PlannedPlacement& placed : run.placements)
      for (BufferIndex b = 0; b < placed.placement.places.size(); ++b) {
        const std::optional<Held> held = held_by(piece, runs, k, b);
        if (!held) continue;
        const std::pair here(placed.placement.places[b], piece.lowering.problem.buffers[b].size);
        const auto [known, fresh] = places.try_emplace(*held, here);
        if (fresh || known->second == here) continue;
        if (known->second.second != here.second) {
          wrong.push_back("weight '" + network.tensors[held->tensor].name +
                          "' is encoded in only one of two groups that hold it on chip");
          continue;
        }
        wrong.push_back("tensor '" + network.tensors[held->tensor].name +
                        "' stays on chip, but is placed at " +
                        std::to_string(known->second.first.offset) + " in one group and at " +
                        std::to_string(here.first.offset) + " in the group of ops " +
                        std::to_string(run.ops.first) + " to " + std::to_string(run.ops.last));
      }
  }
  return wrong;
}

}  // namespace tessera::planner
