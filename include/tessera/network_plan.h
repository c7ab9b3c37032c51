// The plan of a network: its groups, their tiles, and the placements of their buffers.
//
//   NetworkPlan plan = plan_network(net, hardware, {.max_ops = 8});        // plan.h
//   for (const PlannedSubgraph& s : plan.subgraphs)
//     std::cout << s.ops.first << " .. " << s.ops.last << ": " << s.tile_count() << " tiles\n";
//
// Every op of the network is in exactly one subgraph (group), in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hardware.h"
#include "network.h"
#include "placement.h"
#include "plan_scope.h"

namespace tessera {

/// Costs of a subgraph or of a whole plan. Over subgraphs the first three add up, and the peaks are
/// maxima.
struct Metrics {
  std::int64_t latency_cycles = 0;
  double energy_pj = 0;
  Size dram_bytes = 0;        ///< on the bus, in whole bursts
  Size peak_bytes = 0;        ///< sum of the heights of the on-chip memories
  double peak_bandwidth = 0;  ///< off-chip bytes per cycle of the busiest subgraph
  friend bool operator==(const Metrics&, const Metrics&) = default;
};

/// A placement of a subgraph's buffers; `problem` has the sizes it was computed for.
struct PlannedPlacement {
  PlacementProblem problem;
  Placement placement;
  std::string engine;
};

/// A group of ops with its tiles, placements and costs.
struct PlannedSubgraph {
  OpRange ops;
  std::vector<std::string> names;      ///< of the ops
  std::array<Dim, 3> extent{1, 1, 1};  ///< of a tile of the anchor output: C, H, W
  std::array<Dim, 3> counts{1, 1, 1};  ///< number of tiles along C, H, W
  TileVariant variant;
  /// Names of resident tensors: they stay on-chip as a whole from their producer to their last
  /// reader, although they could be stored off-chip meanwhile. In the order of the network's
  /// tensors.
  std::vector<std::string> kept;
  /// Names of weights that an earlier subgraph has prefetched.
  std::vector<std::string> early;
  /// Names of weights for a later subgraph: those that it prefetches after its first tile has its
  /// inputs, and those that it reads itself and leaves there.
  std::vector<std::string> ahead;
  /// Names of prefetched weights for later subgraphs that only occupy space here.
  std::vector<std::string> passing;
  /// Together they cover every distinct tile: a tile uses the first placement whose sizes are all
  /// at least its own.
  std::vector<PlannedPlacement> placements;
  Metrics metrics;
  double utilisation = 0;  ///< of the MAC array, 0 .. 1
  std::int64_t mode_switches = 0;

  [[nodiscard]] std::int64_t tile_count() const { return counts[0] * counts[1] * counts[2]; }
};

/// The share of one op in its subgraph, over all tiles. Cycles and energy add up to those of the
/// subgraph; a transfer for several ops counts for the first op that reads it.
struct PlannedLayer {
  std::string op;
  std::string kind;  ///< conv, depthwise, fc, pool, elementwise or other
  std::int64_t compute_cycles = 0;
  std::int64_t cycles = 0;
  Size offchip_bytes = 0;
  double energy_pj = 0;
  std::string bound_by;  ///< mac, weights, vector, sram or dma
};

/// Bytes that one user reads or writes in one memory, of one kind of operand.
struct PlannedAccess {
  std::string memory;
  std::string user;     ///< an engine, or `dma`, or `fetch`: the channel of a backing memory
  std::string operand;  ///< input, weights or output
  bool write = false;
  double bytes = 0;   ///< off-chip in whole bursts; encoded weights that are read again, in parts
  double cycles = 0;  ///< at the bandwidth of the memory: use of its port; 0 without a bandwidth
  double energy_pj = 0;
  friend bool operator==(const PlannedAccess&, const PlannedAccess&) = default;
};

/// Work, traffic and energy of an op, a group or a plan. The parts of the energy add up to it.
struct PlannedAccount {
  std::int64_t macs = 0;
  double ideal_cycles = 0;  ///< of the MACs, with all of their engine in use
  double utilisation = 0;   ///< ideal cycles / cycles
  double compute_pj = 0;    ///< MACs and elements
  double switches_pj = 0;   ///< of modes
  double static_pj = 0;
  std::vector<PlannedAccess> accesses;
  friend bool operator==(const PlannedAccount&, const PlannedAccount&) = default;
};

/// Derived from the groups of a plan. Groups are sums of their ops. The total also has the fetches
/// from a backing memory.
struct PlanAccounting {
  std::vector<PlannedAccount> layers;  ///< one per op
  std::vector<PlannedAccount> groups;
  PlannedAccount total;
  friend bool operator==(const PlanAccounting&, const PlanAccounting&) = default;
};

/// An off-chip tensor, or all weights.
struct OffchipBuffer {
  std::string id;
  Offset offset = 0;
  Size size = 0;
  StepRange live;  ///< tile k of the network reads at step 2k and writes at step 2k + 1
  bool weights = false;
  friend bool operator==(const OffchipBuffer&, const OffchipBuffer&) = default;
};

/// The placement in an off-chip memory, tile by tile: a tensor may reuse bytes of another tensor
/// whose tiles are dead.
struct OffchipMemory {
  std::string memory;
  Size height = 0;         ///< the largest end
  Size lower_bound = 0;    ///< proved, for these groups and tiles
  Size whole_tensors = 0;  ///< the lowest height found if every tensor lives as a whole
  std::vector<OffchipBuffer> buffers;
  Offset base = 0;  ///< machine address of offset 0
};

/// A tensor stored off-chip as these channels of a concatenation's output.
struct PlannedJoin {
  std::string tensor;
  std::string whole;
  Dim begin = 0;
  Dim end = 0;
  friend bool operator==(const PlannedJoin&, const PlannedJoin&) = default;
};

/// A pinned weight. It is loaded once, before the first inference; the metrics of the plan do not
/// include that load.
struct PlannedPin {
  std::string weight;
  std::string memory;
  Offset offset = 0;
  Size bytes = 0;
  friend bool operator==(const PlannedPin&, const PlannedPin&) = default;
};

/// A transfer from the backing memory: some bytes of a weight, or the part of a tensor there that a
/// subgraph reads or produces. Subgraphs are numbered from 0.
struct PlannedFetch {
  std::string tensor;
  Offset at = 0;             ///< the first byte, unless it passes
  std::size_t from = 0;      ///< its space is free when the subgraph before this one has ended
  std::size_t subgraph = 0;  ///< the first subgraph that reads it, which waits for it
  /// It is too large to be in front as a whole, so it is transferred in blocks while the subgraph
  /// runs.
  bool passes = false;
  bool writes = false;  ///< the other direction, as tiles produce it
  /// If it passes: a block is what all tiles of this many innermost loops load or store together
  /// (0: one tile), and there is space for `copies` blocks. With one copy nothing overlaps the
  /// transfer.
  int loops = 0;
  int copies = 2;
  Size room = 0;           ///< space in front, for the bytes or the blocks
  Size bytes = 0;          ///< on the bus, in whole bursts
  std::int64_t begin = 0;  ///< cycle relative to the begin of the network
  std::int64_t end = 0;
  friend bool operator==(const PlannedFetch&, const PlannedFetch&) = default;
};

/// The use of a backing memory (HardwareMemory::behind).
struct PlannedBehind {
  std::string memory;                 ///< empty: the machine has none
  std::vector<std::string> resident;  ///< weights that are in front before the network begins
  std::vector<std::string> away;      ///< tensors between groups that are in the backing memory
  std::vector<PlannedFetch> fetches;  ///< all other weights, and parts of tensors
  std::vector<std::int64_t> begins;   ///< cycle at which each subgraph begins
  Size bytes = 0;                     ///< of all fetches
  std::int64_t waiting_cycles = 0;    ///< waiting times of subgraphs, part of the latency
  double energy_pj = 0;               ///< part of the energy of the plan
  friend bool operator==(const PlannedBehind&, const PlannedBehind&) = default;
};

/// Counters of the search. A candidate is a group of consecutive ops; it is solved, reused or
/// pruned.
struct PlanSearch {
  std::int64_t candidates = 0;
  std::int64_t solved = 0;              ///< evaluated: tiled, placed and simulated
  std::int64_t infeasible = 0;          ///< proved to have no tile that fits (solved or by bounds)
  std::int64_t unknown = 0;             ///< a limit of a query or of time ended the evaluation
  std::int64_t reused = 0;              ///< equal to a query that was already solved
  std::int64_t pruned = 0;              ///< not evaluated, because of bounds or a limit
  std::int64_t shapes = 0;              ///< tile shapes costed in addition to the fewest tiles
  std::int64_t nodes_per_question = 0;  ///< permitted per placement query
  double seconds = 0;
};

/// The reference of scores: the layer-by-layer execution on a machine, or another plan.
struct PlanReference {
  std::string profile;  ///< of that machine
  double clock_hz = 0;  ///< latencies of two machines are compared as times
  Metrics totals;
};

/// A lower bound on the score, and the set of plans it covers.
struct PlanClaim {
  double bound = 0;
  bool optimal = false;
  PlanScope scope;
  friend bool operator==(const PlanClaim&, const PlanClaim&) = default;
};

/// A group's part of the score, without the peak.
struct GroupBound {
  double score = 0;
  double bound = 0;  ///< no tiling of the group with these resident tensors has less
  Metrics least{};   ///< of the cheapest tiling that is not excluded: its costs are no less
  friend bool operator==(const GroupBound&, const GroupBound&) = default;
};

/// The result of plan_network().
struct NetworkPlan {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::string network;
  std::string profile;
  double clock_hz = 0;  ///< clock of the profile
  std::string dtype;    ///< replaces the network's floating types; empty: none
  std::string reason;   ///< for infeasible and unknown: the op that needs more, and how much
  std::vector<PlannedSubgraph> subgraphs;
  std::vector<PlannedLayer> layers;  ///< one per op, in the network's order
  PlanAccounting accounting;         ///< without layers if the status is not feasible
  Metrics totals;
  Metrics baseline;           ///< layer by layer: one op at a time, on the same profile
  double baseline_score = 1;  ///< its score against the reference
  PlanReference reference;
  double score = 0;  ///< weighted, against the reference: below 1 is better
  double bound = 0;  ///< proved lower bound on the score of all partitions with any tiles
  bool optimal = false;
  PlanScope scope;  ///< the plans that `bound` and `optimal` cover
  /// The same for the explored plans: the fewest tiles that fit, and refined tilings that were
  /// evaluated. It covers fewer plans, so it is proved more often.
  PlanClaim explored;
  /// Per group; empty if unknown. The score less `bound` is the sum of their gaps and of what other
  /// partitions and resident tensors may save.
  std::vector<GroupBound> group_bounds;
  /// Further objectives (PlanParams::fewest_modes), with bounds over all placements of these groups
  /// and tiles that cost no more.
  std::vector<ObjectiveValue> objectives;
  bool limit_mattered = false;  ///< a group longer than --max-ops permits might score less
  ObjectiveWeights weights;
  PlannedBehind behind;
  std::vector<PlannedJoin> joined;                     ///< in the order of the network's tensors
  std::vector<PlannedPin> pinned;                      ///< in the order of the network's tensors
  std::vector<OffchipMemory> offchip;                  ///< empty if time was up before
  std::vector<std::vector<std::string>> unused_modes;  ///< per on-chip memory
  std::vector<std::vector<std::string>> idle_banks;  ///< per on-chip memory: banks without buffers
  PlanSearch search;
  std::uint64_t seed = 0;
};

/// The part of the score that the group's other tilings may save.
/// require: plan.group_bounds is not empty
[[nodiscard]] inline double gap_of_group(const NetworkPlan& plan, std::size_t group) {
  const GroupBound& known = plan.group_bounds[group];
  return plan.score > 0 && known.score > known.bound ? (known.score - known.bound) / plan.score : 0;
}

/// The sum over all groups.
[[nodiscard]] inline double gap_of_groups(const NetworkPlan& plan) {
  double sum = 0;
  for (std::size_t k = 0; k < plan.group_bounds.size(); ++k) sum += gap_of_group(plan, k);
  return sum;
}

/// The most that a better plan could save, as a part of the score.
[[nodiscard]] inline double gap_of(const NetworkPlan& plan) {
  return plan.score > plan.bound ? 1 - plan.bound / plan.score : 0;
}

}  // namespace tessera
