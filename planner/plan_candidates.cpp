#include "planner/plan_candidates.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <sstream>

#include "cost/settle_modes.h"
#include "cost/tiled_run.h"
#include "model/derived.h"
#include "planner/engines.h"
#include "planner/plan_open.h"
#include "planner/plan_piece.h"
#include "planner/tile.h"
#include "planner/tile_engine.h"
#include "search/partition/structure.h"

namespace tessera {

namespace {

void describe(std::ostream& out, const Memory& m) {
  out << m.capacity << ' ' << m.alignment << ' ' << m.straddle << ' ' << m.modes_per_bank << ' ';
  for (const Bank& bank : m.banks) {
    out << 'b' << bank.size;
    for (const Role role : bank.roles) out << ',' << static_cast<int>(role);
  }
  for (const Mode& mode : m.modes) {
    out << 'm' << mode.name << ':';
    for (const Role role : mode.roles) out << static_cast<int>(role) << ',';
  }
  for (const AddressRange& range : m.reserved) out << 'r' << range.begin << '-' << range.end;
}

/// Everything of a profile that an answer can depend on; names of memories and engines too, since
/// answers contain them.
std::string hardware_key(const Hardware& h) {
  std::ostringstream out;
  out.precision(17);
  out << h.clock_hz << ' ' << h.static_power_mw << ' ' << h.dma.channels << ' ' << h.dma.outstanding
      << ' ' << h.dma.setup << ' ' << h.mode_switch.cycles << ' ' << h.mode_switch.energy_pj
      << '\n';
  for (const Engine& e : h.engines) {
    out << e.name << ' ' << static_cast<int>(e.kind) << ' ' << e.energy_pj << ' ' << e.dtype << ' '
        << e.fill << ' ' << e.lanes << ' ' << e.startup << ' ' << e.default_cycles_per_vector;
    for (const auto& [dim, n] : e.unroll) out << ' ' << dim << '=' << n;
    for (const auto& [type, factor] : e.dtype_factor) out << ' ' << type << '*' << factor;
    for (const auto& [op, cycles] : e.cycles_per_vector) out << ' ' << op << '/' << cycles;
    out << '\n';
  }
  for (const HardwareMemory& m : h.memories) {
    out << m.space.name << ' ' << m.offchip << ' ' << m.energy.read_pj << ' ' << m.energy.write_pj
        << ' ' << m.burst << ' ' << m.latency << ' '
        << (m.bandwidth ? m.bandwidth->bytes_per_cycle(h.clock_hz) : 0) << ' ';
    describe(out, m.space);
    out << '\n';
  }
  for (const OperandRestriction& r : h.restrictions) {
    out << static_cast<int>(r.kind);
    for (const std::string& operand : r.operands) out << ' ' << operand;
    out << '\n';
  }
  for (const bool twice : h.tiling.double_buffer) out << twice;
  for (const WeightPolicy policy : h.tiling.weights) out << static_cast<int>(policy);
  for (const HaloPolicy policy : h.tiling.halo) out << static_cast<int>(policy);
  return out.str();
}

/// The easier ones first, since what they say holds for the others: single-buffered, and of those
/// the ones that fetch weights again.
std::vector<LoweringOptions> variants(const TilingOptions& tiling) {
  std::vector<LoweringOptions> all;
  for (const TileVariant& variant : tile_variants(tiling))
    all.push_back({variant.double_buffer, variant.weights, variant.halo});
  std::ranges::stable_sort(all, {}, [](const LoweringOptions& options) {
    return std::pair(options.double_buffer,
                     options.double_buffer != (options.weights == WeightPolicy::resident));
  });
  return all;
}

PlannedSubgraph planned(const TileGeometry& geometry, const Hardware& hardware,
                        const LoweringOptions& options, TileSearchResult found,
                        std::string_view engine) {
  PlannedSubgraph s;
  s.extent = found.shape.extent;
  s.counts = found.grid.counts;
  s.double_buffer = options.double_buffer;
  s.weights = options.weights;
  s.halo = options.halo;
  const Piece piece = make_piece(geometry.subgraph(), geometry.space(), std::move(found.grid),
                                 std::move(found.lowering));
  for (std::size_t k = 0; k < found.placements.size(); ++k) {
    PlannedPlacement p{.problem = piece_problem(piece, k),
                       .placement = std::move(found.placements[k]),
                       .engine = std::string(engine)};
    p.placement.modes = settle_modes(p.problem, p.placement.places);
    s.placements.push_back(std::move(p));
  }
  const RunCost cost = run_cost(piece_run(piece, hardware, s.placements));
  s.metrics = cost.metrics;
  s.utilisation = cost.utilisation;
  s.mode_switches = cost.mode_switches;
  return s;
}

/// The only memory on the chip, where nothing about it but its capacity is a number of bytes that
/// would have to change with it.
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

/// Search nodes per question, effort by effort: most questions are easy, most of the hard ones do
/// not matter.
std::int64_t nodes_with(int effort, std::int64_t most) {
  constexpr std::array<std::int64_t, 2> first{150, 3000};
  return static_cast<std::size_t>(effort) < first.size()
             ? std::min(most, first[static_cast<std::size_t>(effort)])
             : most;
}

/// Does whatever fits in the variant `hard` fit in `easy`? Double buffering adds copies and longer
/// lives to what one tile needs alone; without it, weights that are fetched again live shorter and
/// are no larger. (With it they may need two copies.)
bool easier(const LoweringOptions& easy, const LoweringOptions& hard) {
  if (easy.halo != hard.halo || easy.double_buffer) return false;
  if (easy.weights == hard.weights) return hard.double_buffer;
  return easy.weights == WeightPolicy::refetch && !hard.double_buffer;
}

/// What the easier variants say about one: true where it is all there is to say, that nothing fits.
bool follows_from_easier(const LoweringOptions& variant, CandidateAnswer& answer,
                         std::int64_t& fewest_tiles) {
  for (const CandidateAnswer::Tried& tried : answer.tried) {
    if (!tried.decided || !easier(tried.variant, variant)) continue;
    if (!tried.option) {
      CandidateAnswer::Tried same = tried;
      same.variant = variant;
      answer.tried.push_back(same);
      return true;
    }
    fewest_tiles = std::max(fewest_tiles, answer.options[*tried.option].tile_count());
  }
  return false;
}

/// Where options cost the same, people expect weights that stay.
void plainest_first(CandidateAnswer& answer) {
  std::vector<std::size_t> order(answer.options.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) {
    const PlannedSubgraph& s = answer.options[k];
    return std::pair(s.double_buffer, s.weights == WeightPolicy::refetch);
  });
  std::vector<PlannedSubgraph> sorted;
  for (const std::size_t k : order) sorted.push_back(std::move(answer.options[k]));
  answer.options = std::move(sorted);
  for (CandidateAnswer::Tried& tried : answer.tried)
    if (tried.option)
      tried.option =
          static_cast<std::size_t>(std::ranges::find(order, *tried.option) - order.begin());
}

/// By how much the capacity can grow before the search might find another shape.
Size headroom_of(const TileSearchResult& found) {
  if (found.status == Status::feasible && found.grid.count() == 1)
    return std::numeric_limits<Size>::max() / 4;  // there is no larger tile
  if (found.status != Status::infeasible || found.lacking == 0) return 0;
  // Loads were rounded up to the alignment.
  Size granule = 1;
  for (const Memory& memory : found.lowering.problem.memories)
    granule = std::max(granule, memory.alignment);
  return std::max<Size>(0, found.lacking - granule);
}

/// Shapes of one variant whose cost is worth simulating before anyone knows that they fit.
constexpr std::size_t most_open = 16;

}  // namespace

Candidates::Candidates(const Network& network, const Hardware& hardware, CandidateParams params,
                       std::shared_ptr<PlanMemory> memory)
    : kept_network_(params.keep_geometry ? std::make_shared<const Network>(network) : nullptr),
      network_(kept_network_ ? *kept_network_ : network),
      hardware_(hardware),
      cheapest_(cheapest_on_chip(hardware)),
      params_(std::move(params)),
      memory_(std::move(memory)),
      hardware_key_(hardware_key(hardware) + std::to_string(params_.nodes_per_question) + ' ' +
                    std::to_string(params_.seed) + '\n'),
      readers_(last_readers(network_)) {
  plain_ = only_plain_memory(hardware);
  if (!plain_) return;
  Hardware other = hardware;
  other.memories[*plain_].space.capacity = other.memories[*plain_].space.alignment;
  capacity_free_key_ = hardware_key(other) + std::to_string(params_.nodes_per_question) + ' ' +
                       std::to_string(params_.seed) + '\n';
}

std::shared_ptr<const CandidateAnswer> Candidates::answer(OpRange ops, int effort) {
  {
    const std::lock_guard guard(lock_);
    const auto known = of_run_.find({ops.first, ops.last});
    if (known != of_run_.end() && (known->second.effort >= effort || known->second.answer->final))
      return known->second.answer;
  }
  auto run = std::make_shared<RunGeometry>();
  run->network = kept_network_;
  run->part = make_subgraph(network_, ops, readers_);
  const std::string structure = structure_key(run->part);
  const std::string key = hardware_key_ + std::to_string(effort) + structure;
  const std::string question = capacity_free_key_.empty() ? "" : capacity_free_key_ + structure;
  bool fresh = false;
  bool searched = false;
  auto answer = memory_->get(key, fresh, [&] {
    if (kept_network_)
      if (auto known = memory_->geometry(structure)) run = std::move(known);
    const std::lock_guard guard(run->lock);
    CandidateAnswer made = make_answer(
        *run, effort, question.empty() ? OfCapacity{} : memory_->noted(question), searched);
    // Where nothing fits it is as quickly made again.
    if (kept_network_ && !made.options.empty()) memory_->keep(structure, run);
    return made;
  });
  if (!answer->complete() && params_.budget.exhausted()) memory_->forget(key);
  if (searched && !question.empty())
    memory_->note(question, hardware_.memories[*plain_].space.capacity, answer);
  const std::lock_guard guard(lock_);
  Known& known = of_run_[{ops.first, ops.last}];
  if (!known.answer) ++(searched ? counts_.solved : counts_.reused);
  known = {answer, effort};
  return answer;
}

CandidateAnswer Candidates::make_answer(RunGeometry& run, int effort, const OfCapacity& others,
                                        bool& searched) const {
  const Subgraph& part = run.part;
  CandidateAnswer answer;
  const std::int64_t nodes = nodes_with(effort, params_.nodes_per_question);
  const std::unique_ptr<PlacementEngine> engine = tile_engine(hardware_);
  bool single_tile = false;
  for (const LoweringOptions& options : variants(hardware_.tiling)) {
    // Two copies of a single tile's buffers would hide nothing.
    if (options.double_buffer && single_tile) continue;
    std::int64_t fewest_tiles = 1;
    if (!follows_from_easier(options, answer, fewest_tiles) &&
        !carry_over(options, others, answer, fewest_tiles)) {
      searched = true;
      TileGeometry& geometry =
          run.of_halo.try_emplace(options.halo, part, options.halo).first->second;
      TileSearchResult found = find_tile(geometry, hardware_,
                                         {.options = options,
                                          .engine = engine.get(),
                                          .budget = params_.budget,
                                          .nodes_per_question = nodes,
                                          .seed = params_.seed,
                                          .fewest_tiles = fewest_tiles});
      add_open(answer, geometry, found);
      CandidateAnswer::Tried tried{
          .variant = options,
          .decided = found.undecided.empty() && found.status != Status::unknown,
          .option = std::nullopt,
          .headroom = headroom_of(found),
          .lacking = found.lacking};
      if (found.status == Status::feasible) {
        tried.option = answer.options.size();
        answer.options.push_back(
            planned(geometry, hardware_, options, std::move(found), engine->name()));
      }
      answer.tried.push_back(tried);
    }
    const CandidateAnswer::Tried& tried = answer.tried.back();
    if (tried.lacking > 0 && (answer.lacking == 0 || tried.lacking < answer.lacking))
      answer.lacking = tried.lacking;
    if (tried.option)
      single_tile = single_tile ||
                    (!options.double_buffer && answer.options[*tried.option].tile_count() == 1);
  }
  answer.final = answer.complete() || nodes == params_.nodes_per_question;
  if (!answer.options.empty()) answer.lacking = 0;
  plainest_first(answer);
  return answer;
}

bool Candidates::carry_over(const LoweringOptions& variant, const OfCapacity& others,
                            CandidateAnswer& answer, std::int64_t& fewest_tiles) const {
  if (others.empty()) return false;
  const Size capacity = hardware_.memories[*plain_].space.capacity;
  for (const auto& [other, known] : others) {
    const auto tried = std::ranges::find(known->tried, variant, &CandidateAnswer::Tried::variant);
    if (tried == known->tried.end() || !tried->decided) continue;
    // What did not fit does not fit where there is less room, or too little more.
    const bool no_larger = capacity <= other || capacity - other <= tried->headroom;
    if (!no_larger) continue;
    CandidateAnswer::Tried same = *tried;
    same.headroom += other - capacity;
    if (!tried->option) {
      if (same.lacking > 0) same.lacking += other - capacity;
      answer.tried.push_back(same);
      return true;
    }
    const PlannedSubgraph& option = known->options[*tried->option];
    fewest_tiles = std::max(fewest_tiles, option.tile_count());
    if (option.metrics.peak_bytes > capacity) continue;
    same.option = answer.options.size();
    answer.tried.push_back(same);
    answer.options.push_back(option);
    for (PlannedPlacement& p : answer.options.back().placements)
      p.problem.memories.front().capacity = capacity;
    return true;
  }
  return false;
}

void Candidates::add_open(CandidateAnswer& answer, TileGeometry& geometry,
                          const TileSearchResult& found) const {
  if (found.undecided.empty()) {
    answer.open_beyond = answer.open_beyond || found.status == Status::unknown;
    return;
  }
  if (found.stop != StopReason::completed && found.stop != StopReason::node_limit)
    answer.open_beyond = true;
  for (std::size_t k = 0; k < found.undecided.size(); ++k) {
    if (k == most_open || params_.budget.exhausted()) {
      answer.open_beyond = true;
      return;
    }
    const Piece piece = make_piece(geometry.subgraph(), geometry.space(),
                                   geometry.grid(found.undecided[k]), found.lowering);
    answer.open.push_back(least_metrics(piece, cheapest_));
  }
}

CandidateCounts Candidates::counts() const {
  const std::lock_guard guard(lock_);
  CandidateCounts counts = counts_;
  for (const auto& [run, known] : of_run_) {
    if (!known.answer->complete())
      ++counts.unknown;
    else if (known.answer->options.empty())
      ++counts.infeasible;
  }
  return counts;
}

}  // namespace tessera
