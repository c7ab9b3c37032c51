#include "placer/tile_costs.h"

#include <algorithm>

namespace tessera::placer {
namespace {

using search::OpId;

search::GroupGraph groups_of(const TileGraph& graph, const TileLinks& links) {
  std::vector<std::vector<OpId>> reads(graph.ops.size());
  std::vector<std::int64_t> size;
  for (std::size_t op = 0; op < graph.ops.size(); ++op) {
    for (const std::size_t tensor : graph.ops[op].inputs)
      if (links.producer[tensor] != TileLinks::none)
        reads[op].push_back(static_cast<OpId>(links.producer[tensor]));
    const TileTensor& out = graph.tensors[graph.ops[op].output];
    size.push_back(out.width * out.height);
  }
  return search::group_graph(std::move(reads), std::move(size), graph.capacity);
}

void append(std::vector<OpId>& key, const std::vector<OpId>& items) {
  key.push_back(static_cast<OpId>(items.size()));
  key.insert(key.end(), items.begin(), items.end());
}

}  // namespace

std::size_t TileCosts::KeyHash::operator()(const std::vector<OpId>& key) const {
  std::uint64_t hash = key.size();
  for (const OpId each : key) {
    hash = (hash ^ each) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

TileCosts::TileCosts(const TileGraph& graph, TileReading reading)
    : graph_(graph),
      reading_(reading),
      links_(graph),
      groups_(groups_of(graph, links_)),
      prices_(graph, reading) {}

std::vector<std::uint32_t> TileCosts::tensors_of(const std::vector<OpId>& items) const {
  std::vector<std::uint32_t> out;
  for (const OpId item : items) out.push_back(static_cast<std::uint32_t>(graph_.ops[item].output));
  std::ranges::sort(out);
  return out;
}

cost::TileGroupQuery TileCosts::query_of(const search::GroupStep& step) const {
  return {.ops = step.ops,
          .written = tensors_of(step.written),
          .kept = tensors_of(step.kept),
          .resident = tensors_of(step.resident),
          .idle = step.idle};
}

double TileCosts::price(const search::GroupStep& step, double enough) {
  std::vector<OpId> key;
  append(key, step.ops);
  append(key, step.written);
  append(key, step.kept);
  append(key, step.resident);
  key.push_back(static_cast<OpId>(step.idle));
  key.push_back(static_cast<OpId>(step.idle >> 32));
  const auto [at, fresh] = known_.emplace(std::move(key), Known{});
  Known& known = at->second;
  if (!fresh && (known.cost < known.enough || enough <= known.enough)) return known.cost;
  ++queries_;
  known = {prices_.price(query_of(step), enough), enough};
  return known.cost;
}

/// The query of a step in the best state of the memory.
cost::TileGroupQuery TileCosts::relaxed(const std::vector<OpId>& ops) const {
  search::GroupStep step{.ops = ops};
  const auto inside = [&](OpId op) { return std::ranges::binary_search(ops, op); };
  for (const OpId op : ops) {
    const std::vector<OpId>& readers = groups_.readers[op];
    if (!readers.empty() && groups_.size[op] <= groups_.capacity &&
        std::ranges::none_of(readers, inside))
      step.kept.push_back(op);
    for (const OpId item : groups_.reads[op])
      if (!inside(item) && groups_.size[item] <= groups_.capacity) step.resident.push_back(item);
  }
  cost::TileGroupQuery query = query_of(step);
  query.resident.erase(std::unique(query.resident.begin(), query.resident.end()),
                       query.resident.end());
  query.relaxed = true;
  return query;
}

double TileCosts::bound(const std::vector<OpId>& ops) {
  ++queries_;
  return prices_.bound(relaxed(ops));
}

double TileCosts::least(const std::vector<OpId>& ops, double enough) {
  ++queries_;
  return prices_.least(relaxed(ops), enough);
}

bool TileCosts::refine() {
  if (prices_.exact()) return false;
  prices_.refine();
  known_.clear();
  return true;
}

double TileCosts::share(OpId op) {
  const TileOp& each = graph_.ops[op];
  const TileTensor& out = graph_.tensors[each.output];
  const Granularity& native = graph_.native;
  double tiles = static_cast<double>(out.width) / static_cast<double>(native.width) *
                 (static_cast<double>(out.height) / static_cast<double>(native.height));
  if (each.kind == TileOpKind::matmul && reading_ == TileReading::standard)
    tiles *= static_cast<double>(graph_.tensors[each.inputs[0]].width) /
             static_cast<double>(native.depth);
  return tiles * static_cast<double>(each.cost) * static_cast<double>(graph_.bandwidth);
}

double TileCosts::moved_bound() const {
  std::int64_t sum = 0;
  for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
    const bool input = links_.producer[t] == TileLinks::none;
    if (input != links_.consumers[t].empty())
      sum += graph_.tensors[t].width * graph_.tensors[t].height;
  }
  return static_cast<double>(sum);
}

TileSchedule TileCosts::schedule(const std::vector<search::GroupStep>& steps) {
  TileSchedule out;
  for (const search::GroupStep& step : steps) {
    const cost::TileGroupQuery query = query_of(step);
    const cost::TileChoice choice = prices_.polished(query).choice;
    TileStep mine{.granularity = choice.granularity};
    mine.ops.assign(step.ops.begin(), step.ops.end());
    mine.retained.assign(query.kept.begin(), query.kept.end());
    const auto [rows, columns] = cost::TileSimulation(prices_.machine())
                                     .grid(cost::TileGroup(graph_, query), choice.granularity);
    if (choice.walk != cost::TileWalk::rows) {
      mine.traversal.emplace();
      for (std::int64_t at = 0; at < rows * columns; ++at) {
        const auto [row, column] = cost::walk_step(choice.walk, rows, columns, at);
        mine.traversal->push_back(static_cast<std::size_t>(row * columns + column));
      }
    }
    out.steps.push_back(std::move(mine));
  }
  return out;
}

}  // namespace tessera::placer
