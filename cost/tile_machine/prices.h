// The cheapest granularity and tile order of a group, remembered.
//
//   TilePrices prices(graph, TileReading::standard);
//   const double cost = prices.price({.ops = {0, 1}});
//   if (cost < infinity) use(prices.polished({.ops = {0, 1}}).choice);
//
// Widths and heights are the smallest of their number of tiles: larger ones need more memory for
// the same tiles. A pair of them has a lower bound (compute of all tiles, elements that every order
// of tiles moves). Pairs below the best cost are evaluated with the largest depth that fits, the
// best of them with all depths.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "cost/tile_machine/group.h"
#include "cost/tile_machine/tile_run.h"

namespace tessera::cost {

struct TilePrice {
  double cost = infinity;  ///< latency times bandwidth; infinity: does not fit
  TileChoice choice{};
};

class TilePrices {
 public:
  TilePrices(const TileGraph& graph, TileReading reading);

  /// The cheapest choice's cost; any cost of at least `enough` if that is less.
  [[nodiscard]] double price(const TileGroupQuery& query, double enough = infinity);
  /// The price with more granularities.
  [[nodiscard]] TilePrice polished(const TileGroupQuery& query);
  /// A lower bound of the price, for all granularities and orders of tiles.
  [[nodiscard]] double bound(const TileGroupQuery& query);
  /// The least cost of all granularities and of three orders of tiles, or `enough` if that is more.
  [[nodiscard]] double least(const TileGroupQuery& query, double enough);
  /// Prices return early, and are then too high, while stop() holds.
  void stop_when(std::function<bool()> stop) { stop_ = std::move(stop); }
  /// From here on, prices are exact: the least of all granularities and of three orders of tiles.
  void refine();
  [[nodiscard]] bool exact() const { return exhaustive_; }
  /// Iterations simulated so far.
  [[nodiscard]] std::int64_t work() const { return run_.work(); }
  [[nodiscard]] std::int64_t groups() const {
    return static_cast<std::int64_t>(known_.size() + exact_.size());
  }
  [[nodiscard]] const TileMachine& machine() const { return machine_; }

 private:
  [[nodiscard]] TilePrice price_of(const TileGroup& group);
  [[nodiscard]] TilePrice least_of(const TileGroup& group, double enough);

  const TileGraph& graph_;
  TileMachine machine_;
  TileSimulation run_;
  std::function<bool()> stop_;
  bool exhaustive_ = false;
  std::map<TileGroup, TilePrice> known_, exact_;
  std::map<TileGroup, double> bounds_;
};

}  // namespace tessera::cost
