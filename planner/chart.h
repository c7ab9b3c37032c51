// The chart drawn by plan_picture(). Private to planner/.
//
//   const PlanChart chart = plan_chart(net, hardware, plan);
#pragma once

#include "io/plan_picture/plan_chart.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// require: check_plan() finds nothing wrong; the plan is feasible.
///
/// The buffers of a group are drawn tile by tile if the resolution suffices. Otherwise those of one
/// tile (two if double buffered) from the middle of the group are stretched over the whole group.
/// Traffic is as simulated.
[[nodiscard]] io::PlanChart plan_chart(const Network& network, const Hardware& hardware,
                                       const NetworkPlan& plan);

/// Cycle at which a step of `offchip` begins: tile k reads at step 2k, and writes at 2k + 1.
class OffchipClock {
 public:
  /// require: the plan is right.
  explicit OffchipClock(const NetworkPlan& plan);
  [[nodiscard]] double at(Step step) const;

 private:
  struct Run {
    Step first = 0;
    std::int64_t tiles = 1;
    double begin = 0;
    double cycles = 0;
  };
  std::vector<Run> runs_;
};

}  // namespace tessera::planner
