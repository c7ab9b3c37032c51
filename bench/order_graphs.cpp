// Orders of graphs with published wirings: file order, depth first, breadth first, greedy, and the
// search.
//
//   bench_order_graphs [SECONDS] [PART OF A NAME] [SEEDS]
//
// Per graph: its ops, the peaks of the other orders relative to that of the search, and the gap to
// the proved bound. Then the geometric mean over the irregular graphs.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/order_wirings.h"
#include "search/order/least_peak.h"
#include "search/order/walk.h"

namespace {

using tessera::Size;
using tessera::search::OpGraph;
using tessera::search::OpId;
using tessera::search::OpTables;
using tessera::search::Walk;
using Clock = std::chrono::steady_clock;

/// Every op as late as its first reader allows: postorder from the ops without readers.
std::vector<OpId> depth_first(const OpGraph& graph) {
  const OpTables tables(graph, OpTables::Ancestors::no);
  std::vector<OpId> order;
  std::vector<bool> seen(graph.ops);
  std::vector<std::pair<OpId, std::size_t>> path;
  for (OpId end = 0; end < graph.ops; ++end) {
    if (!tables.after[end].empty()) continue;
    seen[end] = true;
    path.emplace_back(end, 0);
    while (!path.empty()) {
      const OpId op = path.back().first;
      if (path.back().second == graph.before[op].size()) {
        order.push_back(op);
        path.pop_back();
        continue;
      }
      const OpId before = graph.before[op][path.back().second++];
      if (seen[before]) continue;
      seen[before] = true;
      path.emplace_back(before, 0);
    }
  }
  return order;
}

/// The op that leaves the fewest live bytes, the first of equal ones.
std::vector<OpId> greedy(const OpGraph& graph) {
  const OpTables tables(graph, OpTables::Ancestors::no);
  Walk walk(tables);
  while (!walk.complete())
    walk.run(*std::ranges::min_element(walk.ready(), {},
                                       [&](OpId op) { return std::pair(walk.change(op), op); }));
  return {walk.path().begin(), walk.path().end()};
}

struct Sums {
  int graphs = 0;
  int proved = 0;
  double file = 0, depth = 0, breadth = 0, greedy = 0;  ///< of logarithms
};

void compare(const tessera::bench::Wiring& wiring, double seconds, Sums& sums) {
  const OpGraph& graph = wiring.graph;
  std::vector<OpId> file(graph.ops);
  for (OpId op = 0; op < graph.ops; ++op) file[op] = op;
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  tessera::search::PeakParams params{.start = file};
  params.stop = [&] { return passed() > seconds; };
  const tessera::search::PeakResult best = least_peak(graph, params);
  const double time = passed();
  const auto share = [&](const std::vector<OpId>& order) {
    return static_cast<double>(peak_of(graph, order)) / static_cast<double>(best.peak);
  };
  const double ratios[] = {share(file), share(depth_first(graph)), share(first_order(graph)),
                           share(greedy(graph))};
  const double gap =
      100.0 * static_cast<double>(best.peak - best.bound) / static_cast<double>(best.peak);
  std::printf(
      "%-26s %5zu ops  file %.2f  depth %.2f  breadth %.2f  greedy %.2f  peak %9lld  gap %5.2f %%  "
      "%6.2f s\n",
      wiring.name.c_str(), graph.ops, ratios[0], ratios[1], ratios[2], ratios[3],
      static_cast<long long>(best.peak), gap, time);
  std::fflush(stdout);
  if (!wiring.irregular) return;
  ++sums.graphs;
  sums.proved += best.peak == best.bound ? 1 : 0;
  sums.file += std::log(ratios[0]);
  sums.depth += std::log(ratios[1]);
  sums.breadth += std::log(ratios[2]);
  sums.greedy += std::log(ratios[3]);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;
  const std::string part = argc > 2 ? argv[2] : "";
  const std::uint64_t seeds = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  Sums sums;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (const tessera::bench::Wiring& wiring : tessera::bench::wirings(seed))
      if (wiring.name.find(part) != std::string::npos) compare(wiring, seconds, sums);
  if (sums.graphs == 0) return 0;
  const auto mean = [&](double sum) { return std::exp(sum / sums.graphs); };
  std::printf(
      "irregular: %d graphs, %d proved; geometric means: file %.2f, depth %.2f, breadth %.2f, "
      "greedy %.2f\n",
      sums.graphs, sums.proved, mean(sums.file), mean(sums.depth), mean(sums.breadth),
      mean(sums.greedy));
  return 0;
}
