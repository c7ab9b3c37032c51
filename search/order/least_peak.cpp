#include "search/order/least_peak.h"

#include <algorithm>
#include <memory>

#include "search/order/segment_search.h"

namespace tessera::search {
namespace {

/// The segments with their searches, as ops of the whole graph.
struct Segments {
  std::vector<std::vector<OpId>> ops;
  std::vector<std::unique_ptr<SegmentSearch>> searches;
};

Segments divided(const OpGraph& graph, const PeakParams& params) {
  Segments out{segments_of(graph), {}};
  std::vector<std::size_t> position(graph.ops);
  if (!params.start.empty())
    for (std::size_t k = 0; k < graph.ops; ++k) position[params.start[k]] = k;
  std::vector<bool> done(graph.ops);
  for (std::vector<OpId>& ops : out.ops) {
    if (!params.start.empty()) std::ranges::sort(ops, {}, [&](OpId op) { return position[op]; });
    std::vector<OpId> start(ops.size());
    for (std::size_t k = 0; k < ops.size(); ++k) start[k] = static_cast<OpId>(k);
    out.searches.push_back(
        std::make_unique<SegmentSearch>(segment(graph, ops, done), std::move(start), params.bytes));
    for (const OpId op : ops) done[op] = true;
  }
  return out;
}

}  // namespace

PeakResult least_peak(const OpGraph& graph, const PeakParams& params) {
  Segments segments = divided(graph, params);
  PeakResult result{.bound = graph.base, .segments = segments.ops.size()};
  result.peak = graph.base;
  BeamWork work;
  work.stop = [&] { return work.steps >= params.work || (params.stop && params.stop()); };
  while (!segments.searches.empty()) {
    for (const auto& each : segments.searches) result.bound = std::max(result.bound, each->bound());
    const auto top = std::ranges::max_element(segments.searches, {},
                                              [](const auto& each) { return each->peak(); });
    result.peak = (*top)->peak();
    if (result.peak <= result.bound || (*top)->ended() || work.stop()) break;
    (*top)->advance(result.bound, work);
  }
  result.bound = std::min(result.bound, result.peak);
  result.work = work.steps;
  for (std::size_t k = 0; k < segments.ops.size(); ++k)
    for (const OpId op : segments.searches[k]->order()) result.order.push_back(segments.ops[k][op]);
  return result;
}

}  // namespace tessera::search
