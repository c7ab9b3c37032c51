// The Trace Event Format of Chrome, which Perfetto and chrome://tracing open:
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
//
//   TraceWriter trace(hardware.clock_hz);
//   trace.process("resnet50 on nvdla-like");
//   trace.lane(1, "mac");
//   trace.span({.name = "conv1", .kind = "op", .lane = 1, .begin = 0, .end = 4096});
//   trace.counter("sram", 0, {{"bytes in use", 4096}});
//   write_output("plan.trace.json", trace.json());
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cost/pipeline.h"

namespace tessera::cost {

struct TraceSpan {
  std::string name;
  std::string kind;  ///< category for filters
  std::size_t lane = 0;
  Cycles begin = 0;
  Cycles end = 0;
  std::vector<std::pair<std::string, std::string>> texts{};
  std::vector<std::pair<std::string, std::int64_t>> numbers{};
};

class TraceWriter {
 public:
  /// require: clock_hz > 0. Times in the trace are microseconds of that clock.
  explicit TraceWriter(double clock_hz);

  void process(const std::string& name);
  /// Lanes appear in the order of their numbers.
  void lane(std::size_t number, const std::string& name);
  void span(const TraceSpan& span);
  /// One sample: each series keeps its value until the next one.
  void counter(const std::string& name, double cycle,
               const std::vector<std::pair<std::string, double>>& series);

  /// The whole trace, valid JSON.
  [[nodiscard]] std::string json() const;

 private:
  [[nodiscard]] std::int64_t picoseconds(double cycle) const;
  void begin(const char* phase, std::size_t lane, const std::string& name);

  double microseconds_per_cycle_;
  std::string events_;
};

}  // namespace tessera::cost
