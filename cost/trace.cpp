#include "cost/trace.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "model/json_text.h"
#include "model/json_write.h"

namespace tessera::cost {
namespace {

std::string microseconds(std::int64_t picoseconds) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%lld.%06lld",
                static_cast<long long>(picoseconds / 1'000'000),
                static_cast<long long>(picoseconds % 1'000'000));
  return text.data();
}

/// Counters are shown, not summed: integers exactly, other numbers with six digits.
std::string sample(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<std::int64_t>(value));
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

}  // namespace

TraceWriter::TraceWriter(double clock_hz) : microseconds_per_cycle_(1e6 / clock_hz) {}

std::int64_t TraceWriter::picoseconds(double cycle) const {
  return std::llround(cycle * microseconds_per_cycle_ * 1e6);
}

void TraceWriter::begin(const char* phase, std::size_t lane, const std::string& name) {
  if (!events_.empty()) events_ += ",\n";
  events_ += R"({"ph":")";
  events_ += phase;
  events_ += R"(","pid":1,"tid":)" + std::to_string(lane) + R"(,"name":)" + json_string(name);
}

void TraceWriter::process(const std::string& name) {
  begin("M", 0, "process_name");
  events_ += R"(,"args":{"name":)" + json_string(name) + "}}";
}

void TraceWriter::lane(std::size_t number, const std::string& name) {
  begin("M", number, "thread_name");
  events_ += R"(,"args":{"name":)" + json_string(name) + "}}";
  begin("M", number, "thread_sort_index");
  events_ += R"(,"args":{"sort_index":)" + std::to_string(number) + "}}";
}

void TraceWriter::span(const TraceSpan& span) {
  // Both ends are rounded, not the duration: adjacent spans must not overlap.
  const std::int64_t from = picoseconds(static_cast<double>(span.begin));
  const std::int64_t to = picoseconds(static_cast<double>(span.end));
  begin("X", span.lane, span.name);
  events_ += R"(,"cat":)" + json_string(span.kind) + R"(,"ts":)" + microseconds(from) +
             R"(,"dur":)" + microseconds(to - from) + R"(,"args":{"cycles":)" +
             std::to_string(span.end - span.begin);
  for (const auto& [key, text] : span.texts)
    events_ += "," + json_string(key) + ":" + json_string(text);
  for (const auto& [key, number] : span.numbers)
    events_ += "," + json_string(key) + ":" + std::to_string(number);
  events_ += "}}";
}

void TraceWriter::counter(const std::string& name, double cycle,
                          const std::vector<std::pair<std::string, double>>& series) {
  begin("C", 0, name);
  events_ += R"(,"cat":"counter","ts":)" + microseconds(picoseconds(cycle)) + R"(,"args":{)";
  for (std::size_t k = 0; k < series.size(); ++k)
    events_ += (k > 0 ? "," : "") + json_string(series[k].first) + ":" + sample(series[k].second);
  events_ += "}}";
}

std::string TraceWriter::json() const {
  return R"({"displayTimeUnit":"ns","traceEvents":[)"
         "\n" +
         events_ + "\n]}\n";
}

}  // namespace tessera::cost
