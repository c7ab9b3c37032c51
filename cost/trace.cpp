#include "cost/trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "model/json_text.h"

namespace tessera {
namespace {

constexpr std::size_t subgraph_lane = 0;

/// Lanes 1, 2, ...: the channels of resource 0, then those of resource 1, and so on.
std::size_t lane_of(const Pipeline& pipeline, std::size_t resource, int channel) {
  std::size_t lane = 1;
  for (std::size_t r = 0; r < resource; ++r)
    lane += static_cast<std::size_t>(pipeline.resources[r].channels);
  return lane + static_cast<std::size_t>(channel);
}

/// Whole picoseconds as microseconds.
std::string microseconds(std::int64_t picoseconds) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%lld.%06lld",
                static_cast<long long>(picoseconds / 1'000'000),
                static_cast<long long>(picoseconds % 1'000'000));
  return text.data();
}

}  // namespace

TraceWriter::TraceWriter(double clock_hz) : microseconds_per_cycle_(1e6 / clock_hz) {}

void TraceWriter::name_lanes(const Pipeline& pipeline) {
  const auto name = [&](std::size_t lane, const std::string& text) {
    events_ += (events_.empty() ? "" : ",\n");
    events_ += R"({"ph":"M","pid":1,"tid":)" + std::to_string(lane) +
               R"(,"name":"thread_name","args":{"name":)" + json_string(text) + "}}";
  };
  name(subgraph_lane, "subgraph");
  for (std::size_t r = 0; r < pipeline.resources.size(); ++r)
    for (int channel = 0; channel < pipeline.resources[r].channels; ++channel) {
      const bool several = pipeline.resources[r].channels > 1;
      name(lane_of(pipeline, r, channel),
           pipeline.resources[r].name + (several ? " " + std::to_string(channel) : ""));
    }
  named_ = true;
}

void TraceWriter::event(const std::string& name, const std::string& subgraph, std::size_t lane,
                        Cycles begin, Cycles end, std::int64_t tile) {
  // Both ends are rounded, not the duration: what follows without a gap must not overlap.
  const auto rounded = [this](Cycles at) {
    return std::llround(static_cast<double>(at) * microseconds_per_cycle_ * 1e6);
  };
  events_ += ",\n";
  events_ += R"({"ph":"X","pid":1,"tid":)" + std::to_string(lane) + R"(,"ts":)" +
             microseconds(rounded(begin)) + R"(,"dur":)" +
             microseconds(rounded(end) - rounded(begin)) + R"(,"name":)" + json_string(name) +
             R"(,"args":{"subgraph":)" + json_string(subgraph) + R"(,"cycles":)" +
             std::to_string(end - begin);
  if (tile >= 0) events_ += R"(,"tile":)" + std::to_string(tile);
  events_ += "}}";
}

Cycles TraceWriter::add(const std::string& subgraph, const Pipeline& pipeline, Cycles begin,
                        std::int64_t max_events) {
  if (!named_) name_lanes(pipeline);
  std::vector<PipelineEvent> recorded;
  const PipelineRun run = simulate(pipeline, {.events = &recorded, .max_events = max_events});
  const bool cut = static_cast<std::int64_t>(recorded.size()) >= max_events;
  event(cut ? subgraph + " (first commands only)" : subgraph, subgraph, subgraph_lane, begin,
        begin + run.cycles, -1);
  if (pipeline.start > 0)
    event("load resident weights", subgraph, lane_of(pipeline, 0, 0), begin, begin + pipeline.start,
          -1);
  tile_ends_.clear();
  for (const PipelineEvent& e : recorded) {
    const PipelineTask& task = pipeline.tasks[e.task];
    const auto tile = static_cast<std::size_t>(e.tile);
    if (tile_ends_.size() <= tile) tile_ends_.resize(tile + 1, begin);
    tile_ends_[tile] = std::max(tile_ends_[tile], begin + e.end);
    if (e.end == e.begin && task.resource == 0) continue;  // what stays was not loaded again
    event(task.name, subgraph, lane_of(pipeline, task.resource, e.channel), begin + e.begin,
          begin + e.end, e.tile);
  }
  return begin + run.cycles;
}

void TraceWriter::count(const std::string& name, Cycles at, std::int64_t value) {
  events_ += (events_.empty() ? "" : ",\n");
  events_ += R"({"ph":"C","pid":1,"ts":)" +
             microseconds(std::llround(static_cast<double>(at) * microseconds_per_cycle_ * 1e6)) +
             R"(,"name":)" + json_string(name) + R"(,"args":{"bytes":)" + std::to_string(value) +
             "}}";
}

std::string TraceWriter::json() const {
  return R"({"displayTimeUnit":"ns","traceEvents":[)"
         "\n" +
         events_ + "\n]}\n";
}

}  // namespace tessera
