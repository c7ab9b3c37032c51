// plan_trace() and plan_picture(): the simulated execution of a plan.
#include "cost/trace.h"

#include <algorithm>
#include <map>

#include "io/plan_picture/plan_picture.h"
#include "model/live_bytes.h"
#include "model/off_chip.h"
#include "planner/chart.h"
#include "planner/pinned.h"
#include "planner/walk.h"
#include "tessera/plan.h"
#include "validation/requirements.h"

namespace tessera::planner {

namespace {

constexpr std::int64_t most_trace_events = 20'000;  ///< per subgraph
constexpr std::size_t most_windows = 2000;
constexpr std::size_t run_lane = 0;
constexpr std::size_t behind_lane = 1'000;  ///< below all others

/// Lanes 1, 2, ...: the channels of resource 0, then those of resource 1, and so on.
std::size_t lane_of(const cost::Pipeline& pipeline, std::size_t resource, int channel) {
  std::size_t lane = 1;
  for (std::size_t r = 0; r < resource; ++r)
    lane += static_cast<std::size_t>(pipeline.resources[r].channels);
  return lane + static_cast<std::size_t>(channel);
}

class Tracer {
 public:
  Tracer(const Hardware& hardware, const NetworkPlan& plan)
      : plan_(plan),
        memories_(placement_memories(hardware)),
        trace_(hardware.clock_hz),
        windows_(plan.totals.latency_cycles, most_windows),
        clock_hz_(hardware.clock_hz),
        offchip_(off_chip::names(hardware)),
        pinned_bytes_(memories_.size(), 0),
        last_(memories_.size(), -1) {
    for (const PlannedPin& pin : plan.pinned)
      for (std::size_t m = 0; m < memories_.size(); ++m)
        if (memories_[m].name == pin.memory) pinned_bytes_[m] += pin.bytes;
    trace_.process(plan.network + " on " + plan.profile);
  }

  void add(const SimulatedRun& run) {
    if (run.index == 0) name_lanes(run.schedule);
    windows_.add(run);
    const PlannedSubgraph& s = *run.planned;
    std::string name = s.names.front();
    if (s.names.size() > 1) name += " .. " + s.names.back();
    trace_.span({.name = run.cut ? name + " (first commands only)" : name,
                 .kind = "run",
                 .lane = run_lane,
                 .begin = run.begin,
                 .end = run.begin + run.cycles,
                 .numbers = {{"ops", static_cast<std::int64_t>(s.ops.size())},
                             {"tiles", s.tile_count()},
                             {"peak_bytes", s.metrics.peak_bytes}}});
    for (const cost::PipelineEvent& e : run.events) command(run, name, e);
    in_use(run);
  }

  std::string json() {
    windows_.add(plan_.behind);
    from_behind();
    for (std::size_t m = 0; m < memories_.size(); ++m) sample(m, end_, pinned_bytes_[m]);
    off_the_chip();
    const double per_second = clock_hz_ / windows_.width;
    for (std::size_t k = 0; k < windows_.read.size(); ++k) {
      const double at = windows_.width * static_cast<double>(k);
      trace_.counter(offchip_ + ", bytes per cycle", at,
                     {{"read", windows_.read[k] / windows_.width},
                      {"written", windows_.written[k] / windows_.width}});
      // pJ per second are 1e-9 mW.
      trace_.counter("power, mW", at, {{"mW", windows_.energy[k] * per_second * 1e-9}});
    }
    trace_.counter(offchip_ + ", bytes per cycle", end_, {{"read", 0}, {"written", 0}});
    trace_.counter("power, mW", end_, {{"mW", 0}});
    return trace_.json();
  }

 private:
  void name_lanes(const cost::GroupSchedule& schedule) {
    const cost::Pipeline& pipeline = schedule.pipeline;
    trace_.lane(run_lane, "groups of ops");
    for (std::size_t r = 0; r < schedule.commanded; ++r) {
      if (pipeline.resources[r].name.empty()) continue;  // in the queue of another engine
      for (int channel = 0; channel < pipeline.resources[r].channels; ++channel)
        trace_.lane(lane_of(pipeline, r, channel),
                    pipeline.resources[r].name +
                        (pipeline.resources[r].channels > 1 ? " " + std::to_string(channel) : ""));
    }
  }

  void command(const SimulatedRun& run, const std::string& name, const cost::PipelineEvent& e) {
    const cost::PipelineTask& task = run.schedule.pipeline.tasks[e.task];
    if (task.resource >= run.schedule.commanded) return;
    const cost::TaskFlow& flow = run.schedule.flows[e.tile_class][e.task];
    cost::TraceSpan span{.name = task.name,
                         .kind = task.resource == 0 ? "dma" : "op",
                         .lane = lane_of(run.schedule.pipeline, task.resource, e.channel),
                         .begin = run.begin + e.begin,
                         .end = run.begin + e.end,
                         .texts = {{"run", name}},
                         .numbers = {{"tile", e.tile}}};
    if (flow.bytes > 0) span.numbers.emplace_back("bytes", flow.bytes);
    trace_.span(span);
  }

  void from_behind() {
    const PlannedBehind& behind = plan_.behind;
    if (behind.fetches.empty()) return;
    trace_.lane(behind_lane,
                (behind.away.empty() ? "weights from " : "from and to ") + behind.memory);
    for (const PlannedFetch& fetch : behind.fetches)
      trace_.span({.name = fetch.tensor,
                   .kind = fetch.writes   ? "leaves"
                           : fetch.passes ? "passes"
                                          : "fetch",
                   .lane = behind_lane,
                   .begin = fetch.begin,
                   .end = fetch.end,
                   .texts = {{"for", plan_.subgraphs[fetch.subgraph].names.front()}},
                   .numbers = {{"bytes", fetch.bytes}}});
  }

  /// The buffers of a step are live from the end of the step before it.
  void in_use(const SimulatedRun& run) {
    const tiling::Lowering& lowering = run.piece.lowering;
    std::map<std::pair<std::size_t, Step>, std::vector<Size>> known;
    const auto sizes = [&](std::size_t placement, Step step) -> const std::vector<Size>& {
      const auto [at, fresh] = known.try_emplace({placement, step}, memories_.size(), 0);
      if (!fresh) return at->second;
      const auto& places = run.planned->placements[placement].placement.places;
      for (BufferIndex b = 0; b < lowering.problem.buffers.size(); ++b)
        for (const StepRange& live : lowering.problem.buffers[b].live)
          if (live.contains(step)) at->second[places[b].memory] += run.piece.demands[placement][b];
      return at->second;
    };
    cost::Cycles before = 0;
    for (const cost::PipelineEvent& e : run.events) {
      const std::optional<Step> step = run.schedule.op_ends[e.task];
      if (!step) continue;
      const std::vector<Size>& bytes =
          sizes(run.placement_of(e.tile_class), run.first_step(e.tile) + *step);
      for (std::size_t m = 0; m < memories_.size(); ++m)
        sample(m, static_cast<double>(run.begin + before), pinned_bytes_[m] + bytes[m]);
      before = std::max(before, e.end);
    }
    end_ = static_cast<double>(run.begin + run.cycles);
  }

  void sample(std::size_t memory, double at, Size bytes) {
    if (last_[memory] == bytes) return;
    last_[memory] = bytes;
    trace_.counter(memories_[memory].name + ", bytes in use", at,
                   {{"bytes", static_cast<double>(bytes)}});
  }

  void off_the_chip() {
    const OffchipClock clock(plan_);
    for (const OffchipMemory& memory : plan_.offchip) {
      std::vector<Segment> occupied;
      for (const OffchipBuffer& b : memory.buffers)
        occupied.push_back({b.live, {b.offset, b.offset + b.size}});
      for (const auto& [step, bytes] : live_bytes(occupied))
        trace_.counter(memory.memory + ", bytes live", clock.at(step),
                       {{"bytes", static_cast<double>(bytes)}});
    }
  }

  const NetworkPlan& plan_;
  std::vector<Memory> memories_;
  cost::TraceWriter trace_;
  Windows windows_;
  double clock_hz_;
  std::string offchip_;  ///< both names if there are two memories, whose traffic is added
  double end_ = 0;
  std::vector<Size> pinned_bytes_;  ///< bytes of pinned weights per memory
  std::vector<Size> last_;          ///< last samples per memory
};

void require_right(const Network& network, const Hardware& hardware, const NetworkPlan& plan) {
  const std::vector<std::string> wrong = check_plan(network, hardware, plan);
  if (!wrong.empty()) throw BadInput("the plan is wrong: " + wrong.front());
  if (plan.status != Status::feasible) throw BadInput("no plan was found");
}

}  // namespace

}  // namespace tessera::planner

namespace tessera {

std::string plan_trace(const Network& network, const Hardware& hardware, const NetworkPlan& plan) {
  planner::require_right(network, hardware, plan);
  const planner::PinnedMachine own =
      planner::as_planned(network, hardware, plan.joined, plan.pinned);
  planner::Tracer tracer(own.hardware, plan);
  planner::walk_plan(own.network, own.hardware, plan, planner::most_trace_events,
                     [&](const planner::SimulatedRun& run) { tracer.add(run); });
  return tracer.json();
}

std::string plan_picture(const Network& network, const Hardware& hardware,
                         const NetworkPlan& plan) {
  planner::require_right(network, hardware, plan);
  const planner::PinnedMachine own =
      planner::as_planned(network, hardware, plan.joined, plan.pinned);
  return io::plan_picture_svg(planner::plan_chart(own.network, own.hardware, plan));
}

}  // namespace tessera
