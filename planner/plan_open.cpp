#include "planner/plan_open.h"

#include <algorithm>

#include "cost/run_parts.h"
#include "model/derived.h"

namespace tessera {
namespace {

/// Bytes alive at the fullest step.
Size peak_load(const PlacementProblem& problem) {
  Size peak = 0;
  for (Step step = 0; step < horizon(problem); ++step) {
    Size load = 0;
    for (const Buffer& buffer : problem.buffers)
      if (live_at(buffer, step)) load += buffer.size;
    peak = std::max(peak, load);
  }
  return peak;
}

}  // namespace

Hardware cheapest_on_chip(const Hardware& hardware) {
  Hardware cheap = hardware;
  const AccessEnergy least = cheapest_access(hardware);
  // Which of several memories a buffer will lie in is not known yet.
  const bool several = std::ranges::count(hardware.memories, false, &HardwareMemory::offchip) > 1;
  for (HardwareMemory& memory : cheap.memories) {
    if (memory.offchip) continue;
    memory.energy = least;
    if (several) memory.bandwidth.reset();
  }
  return cheap;
}

Metrics least_metrics(const Piece& piece, const Hardware& hardware, ArrayMemo& arrays, Poll& poll) {
  // Offsets do not matter to the simulation; modes do, and none switches least.
  std::vector<PlannedPlacement> anywhere;
  Size peak = 0;
  for (std::size_t k = 0; k < piece.demands.size(); ++k) {
    PlannedPlacement placed{.problem = piece_problem(piece, k), .placement = {}, .engine = {}};
    placed.placement.places.resize(placed.problem.buffers.size());
    peak = std::max(peak, peak_load(placed.problem));
    anywhere.push_back(std::move(placed));
  }
  TiledRun run = piece_run(piece, hardware, anywhere);
  run.poll = &poll;
  run.memo = &arrays;
  Metrics metrics = run_cost(run).metrics;
  metrics.peak_bytes = peak;
  metrics.peak_bandwidth = 0;
  return metrics;
}

}  // namespace tessera
