#include "tessera/schedule.h"

#include <algorithm>
#include <chrono>

#include "model/numeric.h"
#include "placer/tile_costs.h"
#include "search/schedule/least_cost.h"
#include "tessera/errors.h"
#include "validation/limited_budget.h"

namespace tessera::placer {
namespace {

/// The checker decides: latencies are its, not those of the search.
void fill_in(const TileGraph& graph, TileSchedule schedule, double expected,
             ScheduleResult& result) {
  TileScheduleVerdict verdict = check_tile_schedule(graph, schedule, result.reading);
  if (!verdict.wrong.empty())
    throw InternalError("a schedule is invalid: " + verdict.wrong.front());
  if (verdict.latency > expected * (1 + tolerance) + tolerance)
    throw InternalError("a schedule is slower than its search assumed");
  result.status = Status::feasible;
  result.schedule = std::move(schedule);
  result.latency = verdict.latency;
  result.latencies = std::move(verdict.latencies);
  result.peak = verdict.peak;
}

}  // namespace
}  // namespace tessera::placer

namespace tessera {

ScheduleResult schedule_ops(const TileGraph& graph, const ScheduleParams& params) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> wrong = check_tile_graph(graph);
  if (!wrong.empty()) throw BadInput("the graph is invalid: " + wrong.front());
  const validation::LimitedBudget limited(params.limits);
  ScheduleResult result{.reading = params.reading};
  placer::TileCosts costs(graph, params.reading);
  std::optional<StopReason> stopped;
  search::LeastCostParams search{.work = std::min(params.work, params.limits.work),
                                 .bound = costs.moved_bound()};
  search.stop = [&] {
    if (!stopped) stopped = limited.budget().exhausted();
    return stopped.has_value();
  };
  const search::LeastCost found = search::least_cost(costs.group_graph(), costs, search);
  const auto bandwidth = static_cast<double>(graph.bandwidth);
  if (found.steps)
    placer::fill_in(graph, costs.schedule(*found.steps), found.cost / bandwidth, result);
  else if (found.exhausted)
    result.status = Status::infeasible;
  result.bound = std::min(found.bound / bandwidth, found.steps ? result.latency : infinity);
  result.proved = found.steps && found.bound >= found.cost;
  if (result.proved) result.bound = result.latency;
  if (!result.proved && !found.exhausted) result.stop = stopped.value_or(StopReason::node_limit);
  result.stats = {{"work", found.work},
                  {"passes", found.passes},
                  {"states", found.states},
                  {"groups", found.groups},
                  {"prices", costs.priced()}};
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace tessera
