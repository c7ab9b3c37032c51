#include "planner/describe.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cost/tiled_run.h"
#include "planner/idle.h"
#include "planner/offchip.h"
#include "planner/piece.h"

namespace tessera::planner {

PlannedSubgraph subgraph_of(const Network& network, const Hardware& hardware, OpRange ops,
                            PlannedSubgraph option, std::vector<std::string> kept) {
  option.ops = ops;
  option.names.clear();
  for (OpIndex op = ops.first; op <= ops.last; ++op) option.names.push_back(network.ops[op].name);
  option.kept = std::move(kept);
  const Piece piece = make_piece(network, hardware, option);
  for (std::size_t k = 0; k < option.placements.size(); ++k)
    option.placements[k].problem = piece_problem(piece, k);
  return option;
}

Metrics totals_of(std::span<const PlannedSubgraph> runs) {
  Metrics totals;
  for (const PlannedSubgraph& run : runs) totals = cost::combine(totals, run.metrics);
  return totals;
}

void settle_off_chip(const Network& network, const Hardware& hardware, const Budget& budget,
                     NetworkPlan& plan) {
  OffchipAnswer answer = place_offchip(network, hardware, plan.subgraphs, budget);
  plan.offchip = std::move(answer.memories);
  if (answer.too_small.empty()) return;
  plan.status = Status::unknown;
  plan.optimal = false;
  plan.subgraphs.clear();
  plan.reason = std::move(answer.too_small);
}

void describe(const Network& network, const Hardware& hardware, const cost::Score& score,
              NetworkPlan& plan) {
  plan.layers.clear();
  for (const PlannedSubgraph& s : plan.subgraphs) {
    const Piece piece = make_piece(network, hardware, s);
    const cost::RunCost cost = cost::run_cost(piece_run(piece, hardware, s.placements));
    std::ranges::move(piece_layers(piece, cost), std::back_inserter(plan.layers));
  }
  plan.totals = totals_of(plan.subgraphs);
  plan.score = cost::score_of(score, plan.totals);
  const std::vector<Memory> memories = placement_memories(hardware);
  plan.unused_modes = unused_modes(memories, plan.subgraphs);
  plan.idle_banks = idle_banks(memories, plan.subgraphs);
}

}  // namespace tessera::planner
