#include "tessera/batch.h"

#include "io/json_write.h"
#include "io/plan_request.h"
#include "io/text.h"

namespace tessera {
namespace {

/// Entries of one object on one line.
class Line {
 public:
  template <typename Value>
  Line& add(std::string_view key, const Value& value) {
    text_ += text_.empty() ? "{" : ", ";
    text_ += json_string(key) + ": ";
    if constexpr (std::is_convertible_v<Value, std::string_view>)
      text_ += json_string(value);
    else if constexpr (std::is_same_v<Value, bool>)
      text_ += value ? "true" : "false";
    else
      text_ += json_number(value);
    return *this;
  }
  /// As in a request: texts for texts.
  Line& add(std::string_view key, const std::vector<ProfileChange>& changes) {
    Line set;
    for (const auto& [name, value] : changes) set.add(name, value);
    text_ += ", " + json_string(key) + ": " + set.done();
    return *this;
  }
  [[nodiscard]] std::string done() const { return text_.empty() ? "{}" : text_ + '}'; }

 private:
  std::string text_;
};

Line begin(const PlanRequest& request) {
  Line line;
  line.add("line", static_cast<std::int64_t>(request.line)).add("network", request.network);
  if (!request.profile.empty()) line.add("profile", request.profile);
  if (!request.dtype.empty()) line.add("dtype", request.dtype);
  if (!request.changes.empty()) line.add("set", request.changes);
  return line;
}

}  // namespace

PlanRequest read_plan_request(std::string_view line, const std::string& where) {
  PlanRequest request;
  const std::string_view text = trimmed(line);
  if (!text.starts_with('{')) {
    request.network = text;
    return request;
  }
  try {
    PlanRequestText read = read_plan_request_json(text, where);
    request.network = std::move(read.network);
    request.profile = std::move(read.profile);
    request.dtype = std::move(read.dtype);
    for (KeyChange& each : read.changes)
      request.changes.emplace_back(std::move(each.key), std::move(each.value));
  } catch (const InputError& wrong) {
    throw BadInput(wrong.what(), wrong.hint);
  }
  return request;
}

std::string plan_line(const PlanRequest& request, const NetworkPlan& plan) {
  Line line = begin(request);
  line.add("status", to_string(plan.status)).add("stop", to_string(plan.stop));
  if (plan.status == Status::feasible) {
    line.add("score", plan.score).add("bound", plan.bound).add("proved", plan.optimal);
    line.add("subgraphs", static_cast<std::int64_t>(plan.subgraphs.size()));
    line.add("latency_cycles", plan.totals.latency_cycles).add("energy_pj", plan.totals.energy_pj);
    line.add("dram_bytes", plan.totals.dram_bytes).add("peak_bytes", plan.totals.peak_bytes);
  } else {
    line.add("reason", plan.reason);
  }
  return line.add("seconds", plan.search.seconds).done() + '\n';
}

std::string plan_error_line(const PlanRequest& request, const std::string& error,
                            const std::string& hint) {
  Line line = begin(request);
  line.add("error", error);
  if (!hint.empty()) line.add("hint", hint);
  return line.done() + '\n';
}

}  // namespace tessera
