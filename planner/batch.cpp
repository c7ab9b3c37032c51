#include "tessera/batch.h"

#include "io/plan_request.h"
#include "io/text.h"
#include "model/json_write.h"

namespace tessera::planner {
namespace {

void begin(JsonObject& line, const PlanRequest& request) {
  line.number("line", static_cast<std::int64_t>(request.line));
  line.text("network", request.network);
  if (!request.profile.empty()) line.text("profile", request.profile);
  if (!request.dtype.empty()) line.text("dtype", request.dtype);
  if (request.changes.empty()) return;
  // Texts, as in a request.
  line.entry("set") += json_object([&](JsonObject& set) {
    for (const auto& [name, value] : request.changes) set.text(name, value);
  });
}

}  // namespace

}  // namespace tessera::planner

namespace tessera {

PlanRequest read_plan_request(std::string_view line, const std::string& where) {
  PlanRequest request;
  const std::string_view text = io::trimmed(line);
  if (!text.starts_with('{')) {
    request.network = text;
    return request;
  }
  io::PlanRequestText read = io::read_plan_request_json(text, where);
  request.network = std::move(read.network);
  request.profile = std::move(read.profile);
  request.dtype = std::move(read.dtype);
  for (io::KeyChange& each : read.changes)
    request.changes.emplace_back(std::move(each.key), std::move(each.value));
  return request;
}

std::string plan_line(const PlanRequest& request, const NetworkPlan& plan) {
  return json_object([&](JsonObject& line) {
           planner::begin(line, request);
           line.text("status", to_string(plan.status));
           line.text("stop", to_string(plan.stop));
           if (plan.status == Status::feasible) {
             line.real("score", plan.score);
             line.real("bound", plan.bound);
             line.truth("proved", plan.optimal);
             line.number("subgraphs", static_cast<std::int64_t>(plan.subgraphs.size()));
             line.number("latency_cycles", plan.totals.latency_cycles);
             line.real("energy_pj", plan.totals.energy_pj);
             line.number("dram_bytes", plan.totals.dram_bytes);
             line.number("peak_bytes", plan.totals.peak_bytes);
           } else {
             line.text("reason", plan.reason);
           }
           line.real("seconds", plan.search.seconds);
         }) +
         '\n';
}

std::string plan_error_line(const PlanRequest& request, const std::string& error,
                            const std::string& hint) {
  return json_object([&](JsonObject& line) {
           planner::begin(line, request);
           line.text("error", error);
           if (!hint.empty()) line.text("hint", hint);
         }) +
         '\n';
}

}  // namespace tessera
