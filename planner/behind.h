// What lies in the memory behind another one: what stays in front, what comes when, who waits.
//
//   if (off_chip::backing(hardware))                                  // model/off_chip.h
//     for (PlannedBehind& way : ways_behind(net, hardware, runs, uses, room_beside))
//       if (fits(way)) plan.behind = std::move(way);                 // offchip.h asks where
//
// Each weight is resident in front for good, or it is fetched, as a whole or part after part. A
// part has room from some run on and is there before the first run that reads the weight begins;
// its room is free when the last one that does has ended. What is too large for that passes: while
// a run works it is fetched piece by piece, with room for two pieces, or one: what a tile loads, or
// what several tiles do, which then find it in front as often as they like.
// A tensor over a cut that has no room in front lies behind (`away`), where that can be written:
// it passes in each run that reads or makes it. Fetches come one after the other, in the order of
// the runs that wait for them, on a channel of their own. Private to planner/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/budget.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// A weight in the runs of a plan, or a tensor over a cut that might lie behind.
struct BehindUse {
  struct Stage {
    int loops = 0;   ///< of the innermost ones, whose tiles have a piece together
    Size piece = 0;  ///< the most that tiles load, or store, together
    Size bytes = 0;  ///< of all pieces, in whole bursts of the memory behind
    std::int64_t pieces = 0;
  };
  struct Pass {
    std::size_t run = 0;
    bool writes = false;
    /// Of one tile (PlannedFetch::loops is 0), and others that move fewer bytes in smaller pieces
    /// than all of it.
    std::vector<Stage> stages{};
    /// Nothing where there is none of so many loops.
    [[nodiscard]] const Stage* stage(int loops) const {
      const auto found = std::ranges::find(stages, loops, &Stage::loops);
      return found == stages.end() ? nullptr : &*found;
    }
  };
  TensorIndex tensor = 0;
  Size size = 0;  ///< as it lies in front
  bool weight = true;
  std::vector<Pass> passes;  ///< one for each run that reads or makes it, in order
  [[nodiscard]] std::size_t first() const { return passes.front().run; }
  [[nodiscard]] std::size_t last() const { return passes.back().run; }
};

/// In the order of their first runs.  require: there is a memory behind.
[[nodiscard]] std::vector<BehindUse> behind_uses(const Network& network, const Hardware& hardware,
                                                 const std::vector<PlannedSubgraph>& runs);

/// Bytes of each run that are left in front for weights and for what passes, if these tensors lie
/// behind.
using RoomBeside = std::function<std::vector<Size>(std::span<const TensorIndex> away)>;

/// Ways to have everything there in time, the quickest first, that need no more than there is;
/// none: what passes leaves no room. The budget ends the search for quicker ones.
[[nodiscard]] std::vector<PlannedBehind> ways_behind(
    const Network& network, const Hardware& hardware, const std::vector<PlannedSubgraph>& runs,
    const std::vector<BehindUse>& uses, const RoomBeside& room, const Budget& budget = {});

/// What follows from who is resident, who is away and from the first seven members of each fetch
/// (the room of what passes as well): everything else of a way, made anew for these runs.
/// require: behind_wrong() is empty.
void complete(const Network& network, const Hardware& hardware,
              const std::vector<PlannedSubgraph>& runs, const std::vector<BehindUse>& uses,
              PlannedBehind& way);

/// Sentences: what of a plan's `behind` is not so.  require: the subgraphs are right.
[[nodiscard]] std::vector<std::string> behind_wrong(const Network& network,
                                                    const Hardware& hardware,
                                                    const NetworkPlan& plan);

/// Room in front for a weight, for good or until run `to` has ended; or for what passes.
struct FrontRoom {
  struct Part {
    Offset at = 0;
    Size size = 0;
    std::size_t from = 0;  ///< run with which it begins to be there
  };
  TensorIndex tensor = 0;
  Size size = 0;
  bool weight = true;
  bool resident = false;
  std::size_t to = 0;
  std::vector<Part> parts{};  ///< all of it, unless it is resident
};
/// What a way makes of the memory in front.
struct Front {
  std::vector<FrontRoom> rooms{};
  std::vector<TensorIndex> away{};  ///< tensors that do not lie there
};
[[nodiscard]] Front in_front(const Network& network, const std::vector<BehindUse>& uses,
                             const PlannedBehind& way);

/// Runs and what comes from behind, together.
[[nodiscard]] Metrics with_fetches(Metrics runs, const PlannedBehind& way);

/// Layer by layer, where not all weights fit in front beside what the largest op reads and makes:
/// each op waits for its weights, and nothing stays; an op that reads and makes more than there is
/// room for waits for these tensors, too.
[[nodiscard]] Metrics with_single_fetches(const Network& network, const Hardware& hardware,
                                          Metrics layers);

/// All weights as the memory has them, each at a multiple of its alignment.
[[nodiscard]] Size weight_bytes(const Network& network, const Hardware& hardware,
                                const Memory& memory);

/// Room in front for what passes: so many pieces; of what one tile loads no more than parts of it,
/// which come one after the other.
[[nodiscard]] Size passing_room(const BehindUse& use, const BehindUse::Pass& pass, int loops,
                                int copies, Size burst);
/// The parts that a weight comes in, but for the last.
[[nodiscard]] Size part_of(Size weight, Size burst);
/// Fetches wait for each other in this order.
struct FetchOrder {
  std::size_t subgraph = 0;
  bool passes = false;
  bool writes = false;
  friend auto operator<=>(const FetchOrder&, const FetchOrder&) = default;
};
[[nodiscard]] FetchOrder order_of(const PlannedFetch& fetch);

}  // namespace tessera::planner
