#include "planner/walk.h"

#include <algorithm>
#include <utility>

#include "cost/group_parts.h"

namespace tessera::planner {

std::vector<cost::Cycles> begins_of(const NetworkPlan& plan) {
  if (!plan.behind.begins.empty()) return plan.behind.begins;
  std::vector<cost::Cycles> begins;
  cost::Cycles begin = 0;
  for (const PlannedSubgraph& planned : plan.subgraphs) {
    begins.push_back(begin);
    begin += planned.metrics.latency_cycles;
  }
  return begins;
}

void walk_plan(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
               std::int64_t max_events, const std::function<void(SimulatedRun)>& use) {
  const std::vector<cost::Cycles> begins = begins_of(plan);
  const std::vector<std::optional<OpIndex>> readers = tiling::last_readers(network);
  for (const PlannedSubgraph& planned : plan.subgraphs) {
    SimulatedRun run;
    run.planned = &planned;
    run.index = static_cast<std::size_t>(&planned - plan.subgraphs.data());
    run.piece = make_piece(network, hardware, planned, readers);
    run.schedule = cost::group_schedule(piece_run(run.piece, hardware, planned.placements));
    const cost::PipelineRun done =
        cost::simulate(run.schedule.pipeline, {.events = &run.events, .max_events = max_events});
    run.cut = static_cast<std::int64_t>(run.events.size()) >= max_events;
    run.begin = begins[run.index];
    run.cycles = done.cycles;
    run.static_pj = cost::static_energy(hardware, done.cycles);
    use(std::move(run));
  }
}

Windows::Windows(cost::Cycles total, std::size_t most)
    : total_(static_cast<double>(std::max<cost::Cycles>(1, total))) {
  const std::size_t count = std::max<std::size_t>(
      1, total_ < static_cast<double>(most) ? static_cast<std::size_t>(total_) : most);
  width = total_ / static_cast<double>(count);
  for (std::vector<double>* each : {&read, &written, &energy}) each->assign(count, 0);
}

void Windows::spread(std::vector<double>& into, double begin, double end, double amount) const {
  if (amount == 0) return;
  const auto last = static_cast<double>(into.size() - 1);
  const auto at = [&](double cycle) {
    return static_cast<std::size_t>(std::clamp(cycle / width, 0.0, last));
  };
  const std::size_t from = at(begin);
  if (end <= begin) {
    into[from] += amount;
    return;
  }
  const double rate = amount / (end - begin);
  for (std::size_t k = from; k <= at(end); ++k) {
    const double low = std::max(begin, width * static_cast<double>(k));
    // Rounding beyond the last window counts to that window.
    const double high =
        k + 1 == into.size() ? end : std::min(end, width * static_cast<double>(k + 1));
    if (high > low) into[k] += rate * (high - low);
  }
}

void Windows::add(const PlannedBehind& behind) {
  for (const PlannedFetch& fetch : behind.fetches)
    spread(energy, static_cast<double>(fetch.begin), static_cast<double>(fetch.end),
           behind.energy_pj * static_cast<double>(fetch.bytes) / static_cast<double>(behind.bytes));
}

void Windows::add(const SimulatedRun& run) {
  const auto begin = static_cast<double>(run.begin);
  const double end = begin + static_cast<double>(run.cycles);
  double bytes = 0;
  double energy_pj = run.static_pj;
  double known = begin;
  spread(energy, begin, end, run.static_pj);
  const auto flow = [&](const cost::TaskFlow& of, cost::Cycles from, cost::Cycles to) {
    const double until = begin + static_cast<double>(to);
    spread(of.load ? read : written, until - static_cast<double>(of.bus), until,
           static_cast<double>(of.bytes));
    spread(energy, begin + static_cast<double>(from), until, of.energy_pj);
    bytes += static_cast<double>(of.bytes);
    energy_pj += of.energy_pj;
    known = std::max(known, until);
  };
  for (const cost::PipelineEvent& e : run.events)
    flow(run.schedule.flows[e.tile_class][e.task], e.begin, e.end);
  const double from = run.cut ? std::min(known, end) : begin;
  spread(read, from, end,
         std::max(0.0, static_cast<double>(run.planned->metrics.dram_bytes) - bytes));
  spread(energy, from, end, std::max(0.0, run.planned->metrics.energy_pj - energy_pj));
}

}  // namespace tessera::planner
