#include "tessera/order.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "model/graph_links.h"
#include "placer/order_height.h"
#include "search/order/build.h"
#include "search/order/least_peak.h"
#include "tessera/check.h"
#include "validation/limited_budget.h"

namespace tessera::placer {
namespace {

/// Steps of a call without limits: some seconds on a graph of 1,000 ops.
constexpr std::int64_t usual_steps = 1'000'000;
/// Of the time, for the peak; the rest is for heights.
constexpr int peak_share = 2;

void require_graph(const Graph& graph) {
  const std::vector<std::string> wrong = check_graph(graph);
  if (!wrong.empty()) throw BadInput("the graph is invalid: " + wrong.front());
}

std::vector<search::OpId> ids_of(const std::vector<std::size_t>& order) {
  std::vector<search::OpId> out;
  for (const std::size_t op : order) out.push_back(static_cast<search::OpId>(op));
  return out;
}

/// `start`: some order.
search::PeakResult peak_order(const search::OpGraph& ops, std::vector<search::OpId> start,
                              const OrderParams& params, const Budget& budget,
                              std::optional<StopReason>& stopped) {
  search::PeakParams peak{.start = std::move(start)};
  peak.work = std::min(params.limits.work, usual_steps);
  const Budget mine =
      params.minimize == OrderGoal::height ? validation::without_last(peak_share, budget) : budget;
  peak.stop = [&] {
    if (!stopped) stopped = mine.exhausted();
    return stopped.has_value();
  };
  if (params.limits.memory)
    peak.bytes = std::min(peak.bytes, static_cast<std::size_t>(*params.limits.memory) / 2);
  return search::least_peak(ops, peak);
}

void add_height(const Graph& graph, const OrderParams& params, const Budget& budget,
                OrderResult& result) {
  OrderHeight best = least_order_height(graph, result.order, result.bound,
                                        validation::rest_of(params.limits, budget));
  result.order = std::move(best.order);
  const std::vector<Size> live = live_bytes_of(graph, result.order);
  result.peak = live.empty() ? result.peak : *std::ranges::max_element(live);
  result.height = best.height;
  result.height_bound = best.bound;
  result.placement = std::move(best.placement);
  result.stats.push_back({"placements", best.placements});
  result.stats.push_back({"order_cuts", best.cuts});
  const std::vector<Violation> wrong =
      check(ordered_problem(graph, result.order), *result.placement, 1);
  if (!wrong.empty()) throw InternalError("the placement of an order: " + wrong.front().message);
}

}  // namespace
}  // namespace tessera::placer

namespace tessera {

OrderResult order_ops(const Graph& graph, const OrderParams& params) {
  const auto start = std::chrono::steady_clock::now();
  placer::require_graph(graph);
  const validation::LimitedBudget limited(params.limits);
  std::optional<StopReason> stopped;
  OrderResult result{.status = Status::feasible};
  const search::OpGraph ops = search::op_graph(graph);
  const std::vector<search::OpId> first = placer::ids_of(any_order(GraphLinks(graph)));
  result.first_peak = search::peak_of(ops, first);
  const search::PeakResult peak = placer::peak_order(ops, first, params, limited.budget(), stopped);
  result.order.assign(peak.order.begin(), peak.order.end());
  result.peak = peak.peak;
  result.bound = peak.bound;
  result.stats.push_back({"steps", peak.work});
  result.stats.push_back({"segments", static_cast<std::int64_t>(peak.segments)});
  if (params.minimize == OrderGoal::height)
    placer::add_height(graph, params, limited.budget(), result);
  result.proved = result.peak == result.bound;
  const bool done = result.height ? result.height == result.height_bound : result.proved;
  if (!done) result.stop = limited.budget().exhausted().value_or(StopReason::node_limit);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::vector<Size> live_bytes_of(const Graph& graph, const std::vector<std::size_t>& order) {
  return search::live_while(search::op_graph(graph), placer::ids_of(order));
}

}  // namespace tessera
