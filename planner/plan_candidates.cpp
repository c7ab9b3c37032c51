#include "planner/plan_candidates.h"

#include <algorithm>
#include <sstream>

#include "cost/settle_modes.h"
#include "cost/tiled_run.h"
#include "planner/engines.h"
#include "planner/plan_piece.h"
#include "planner/tile.h"
#include "planner/tile_engine.h"
#include "search/partition/structure.h"
#include "search/tiles/tile_search.h"

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

/// Single-buffered ones first, since they say whether one tile is enough.
std::vector<LoweringOptions> variants(const TilingOptions& tiling) {
  std::vector<LoweringOptions> all;
  for (const TileVariant& variant : tile_variants(tiling))
    all.push_back({variant.double_buffer, variant.weights, variant.halo});
  std::ranges::stable_sort(all, {}, &LoweringOptions::double_buffer);
  return all;
}

PlannedSubgraph planned(const Subgraph& part, const Hardware& hardware,
                        const LoweringOptions& options, TileSearchResult found,
                        std::string_view engine) {
  PlannedSubgraph s;
  s.extent = found.shape.extent;
  s.counts = found.grid.counts;
  s.double_buffer = options.double_buffer;
  s.weights = options.weights;
  s.halo = options.halo;
  const TileSpace space = tile_space(part);
  const Piece piece = make_piece(part, space, std::move(found.grid), std::move(found.lowering));
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

}  // namespace

Candidates::Candidates(const Network& network, const Hardware& hardware, CandidateParams params,
                       std::shared_ptr<PlanMemory> memory)
    : network_(network),
      hardware_(hardware),
      params_(std::move(params)),
      memory_(std::move(memory)),
      hardware_key_(hardware_key(hardware) + std::to_string(params_.nodes_per_question) + ' ' +
                    std::to_string(params_.seed) + '\n'),
      readers_(last_readers(network)) {}

std::shared_ptr<const CandidateAnswer> Candidates::answer(OpRange ops) {
  {
    const std::lock_guard guard(lock_);
    const auto known = of_run_.find({ops.first, ops.last});
    if (known != of_run_.end()) return known->second;
  }
  const Subgraph part = make_subgraph(network_, ops, readers_);
  const std::string key = hardware_key_ + structure_key(part);
  bool fresh = false;
  auto answer = memory_->get(key, fresh, [&] { return make_answer(part); });
  if (!answer->complete && params_.budget.exhausted()) memory_->forget(key);
  const std::lock_guard guard(lock_);
  ++(fresh ? counts_.solved : counts_.reused);
  if (!answer->complete)
    ++counts_.unknown;
  else if (answer->options.empty())
    ++counts_.infeasible;
  return of_run_.emplace(std::pair(ops.first, ops.last), std::move(answer)).first->second;
}

CandidateAnswer Candidates::make_answer(const Subgraph& part) const {
  CandidateAnswer answer;
  bool single_tile = false;
  for (const LoweringOptions& options : variants(hardware_.tiling)) {
    // Two copies of a single tile's buffers would hide nothing.
    if (options.double_buffer && single_tile) continue;
    const std::unique_ptr<PlacementEngine> engine = tile_engine(hardware_);
    TileSearchResult found = find_tile(part, hardware_,
                                       {.options = options,
                                        .engine = engine.get(),
                                        .budget = params_.budget,
                                        .nodes_per_question = params_.nodes_per_question,
                                        .seed = params_.seed});
    answer.complete =
        answer.complete && found.undecided.empty() && (found.status != Status::unknown);
    if (found.lacking > 0 && (answer.lacking == 0 || found.lacking < answer.lacking))
      answer.lacking = found.lacking;
    if (found.status != Status::feasible) continue;
    single_tile = single_tile || (!options.double_buffer && found.grid.count() == 1);
    answer.options.push_back(planned(part, hardware_, options, std::move(found), engine->name()));
  }
  if (!answer.options.empty()) answer.lacking = 0;
  return answer;
}

CandidateCounts Candidates::counts() const {
  const std::lock_guard guard(lock_);
  return counts_;
}

}  // namespace tessera
