// Transfers between the front memory and its backing memory: resident weights, fetches
// with their times, and groups that wait for them.
//
//   if (off_chip::backing(hardware))                                  // model/off_chip.h
//     for (PlannedBehind& way : ways_behind(net, hardware, runs, uses, room_beside))
//       if (fits(way)) plan.behind = std::move(way);                 // offchip.h places it
//
// A weight has one of three states. A resident weight lies in the front memory all the time. A
// fetched weight arrives as a whole, part after part. A part occupies front memory from some group
// on. It arrives before the first group that reads the weight and is freed after the last one. A
// passing weight is too large for that: it is fetched in slices while a group runs, with space for
// one or two slices. A slice is the load of one tile, or of several tiles that then share it. A
// tensor across a cut point that does not fit in the front memory lies in the backing memory
// (`away`) if that is writable. It passes in each group that reads or writes it. Fetches use one
// channel of their own, one after the other, in the order of the groups that wait for them. Private
// to planner/.
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

/// A weight in the groups of a plan, or a tensor across a cut point that may lie in the backing
/// memory.
struct BehindUse {
  struct Stage {
    int loops = 0;   ///< the innermost loops whose tiles share a slice
    Size piece = 0;  ///< maximum bytes of one slice
    Size bytes = 0;  ///< sum over all slices, in whole bursts of the backing memory
    std::int64_t pieces = 0;
  };
  struct Pass {
    std::size_t run = 0;
    bool writes = false;
    /// The first stage is a slice per tile (PlannedFetch::loops is 0). Each further stage moves
    /// fewer bytes, in slices smaller than the tensor.
    std::vector<Stage> stages{};
    /// Null if no stage has so many loops.
    [[nodiscard]] const Stage* stage(int loops) const {
      const auto found = std::ranges::find(stages, loops, &Stage::loops);
      return found == stages.end() ? nullptr : &*found;
    }
  };
  TensorIndex tensor = 0;
  Size size = 0;  ///< in the front memory
  bool weight = true;
  std::vector<Pass> passes;  ///< one per group that reads or writes it, in order
  [[nodiscard]] std::size_t first() const { return passes.front().run; }
  [[nodiscard]] std::size_t last() const { return passes.back().run; }
};

/// In the order of their first groups.  require: the hardware has a backing memory.
[[nodiscard]] std::vector<BehindUse> behind_uses(const Network& network, const Hardware& hardware,
                                                 const std::vector<PlannedSubgraph>& runs);

/// Free bytes in the front memory per group, for weights and slices, if the tensors `away` lie in
/// the backing memory.
using RoomBeside = std::function<std::vector<Size>(std::span<const TensorIndex> away)>;

/// Schedules of all fetches within the free bytes, fastest first. Empty: the slices do not fit. The
/// budget ends the search for faster ones.
[[nodiscard]] std::vector<PlannedBehind> ways_behind(
    const Network& network, const Hardware& hardware, const std::vector<PlannedSubgraph>& runs,
    const std::vector<BehindUse>& uses, const RoomBeside& room, const Budget& budget = {});

/// Recomputes all derived members of `way` for these groups. Inputs are `resident`, `away`, the
/// members of each fetch up to `copies`, and `room` of whole fetches.
/// require: behind_wrong() is empty.
void complete(const Network& network, const Hardware& hardware,
              const std::vector<PlannedSubgraph>& runs, const std::vector<BehindUse>& uses,
              PlannedBehind& way);

/// Sentences: errors in a plan's `behind`.  require: the subgraphs are correct.
[[nodiscard]] std::vector<std::string> behind_wrong(const Network& network,
                                                    const Hardware& hardware,
                                                    const NetworkPlan& plan);

/// Space in the front memory for a weight (resident, or until group `to` ends) or for slices.
struct FrontRoom {
  struct Part {
    Offset at = 0;
    Size size = 0;
    std::size_t from = 0;  ///< first group in which the part occupies its space
  };
  TensorIndex tensor = 0;
  Size size = 0;
  bool weight = true;
  bool resident = false;
  std::size_t to = 0;
  std::vector<Part> parts{};  ///< empty if it is resident
};
/// Contents of the front memory that follow from a PlannedBehind.
struct Front {
  std::vector<FrontRoom> rooms{};
  std::vector<TensorIndex> away{};  ///< tensors in the backing memory
};
[[nodiscard]] Front in_front(const Network& network, const std::vector<BehindUse>& uses,
                             const PlannedBehind& way);

/// Metrics of the groups plus those of the fetches.
[[nodiscard]] Metrics with_fetches(Metrics runs, const PlannedBehind& way);

/// Layer-by-layer cost with fetches, if the weights do not all fit in the front memory next to the
/// activations of the largest op. Each op waits for its weights, and no weight is resident. If the
/// activations of an op exceed the front memory, the op also waits for these.
[[nodiscard]] Metrics with_single_fetches(const Network& network, const Hardware& hardware,
                                          Metrics layers);

/// Bytes of all weights in that memory, each at a multiple of its alignment.
[[nodiscard]] Size weight_bytes(const Network& network, const Hardware& hardware,
                                const Memory& memory);

/// Space in the front memory for `copies` slices. A slice of one tile is limited to the size of a
/// part: it arrives in parts, one after the other.
[[nodiscard]] Size passing_room(const BehindUse& use, const BehindUse::Pass& pass, int loops,
                                int copies, Size burst);
/// Size of the parts that a weight is fetched in; the last part may be smaller.
[[nodiscard]] Size part_of(Size weight, Size burst);
/// Sort key: fetches use the channel in this order.
struct FetchOrder {
  std::size_t subgraph = 0;
  bool passes = false;
  bool writes = false;
  friend auto operator<=>(const FetchOrder&, const FetchOrder&) = default;
};
[[nodiscard]] FetchOrder order_of(const PlannedFetch& fetch);

}  // namespace tessera::planner
