// Weights from the memory behind another one: what stays in front, what comes when, who waits.
//
//   if (off_chip::behind(hardware))                                  // model/off_chip.h
//     for (PlannedBehind& way : ways_behind(net, hardware, runs, room))
//       if (fits(way)) plan.behind = std::move(way);                 // offchip.h asks where
//
// Each weight is resident in front for good, or it is fetched, as a whole or part after part. A
// part has room from some run on and is there before the first run that reads the weight begins;
// its room is free when the last one that does has ended. What is too large for that passes: while
// a run works it is fetched piece by piece, as often as tiles load it, with room for two pieces.
// Fetches come one after the other, in the order of the runs that wait for them, on a channel of
// their own. Private to planner/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// A weight in the runs of a plan.
struct WeightUse {
  struct Pass {
    std::size_t run = 0;
    Size piece = 0;  ///< the most that a tile loads
    Size bytes = 0;  ///< that all tiles load, in whole bursts of the memory behind
  };
  TensorIndex tensor = 0;
  Size size = 0;             ///< as it lies in front
  std::vector<Pass> passes;  ///< one for each run that reads it, in order
  [[nodiscard]] std::size_t first() const { return passes.front().run; }
  [[nodiscard]] std::size_t last() const { return passes.back().run; }
};

/// In the order of their first runs.  require: there is a memory behind.
[[nodiscard]] std::vector<WeightUse> weight_uses(const Network& network, const Hardware& hardware,
                                                 const std::vector<PlannedSubgraph>& runs);

/// Ways to have everything there in time, the quickest first, that need no more than `room` of each
/// run beside what the run itself has in front; none: weights that pass leave no room.
[[nodiscard]] std::vector<PlannedBehind> ways_behind(const Network& network,
                                                     const Hardware& hardware,
                                                     const std::vector<PlannedSubgraph>& runs,
                                                     const std::vector<WeightUse>& uses,
                                                     const std::vector<Size>& room);

/// What follows from who is resident and from the first six members of each fetch (the room of what
/// passes as well): everything else of a way, made anew for these runs.
/// require: behind_wrong() is empty.
void complete(const Network& network, const Hardware& hardware,
              const std::vector<PlannedSubgraph>& runs, const std::vector<WeightUse>& uses,
              PlannedBehind& way);

/// Sentences: what of a plan's `behind` is not so.  require: the subgraphs are right.
[[nodiscard]] std::vector<std::string> behind_wrong(const Network& network,
                                                    const Hardware& hardware,
                                                    const NetworkPlan& plan);

/// A weight's room in front, for good or until run `to` has ended.
struct FrontWeight {
  struct Part {
    Offset at = 0;
    Size size = 0;
    std::size_t from = 0;  ///< run with which it begins to be there
  };
  TensorIndex tensor = 0;
  Size size = 0;
  bool resident = false;
  std::size_t to = 0;
  std::vector<Part> parts{};  ///< all of it, unless it is resident
};
[[nodiscard]] std::vector<FrontWeight> in_front(const Network& network,
                                                const std::vector<WeightUse>& uses,
                                                const PlannedBehind& way);

/// Runs and what comes from behind, together.
[[nodiscard]] Metrics with_fetches(Metrics runs, const PlannedBehind& way);

/// Layer by layer, where not all weights fit in front beside what the largest op reads and makes:
/// each op waits for its weights, and nothing stays.
[[nodiscard]] Metrics with_single_fetches(const Network& network, const Hardware& hardware,
                                          Metrics layers);

/// All weights as the memory has them, each at a multiple of its alignment.
[[nodiscard]] Size weight_bytes(const Network& network, const Hardware& hardware,
                                const Memory& memory);

}  // namespace tessera::planner
