// The tile machine as a cost model of the schedule search.
//
//   TileCosts costs(graph, TileReading::standard);
//   search::LeastCost found = search::least_cost(costs.group_graph(), costs, {});
//   TileSchedule schedule = costs.schedule(*found.steps);
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cost/tile_machine/prices.h"
#include "model/tile_step.h"
#include "search/schedule/graph.h"
#include "tessera/tile_graph.h"

namespace tessera::placer {

class TileCosts final : public search::GroupCosts {
 public:
  /// The graph outlives it.
  TileCosts(const TileGraph& graph, TileReading reading);

  [[nodiscard]] const search::GroupGraph& group_graph() const { return groups_; }
  /// Costs are latencies times the bandwidth.
  [[nodiscard]] double price(const search::GroupStep& step, double enough) override;
  [[nodiscard]] double bound(const std::vector<search::OpId>& ops) override;
  [[nodiscard]] double least(const std::vector<search::OpId>& ops, double enough) override;
  [[nodiscard]] double share(search::OpId op) override;
  [[nodiscard]] bool refine() override;
  void stop_when(std::function<bool()> stop) override { prices_.stop_when(std::move(stop)); }
  [[nodiscard]] std::int64_t work() const override { return prices_.work() + queries_; }
  /// Inputs that ops read, and outputs of the graph.
  [[nodiscard]] double moved_bound() const;
  /// With the cheapest granularities and orders of tiles.
  [[nodiscard]] TileSchedule schedule(const std::vector<search::GroupStep>& steps);
  [[nodiscard]] std::int64_t priced() const { return prices_.groups(); }

 private:
  struct KeyHash {
    std::size_t operator()(const std::vector<search::OpId>& key) const;
  };
  [[nodiscard]] cost::TileGroupQuery relaxed(const std::vector<search::OpId>& ops) const;
  [[nodiscard]] cost::TileGroupQuery query_of(const search::GroupStep& step) const;
  [[nodiscard]] std::vector<std::uint32_t> tensors_of(const std::vector<search::OpId>& items) const;

  const TileGraph& graph_;
  TileReading reading_;
  TileLinks links_;
  search::GroupGraph groups_;
  cost::TilePrices prices_;
  struct Known {
    double cost = 0;
    double enough = 0;  ///< the cost is exact if it is less
  };
  std::unordered_map<std::vector<search::OpId>, Known, KeyHash> known_;
  std::int64_t queries_ = 0;
};

}  // namespace tessera::placer
