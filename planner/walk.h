// Simulates a plan group by group, for traces and pictures. Private to planner/.
//
//   Windows windows(total, 2000);
//   walk_plan(net, hardware, plan, 20'000, [&](const SimulatedRun& run) { windows.add(run); });
//   windows.read[0] / windows.width                              // bytes per cycle, at first
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cost/tiled_group.h"
#include "planner/piece.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

struct SimulatedRun {
  const PlannedSubgraph* planned = nullptr;
  std::size_t index = 0;  ///< in the plan
  Piece piece;
  cost::GroupSchedule schedule;
  std::vector<cost::PipelineEvent> events;  ///< in the order of issue; times count from `begin`
  bool cut = false;                         ///< more events exist than were requested
  cost::Cycles begin = 0;
  cost::Cycles cycles = 0;
  double static_pj = 0;

  /// Index into planned->placements of the tiles of a class.
  [[nodiscard]] std::size_t placement_of(std::size_t tile_class) const {
    return piece.demand_of_tile[schedule.tile_of_class[tile_class]];
  }
  /// First step of the schedule of a tile.
  [[nodiscard]] Step first_step(std::int64_t tile) const {
    return piece.lowering.options.double_buffer && tile % 2 == 1 ? piece.lowering.steps_per_tile
                                                                 : 0;
  }
};

/// Cycle at which each subgraph begins.  require: check_plan() finds nothing wrong.
[[nodiscard]] std::vector<cost::Cycles> begins_of(const NetworkPlan& plan);

/// require: check_plan() finds nothing wrong; the plan is feasible.
void walk_plan(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
               std::int64_t max_events, const std::function<void(SimulatedRun)>& use);

/// Traffic and energy per window. Sums over windows are those of the plan: amounts of a group
/// beyond its events are spread over the rest of the group.
class Windows {
 public:
  Windows(cost::Cycles total, std::size_t most);
  void add(const SimulatedRun& run);
  void add(const PlannedBehind& behind);

  double width = 1;             ///< cycles
  std::vector<double> read;     ///< bytes
  std::vector<double> written;  ///< bytes
  std::vector<double> energy;   ///< pJ

 private:
  void spread(std::vector<double>& into, double begin, double end, double amount) const;
  double total_ = 1;
};

}  // namespace tessera::planner
