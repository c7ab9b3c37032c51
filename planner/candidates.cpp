#include "planner/candidates.h"

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>

#include "cost/tiled_group.h"
#include "facts/modes.h"
#include "model/derived.h"
#include "placer/tile_engine.h"
#include "planner/effort.h"
#include "planner/hardware_key.h"
#include "planner/lower_banks.h"
#include "planner/open.h"
#include "planner/option.h"
#include "planner/piece.h"
#include "planner/planning.h"
#include "search/partition/structure.h"
#include "tessera/engines.h"
#include "tessera/tile.h"
#include "tiling/reduction.h"

namespace tessera::planner {

namespace {

/// The parameters that change the answer to a query.
std::string question_key(const CandidateParams& params) {
  std::string key = std::to_string(params.nodes_per_question) + ' ' + std::to_string(params.seed);
  if (params.engine != "auto") key += ' ' + params.engine;
  if (params.time_per_question.count() > 0)
    key += ' ' + std::to_string(params.time_per_question.count()) + " ns";
  return key + '\n';
}

/// The only on-chip memory, if its capacity is its only property in bytes.
std::optional<MemoryIndex> only_plain_memory(const Hardware& hardware) {
  std::optional<MemoryIndex> only;
  for (MemoryIndex m = 0; m < hardware.memories.size(); ++m) {
    if (hardware.memories[m].offchip) continue;
    const Memory& space = hardware.memories[m].space;
    if (only || !space.banks.empty() || !space.reserved.empty() || has_modes(space) ||
        space.capacity % space.alignment != 0)
      return std::nullopt;
    only = m;
  }
  return only;
}

/// Of options with equal cost, those with resident weights come first.
void plainest_first(CandidateAnswer& answer) {
  std::vector<std::size_t> order(answer.options.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) {
    const PlannedSubgraph& s = answer.options[k];
    return std::pair(s.variant.double_buffer, s.variant.weights == WeightPolicy::refetch);
  });
  std::vector<PlannedSubgraph> sorted;
  for (const std::size_t k : order) sorted.push_back(std::move(answer.options[k]));
  answer.options = std::move(sorted);
  for (CandidateAnswer::Tried& tried : answer.tried)
    if (tried.option)
      tried.option =
          static_cast<std::size_t>(std::ranges::find(order, *tried.option) - order.begin());
}

char letter(std::uint64_t number) {
  return static_cast<char>('a' + number);
}

/// Limit on undecided shapes per variant whose cost is simulated.
constexpr std::size_t most_open = 16;

}  // namespace

std::string variant_word(const TileVariant& options) {
  return std::string{options.double_buffer ? 'd' : 's',
                     letter(static_cast<std::uint64_t>(options.weights)),
                     letter(static_cast<std::uint64_t>(options.halo)),
                     letter(static_cast<std::uint64_t>(options.stationary)),
                     letter(static_cast<std::uint64_t>(options.one_copy)),
                     letter(static_cast<std::uint64_t>(options.reduction)),
                     letter(static_cast<std::uint64_t>(options.direct))} +
         (options.trailing > 0 ? std::to_string(options.trailing) + ' ' : "");
}

std::string shape_key(const std::string& begin, const tiling::TileShape& shape) {
  std::string key;
  key.reserve(begin.size() + 24);  // usually three extents
  key = begin;
  key += ' ';  // keys of reduced groups end with a number
  for (const Dim extent : shape.extent) (key += std::to_string(extent)) += ' ';
  return key;
}

Candidates::Candidates(const Network& network, const Hardware& hardware, CandidateParams params,
                       std::shared_ptr<PlanMemory> memory)
    : kept_network_(params.keep_geometry ? std::make_shared<const Network>(network) : nullptr),
      network_(kept_network_ ? *kept_network_ : network),
      hardware_(hardware),
      cheapest_(cheapest_on_chip(hardware)),
      params_(std::move(params)),
      memory_(std::move(memory)),
      hardware_key_(memory_->short_for(hardware_key(hardware)) + question_key(params_)),
      placement_key_(memory_->short_for(placement_key(hardware)) + question_key(params_)),
      engine_name_(placer::tile_engine(hardware, params_.engine)->name()),
      readers_(tiling::last_readers(network_)),
      channel_use_(network_, readers_) {
  arrays_ = memory_->arrays(array_key(hardware_), hardware_);
  array_key_ = array_key(cheapest_);
  cheapest_arrays_ = memory_->arrays(array_key_, cheapest_);
  std::string whole = network_.ops.empty()
                          ? std::string()
                          : search::structure_key(part_of({0, network_.ops.size() - 1}));
  for (const TensorIndex t : params_.stays) whole += ' ' + std::to_string(t);
  runs_ = memory_->runs(whole);
  plain_ = only_plain_memory(hardware);
  if (!plain_) {
    of_machine_ = memory_->of_machine(hardware_key(hardware));
    return;
  }
  capacity_ = hardware.memories[*plain_].space.capacity;
  Hardware other = hardware;
  other.memories[*plain_].space.capacity = other.memories[*plain_].space.alignment;
  capacity_free_key_ = memory_->short_for(hardware_key(other)) + question_key(params_);
  load_key_ = 'l' + memory_->short_for(placement_key(other));
  cost_key_ = 'c' + memory_->short_for(hardware_key(other));
}

tiling::Subgraph Candidates::part_of(OpRange ops) const {
  return tiling::make_subgraph(network_, ops, readers_, hardware_, params_.stays);
}

std::vector<std::string> Candidates::kept(OpRange ops) const {
  return params_.stays.empty() ? std::vector<std::string>{} : kept_names(part_of(ops));
}

std::shared_ptr<RunGeometry> Candidates::new_run(OpRange ops) const {
  auto run = std::make_shared<RunGeometry>();
  run->network = kept_network_;
  run->part = part_of(ops);
  return run;
}

/// The full description of a group is long and used in every plan of its network.
std::string Candidates::structure_of(OpRange ops) const {
  return runs_->word(ops, [&] { return memory_->short_for(search::structure_key(part_of(ops))); });
}

std::shared_ptr<RunGeometry> Candidates::geometry_of(OpRange ops,
                                                     const std::string& structure) const {
  std::shared_ptr<RunGeometry> kept;
  if (kept_network_) kept = memory_->geometries().find(structure);
  return kept ? kept : new_run(ops);
}

/// For later queries with this structure. require: the run's lock is held.
void Candidates::keep(const std::string& structure, const std::shared_ptr<RunGeometry>& run) const {
  if (kept_network_) memory_->geometries().keep(structure, run);
}

std::string Candidates::cost_key_of(const std::string& structure,
                                    const TileVariant& options) const {
  return cost_key_ + variant_word(options) + structure;
}

std::shared_ptr<const cost::GridBound> Candidates::grid_bound(const Question& question) const {
  const std::string& machine = plain_ ? capacity_free_key_ : hardware_key_;
  return memory_->bound(machine + question.structure, [&] {
    RunGeometry& run = question.run;
    tiling::TileGeometry& geometry = run.with(HaloPolicy::recompute);
    std::shared_ptr<const cost::GridBound> made;
    if (!geometry.has_volumes()) return made;
    std::vector<std::optional<OpIndex>> readers;
    std::optional<cost::ChannelUse> of_parts;
    if (const Network* own = run.part.own.get())
      of_parts.emplace(*own, readers = tiling::last_readers(*own));
    run.bound = made = std::make_shared<const cost::GridBound>(run.part, geometry.space(),
                                                               of_parts ? *of_parts : channel_use_,
                                                               hardware_, run.bound.get());
    return made;
  });
}

std::optional<Candidates::TooMany> Candidates::too_many(const Question& question,
                                                        const TileVariant& options,
                                                        std::int64_t fewest) const {
  const std::shared_ptr<const cost::GridBound> bound = grid_bound(question);
  if (!bound) return std::nullopt;
  const double limit = question.effort.worth * static_cast<double>(bound->least_latency());
  const TileVariant plain{.weights = options.weights, .direct = options.direct};
  // The tested numbers are fixed: the threshold must not depend on what is known.
  for (std::int64_t tiles = 2; tiles <= bound->most_tiles();
       tiles += std::max<std::int64_t>(1, tiles / 2)) {
    const Metrics least = bound->least(tiles, plain);
    if (static_cast<double>(least.latency_cycles) <= limit) continue;
    return TooMany{tiles, tiles >= fewest ? least : bound->least(fewest, plain)};
  }
  return std::nullopt;
}

/// Searches a tile that fits, unless all candidates are known to be too expensive for the effort.
CandidateAnswer::Tried Candidates::look(const Question& question, const TileVariant& options,
                                        std::int64_t fewest, CandidateAnswer& answer,
                                        bool& searched) const {
  std::optional<TooMany> excess;
  const auto most_tiles = [&] {
    if (!excess && question.effort.worth > 0 && options.halo == HaloPolicy::recompute)
      excess = too_many(question, options, fewest);
    return excess ? excess->tiles - 1 : std::numeric_limits<std::int64_t>::max();
  };
  const auto leave_open = [&] {
    answer.open.push_back(excess->least);
    answer.too_costly = true;
  };
  if (fewest > 1 && most_tiles() < fewest) {
    leave_open();
    return {.variant = options, .decided = false, .option = std::nullopt, .none_below = fewest};
  }
  searched = true;
  tiling::TileGeometry& geometry = question.run.with(options.halo);
  Poll poll(params_.budget);
  const tiling::WatchedGeometry watched(geometry, poll);
  search::TileSearchResult found = search_tile(question, geometry, options, fewest, most_tiles);
  if (found.stop == StopReason::memory_limit) out_of_memory_ = true;
  add_open(answer, geometry, found);
  if (found.cut) leave_open();
  CandidateAnswer::Tried tried =
      outcome(geometry.space(), options, found, fewest, found.cut ? excess->tiles - 1 : 0);
  if (found.status == Status::feasible) {
    tried.option = answer.options.size();
    answer.options.push_back(option_of(question, geometry, options, std::move(found), poll));
  }
  return tried;
}

/// Cost independent of buffer addresses. require: cost_key_ is not empty.
KnownCost Candidates::cost_of(RunGeometry& run, tiling::TileGeometry& geometry,
                              const TileVariant& options, const tiling::TileShape& shape,
                              Poll& poll) const {
  std::shared_ptr<const tiling::Lowering>& lowering =
      run.lowerings[load_key_ + variant_word(options)];
  if (!lowering)
    lowering = std::make_shared<const tiling::Lowering>(
        tiling::lower(geometry.subgraph(), geometry.space(), hardware_, options));
  return cost_anywhere(geometry.subgraph(), geometry.grid(shape), *lowering, hardware_, *arrays_,
                       poll);
}

std::string Candidates::tile_key(const Question& question, const TileVariant& options) const {
  return placement_key_ + std::to_string(question.effort.nodes) + ' ' + variant_word(options) +
         question.structure;
}

/// Known cost and height are not recomputed. An option needs no problem otherwise; make_piece()
/// derives it for the options of the final plan.
PlannedSubgraph Candidates::option_of(const Question& question, tiling::TileGeometry& geometry,
                                      const TileVariant& options, search::TileSearchResult found,
                                      Poll& poll) const {
  std::string cost_key;
  std::string peak_key;
  std::optional<KnownCost> cost;
  if (!cost_key_.empty()) {
    cost_key = shape_key(cost_key_of(question.structure, options), found.shape);
    peak_key = shape_key(tile_key(question, options), found.shape);
    cost = known_costs().find(cost_key);
    if (const std::optional<Size> peak = memory_->peaks().find(peak_key)) {
      if (!cost) {
        cost = cost_of(question.run, geometry, options, found.shape, poll);
        known_costs().keep(cost_key, *cost);
      }
      PlannedSubgraph s = bare_option(geometry.space(), options, found.shape);
      for (Placement& placement : found.placements) {
        placement.modes.assign(1, {});  // the only memory, without modes
        s.placements.push_back(
            {.problem = {}, .placement = std::move(placement), .engine = engine_name_});
      }
      s.metrics = cost->metrics;
      s.metrics.peak_bytes = *peak;
      s.utilisation = cost->utilisation;
      return s;
    }
  }
  complete(found, geometry, options);
  PlannedSubgraph s = make_option(geometry, hardware_, options, std::move(found), engine_name_,
                                  *arrays_, poll, cost ? &*cost : nullptr);
  if (!cost_key.empty()) {
    if (!cost) {
      KnownCost made{.metrics = s.metrics, .utilisation = s.utilisation};
      made.metrics.peak_bytes = 0;
      known_costs().keep(cost_key, made);
    }
    memory_->peaks().keep(peak_key, s.metrics.peak_bytes);
  }
  return s;
}

search::TileSearchResult Candidates::search_tile(
    const Question& question, tiling::TileGeometry& geometry, const TileVariant& options,
    std::int64_t fewest, const std::function<std::int64_t()>& most_tiles) const {
  search::TileSearchParams asked{.options = options,
                                 .engine = nullptr,
                                 .budget = params_.budget,
                                 .nodes_per_question = question.effort.nodes,
                                 .time_per_question = params_.time_per_question,
                                 .seed = params_.seed,
                                 .fewest_tiles = fewest,
                                 .find_most_tiles = most_tiles};
  std::unique_ptr<engine::PlacementEngine> engine;
  if (!kept_network_) {
    engine = placer::tile_engine(hardware_, params_.engine);
    asked.engine = engine.get();
    search::TileSearchResult found = search::find_tile(geometry, hardware_, asked);
    settle(found, geometry, asked);
    return found;
  }
  const std::string key = tile_key(question, options);
  search::TileSearchParams rest = asked;
  std::shared_ptr<const RememberedTile> before;
  if (const auto entry = memory_->tiles().find(key)) {
    const std::shared_ptr<const RememberedTile>& known = *entry;
    const bool one_tile = known->status == Status::feasible && known->tiles == 1;
    const std::int64_t most = one_tile ? std::numeric_limits<std::int64_t>::max() : most_tiles();
    if (auto found = recall(*known, geometry.space(), fewest, most))
      if (recalled(*found, geometry, options)) return std::move(*found);
    // The remembered search was cut before anything fitted: continue from there.
    if (known->cut && known->undecided.empty() && known->fewest <= fewest &&
        fewest <= known->most + 1) {
      rest.fewest_tiles = known->most + 1;
      before = known;
    }
  }
  engine = placer::tile_engine(hardware_, params_.engine);
  rest.engine = engine.get();
  std::int64_t most = 0;
  rest.find_most_tiles = [&] { return most = most_tiles(); };
  search::TileSearchResult found = search::find_tile(geometry, hardware_, rest);
  settle(found, geometry, asked);
  if (!cut_short(found.stop) && !params_.budget.exhausted()) {
    RememberedTile now = known_tile(found, before ? before->fewest : rest.fewest_tiles, most);
    memory_->tiles().keep(key, std::make_shared<const RememberedTile>(std::move(now)));
  }
  return found;
}

/// The buffer addresses of a shape depend on earlier queries: on the first shape of the search and
/// the shapes skipped. A query for the shape alone has the same answer for all callers.
void Candidates::settle(search::TileSearchResult& found, tiling::TileGeometry& geometry,
                        const search::TileSearchParams& asked) const {
  if (found.status != Status::feasible) return;
  const std::unique_ptr<engine::PlacementEngine> engine =
      placer::tile_engine(hardware_, params_.engine);
  search::TileSearchParams alone = asked;
  alone.engine = engine.get();
  alone.nodes_per_question = params_.nodes_per_question;
  alone.fewest_tiles = 1;
  alone.find_most_tiles = nullptr;
  alone.only = found.shape;
  search::TileSearchResult again = search::find_tile(geometry, hardware_, alone);
  if (again.status == Status::feasible) found.placements = std::move(again.placements);
  place_low(found, geometry, hardware_, alone);
}

/// A recalled result has no grid and no problem; complete() derives them. False if they are needed
/// at once and differ from the remembered result.
bool Candidates::recalled(search::TileSearchResult& found, tiling::TileGeometry& geometry,
                          const TileVariant& options) const {
  // Undecided shapes are costed at once.
  if (found.undecided.empty() && (found.status != Status::feasible || !cost_key_.empty()))
    return true;
  complete(found, geometry, options);
  return found.status != Status::feasible || found.demands.size() == found.placements.size();
}

void Candidates::complete(search::TileSearchResult& found, tiling::TileGeometry& geometry,
                          const TileVariant& options) const {
  if (!found.lowering.buffers.empty()) return;
  found.lowering = tiling::lower(geometry.subgraph(), geometry.space(), hardware_, options);
  if (found.status != Status::feasible) return;
  found.grid = geometry.grid(found.shape);
  found.demands =
      tiling::demands(geometry.subgraph(), geometry.space(), found.lowering, found.grid.tiles);
}

CandidateAnswer Candidates::make_answer(RunGeometry& run, const std::string& structure, int level,
                                        const CandidateAnswer* before, bool& searched) const {
  CandidateAnswer answer;
  const Effort effort = effort_at(level, params_.nodes_per_question);
  look_at_variants({run, structure, effort}, lowering_variants(run.part, hardware_), before, answer,
                   searched);
  if (answer.options.empty() && answer.complete())
    look_at_variants({run, structure, effort}, direct_variants(run.part, hardware_), before, answer,
                     searched);
  // If no tile fits the whole sum, try reductions in parts.
  if (answer.options.empty() && answer.complete())
    for (const Reduced& split : reduced(run, structure)) {
      look_at_variants({*split.run, split.structure, effort},
                       in_parts(lowering_variants(split.run->part, hardware_), split.parts), before,
                       answer, searched);
      if (!answer.options.empty() || !answer.complete()) break;
    }
  answer.final =
      answer.complete() || (effort.nodes == params_.nodes_per_question && effort.worth <= 0);
  plainest_first(answer);
  return answer;
}

void Candidates::look_at_variants(const Question& question,
                                  const std::vector<TileVariant>& variants,
                                  const CandidateAnswer* before, CandidateAnswer& answer,
                                  bool& searched) const {
  bool single_tile = false;
  for (const TileVariant& options : variants) {
    // Two copies of a single tile's buffers hide nothing, unless its reduction has parts.
    if (options.double_buffer && single_tile && options.reduction == 1) continue;
    std::int64_t fewest = 1;
    if (!follows_from_easier(options, answer, fewest) &&
        !carry_over(options, before, answer, fewest))
      answer.tried.push_back(look(question, options, fewest, answer, searched));
    const CandidateAnswer::Tried& tried = answer.tried.back();
    if (tried.option)
      single_tile = single_tile ||
                    (!options.double_buffer && answer.options[*tried.option].tile_count() == 1);
  }
}

std::vector<Candidates::Reduced> Candidates::reduced(RunGeometry& run,
                                                     const std::string& structure) const {
  std::vector<Reduced> all;
  if (!splits_sums(hardware_) || !tiling::reducible_step(run.part, hardware_)) return all;
  std::vector<std::int64_t> counts = hardware_.tiling.reduction;
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  for (const std::int64_t parts : counts) {
    std::optional<tiling::Subgraph> split = tiling::split_reduction(run.part, hardware_, parts);
    if (!split) continue;
    const std::size_t sums = split->made_at[static_cast<std::size_t>(split->split_at)].front();
    const Size width = split->tensors[sums].bytes.bits / 8;
    std::shared_ptr<RunGeometry>& kept = run.reduced[{parts, width}];
    if (!kept) {
      kept = std::make_shared<RunGeometry>();
      kept->network = run.network;
      kept->part = *std::move(split);
    }
    all.push_back(
        {parts, kept.get(), structure + "/" + std::to_string(parts) + "/" + std::to_string(width)});
  }
  return all;
}

/// Summary of a tile search.
CandidateAnswer::Tried Candidates::outcome(const tiling::TileSpace& space,
                                           const TileVariant& variant,
                                           const search::TileSearchResult& found,
                                           std::int64_t fewest, std::int64_t most_tiles) const {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  CandidateAnswer::Tried tried{
      .variant = variant,
      .decided = found.undecided.empty() && found.status != Status::unknown,
      .option = std::nullopt,
      .none_below = none};
  if (found.status == Status::feasible) tried.none_below = tiles_of(space, found.shape);
  if (found.cut) tried.none_below = most_tiles + 1;
  for (const tiling::TileShape& shape : found.undecided)
    tried.none_below = std::min(tried.none_below, tiles_of(space, shape));
  // If all shapes are undecided, those with the fewest tiles are listed, provided they have enough.
  if (found.status == Status::unknown &&
      (cut_short(found.stop) || (found.given_up && found.undecided.empty())))
    tried.none_below = fewest;
  return tried;
}

bool Candidates::follows_from_easier(const TileVariant& variant, CandidateAnswer& answer,
                                     std::int64_t& fewest) {
  for (const CandidateAnswer::Tried& tried : answer.tried) {
    if (!easier(tried.variant, variant)) continue;
    if (tried.decided && !tried.option) {
      CandidateAnswer::Tried same = tried;
      same.variant = variant;
      answer.tried.push_back(same);
      return true;
    }
    fewest = std::max(fewest, tried.none_below);
  }
  return false;
}

bool Candidates::carry_over(const TileVariant& variant, const CandidateAnswer* before,
                            CandidateAnswer& answer, std::int64_t& fewest) {
  if (before == nullptr) return false;
  const auto tried = std::ranges::find(before->tried, variant, &CandidateAnswer::Tried::variant);
  if (tried == before->tried.end()) return false;
  fewest = std::max(fewest, tried->none_below);
  if (!tried->decided) return false;
  CandidateAnswer::Tried same = *tried;
  if (tried->option) {
    same.option = answer.options.size();
    answer.options.push_back(before->options[*tried->option]);
  }
  answer.tried.push_back(same);
  return true;
}

void Candidates::add_open(CandidateAnswer& answer, tiling::TileGeometry& geometry,
                          const search::TileSearchResult& found) const {
  // If shapes with many tiles were cut, `unknown` has no other reason.
  if (cut_short(found.stop) ||
      (found.undecided.empty() && found.status == Status::unknown && !found.cut) ||
      found.given_up || found.undecided.size() > most_open)
    answer.open_beyond = true;
  answer.undecided = answer.undecided || answer.open_beyond || !found.undecided.empty();
  if (answer.open_beyond) return;  // a few known shapes say nothing about the rest
  Poll poll(params_.budget);
  for (const tiling::TileShape& shape : found.undecided) {
    if (params_.budget.exhausted()) {
      answer.open_beyond = true;
      return;
    }
    const Piece piece =
        make_piece(geometry.subgraph(), geometry.space(), geometry.grid(shape), found.lowering);
    answer.open.push_back(least_metrics(piece, cheapest_, *cheapest_arrays_, poll));
  }
}

CandidateCounts Candidates::counts() const {
  const std::lock_guard guard(lock_);
  CandidateCounts counts = counts_;
  counts.shapes = shapes_;
  for (const auto& [run, known] : of_run_) {
    if (!known.answer) continue;
    if (known.answer->undecided)
      ++counts.unknown;
    else if (known.answer->complete() && known.answer->options.empty())
      ++counts.infeasible;
  }
  return counts;
}

}  // namespace tessera::planner
