// A simulated run as a picture: the Chrome trace event format, which Perfetto and chrome://tracing
// open. One lane per engine and DMA channel.
//
//   TraceWriter trace(hardware.clock_hz);
//   trace.add("conv1 .. relu4", run_pipeline(run), /*begin=*/0);
//   trace.count("dram", /*at=*/0, 4096);
//   write_output("plan.trace.json", trace.json());
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/pipeline.h"

namespace tessera {

class TraceWriter {
 public:
  /// require: clock_hz > 0. Times in the trace are microseconds of that clock.
  explicit TraceWriter(double clock_hz);

  /// Adds every command of the pipeline, shifted by `begin` cycles, at most `max_events` of them
  /// (a note in the trace says so where it was cut). All pipelines have the same resources.
  /// ensure: returns the cycle at which the last command ends (whether drawn or not).
  Cycles add(const std::string& subgraph, const Pipeline& pipeline, Cycles begin,
             std::int64_t max_events = 20000);
  /// When each tile of what was added last had ended, of those that were drawn.
  [[nodiscard]] const std::vector<Cycles>& tile_ends() const { return tile_ends_; }

  /// From `at` on a curve beside the lanes has this value.
  void count(const std::string& name, Cycles at, std::int64_t value);

  /// The whole trace, valid JSON.
  [[nodiscard]] std::string json() const;

 private:
  void name_lanes(const Pipeline& pipeline);
  void event(const std::string& name, const std::string& subgraph, std::size_t lane, Cycles begin,
             Cycles end, std::int64_t tile);

  double microseconds_per_cycle_;
  std::string events_;
  std::vector<Cycles> tile_ends_;
  bool named_ = false;
};

}  // namespace tessera
