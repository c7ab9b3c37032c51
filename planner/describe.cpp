#include "planner/describe.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cost/tiled_group.h"
#include "facts/free_space.h"
#include "model/derived.h"
#include "model/off_chip.h"
#include "model/parallel.h"
#include "planner/behind.h"
#include "planner/idle.h"
#include "planner/offchip.h"
#include "planner/piece.h"

namespace tessera::planner {

PlannedSubgraph subgraph_of(const Network& network, const Hardware& hardware, OpRange ops,
                            PlannedSubgraph option, std::vector<std::string> kept,
                            const std::vector<std::optional<OpIndex>>& readers) {
  option.ops = ops;
  option.names.clear();
  for (OpIndex op = ops.first; op <= ops.last; ++op) option.names.push_back(network.ops[op].name);
  option.kept = std::move(kept);
  const Piece piece = make_piece(network, hardware, option, readers);
  for (std::size_t k = 0; k < option.placements.size(); ++k)
    option.placements[k].problem = piece_problem(piece, k);
  return option;
}

Metrics totals_of(std::span<const PlannedSubgraph> runs) {
  Metrics totals;
  for (const PlannedSubgraph& run : runs) totals = cost::combine(totals, run.metrics);
  return totals;
}

namespace {

/// Limit on schedules that are placed until one fits.
constexpr std::size_t most_ways = 3;
/// Number of attempts to fill less of the front memory, since buffers leave holes: 1/16 less each
/// time.
constexpr int most_rounds = 5;
constexpr Size part_left = 16;

/// Live bytes of tensors other than weights in the front memory, per group: by tile, or for whole
/// groups if the budget ended.
class Crossing {
 public:
  Crossing(const Network& network, const Hardware& hardware,
           const std::vector<PlannedSubgraph>& runs, const Budget& budget)
      : network_(network) {
    PlacementProblem problem = offchip_question(network, hardware, runs, {}, budget);
    if (problem.buffers.empty())
      problem = offchip_question(network, hardware, runs, {}, {}, by_runs);
    const Size alignment = off_chip::weights(hardware)->space.alignment;
    for (const Buffer& buffer : problem.buffers)
      lives_.push_back({buffer.id, hull_of(buffer), align_up(buffer.size, alignment)});
    Step end = 0;
    for (const PlannedSubgraph& run : runs) ends_.push_back(end += 2 * followed_tiles(run));
  }

  /// Maximum over the steps of each group, without the tensors `away`.
  [[nodiscard]] std::vector<Size> loads(std::span<const TensorIndex> away) const {
    std::set<std::string> names;
    for (const TensorIndex t : away) names.insert(network_.tensors[t].name);
    std::vector<std::pair<Step, Size>> changes;
    for (const auto& [id, live, size] : lives_) {
      if (names.contains(id)) continue;
      changes.emplace_back(live.lower, size);
      changes.emplace_back(live.upper, -size);
    }
    std::ranges::sort(changes);
    std::vector<Size> loads;
    auto next = changes.begin();
    Size load = 0;
    for (const Step end : ends_) {
      Size most = load;
      for (; next != changes.end() && next->first < end; ++next) {
        load += next->second;
        most = std::max(most, load);
      }
      loads.push_back(most);
    }
    return loads;
  }

 private:
  struct Life {
    std::string id;  ///< name of the tensor, if it has a valid one
    StepRange live;
    Size size = 0;
  };
  const Network& network_;
  std::vector<Life> lives_;
  std::vector<Step> ends_;  ///< per group
};

std::string no_room_sentence(const Memory& front, const std::vector<PlannedSubgraph>& runs,
                             const std::vector<Size>& loads) {
  const auto most = std::ranges::max_element(loads);
  const PlannedSubgraph& run = runs[static_cast<std::size_t>(most - loads.begin())];
  return "tensors across the cut points of the best partition take " + std::to_string(*most) +
         " bytes of memory '" + front.name + "', which has " + std::to_string(front.capacity) +
         ", around op '" + run.names.front() +
         "', which leaves no space for the tensors that this group reads and writes, not even in "
         "slices; of the other partitions, only the best ones with shorter groups were evaluated";
}

/// Chooses tensors in the backing memory and fetches, and places the front memory.
OffchipAnswer settle_behind(const Network& network, const Hardware& hardware, const Budget& budget,
                            NetworkPlan& plan, int threads) {
  const Memory& front = off_chip::weights(hardware)->space;
  const std::vector<BehindUse> uses = behind_uses(network, hardware, plan.subgraphs);
  std::optional<Crossing> crossing;
  OffchipAnswer answer;
  Size room = facts::free_bytes(front);
  for (int round = 0; round < most_rounds; ++round, room -= front.capacity / part_left) {
    // After the budget ends, tensors are placed as a whole and have to fit so.
    if (!crossing || budget.exhausted())
      crossing.emplace(network, hardware, plan.subgraphs, budget);
    if (round == 0) answer.too_small = no_room_sentence(front, plan.subgraphs, crossing->loads({}));
    const auto beside = [&](std::span<const TensorIndex> away) {
      std::vector<Size> left = crossing->loads(away);
      for (Size& each : left) each = room - each;
      return left;
    };
    std::vector<PlannedBehind> ways =
        ways_behind(network, hardware, plan.subgraphs, uses, beside, budget);
    for (std::size_t k = 0; k < std::min(ways.size(), most_ways); ++k) {
      answer = place_offchip(network, hardware, plan.subgraphs, in_front(network, uses, ways[k]),
                             budget, max_part_runs, threads);
      plan.behind = std::move(ways[k]);
      if (answer.too_small.empty()) return answer;
    }
  }
  return answer;
}

}  // namespace

bool always_settles(const Hardware& hardware) {
  const auto has_room = [](const HardwareMemory& memory) {
    return !memory.offchip || (memory.space.capacity == unbounded && memory.behind.empty());
  };
  return std::ranges::all_of(hardware.memories, has_room);
}

void settle_off_chip(const Network& network, const Hardware& hardware, const Budget& budget,
                     NetworkPlan& plan, int threads) {
  plan.behind = {};
  OffchipAnswer answer =
      off_chip::backing(hardware) != nullptr
          ? settle_behind(network, hardware, budget, plan, threads)
          : place_offchip(network, hardware, plan.subgraphs, {}, budget, max_part_runs, threads);
  plan.offchip = std::move(answer.memories);
  if (answer.too_small.empty()) return;
  plan.behind = {};
  plan.status = Status::unknown;
  plan.optimal = false;
  plan.subgraphs.clear();
  plan.reason = std::move(answer.too_small);
}

void describe(const Network& network, const Hardware& hardware, const cost::Score& score,
              NetworkPlan& plan, int threads) {
  const std::vector<std::optional<OpIndex>> readers = tiling::last_readers(network);
  std::vector<std::vector<PlannedLayer>> layers(plan.subgraphs.size());
  each_together(threads, layers.size(), [&](std::size_t k) {
    const PlannedSubgraph& s = plan.subgraphs[k];
    const Piece piece = make_piece(network, hardware, s, readers);
    const cost::GroupCost cost = cost::group_cost(piece_run(piece, hardware, s.placements));
    layers[k] = piece_layers(piece, cost);
  });
  plan.layers.clear();
  for (std::vector<PlannedLayer>& each : layers)
    std::ranges::move(each, std::back_inserter(plan.layers));
  // Other buffer addresses may have changed the latency of groups.
  if (off_chip::backing(hardware) != nullptr)
    complete(network, hardware, plan.subgraphs, behind_uses(network, hardware, plan.subgraphs),
             plan.behind);
  plan.totals = with_fetches(totals_of(plan.subgraphs), plan.behind);
  plan.score = cost::score_of(score, plan.totals);
  const std::vector<Memory> memories = placement_memories(hardware);
  plan.unused_modes = unused_modes(memories, plan.subgraphs);
  plan.idle_banks = idle_banks(memories, plan.subgraphs);
}

}  // namespace tessera::planner
