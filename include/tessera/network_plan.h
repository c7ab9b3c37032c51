// A whole network's answer: where it is cut, how each piece is tiled, where its buffers lie.
//
//   NetworkPlan plan = plan_network(net, hardware, {.max_ops = 8});        // plan.h
//   for (const PlannedSubgraph& s : plan.subgraphs)
//     std::cout << s.ops.first << " .. " << s.ops.last << ": " << s.tile_count() << " tiles\n";
//
// Every op of the network stands in exactly one subgraph, in order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hardware.h"
#include "network.h"
#include "placement.h"

namespace tessera {

/// What a subgraph, or a whole plan, costs. The first three add over subgraphs, peaks are maxima.
struct Metrics {
  std::int64_t latency_cycles = 0;
  double energy_pj = 0;
  Size dram_bytes = 0;        ///< on the bus: whole bursts
  Size peak_bytes = 0;        ///< heights of the on-chip memories, added up
  double peak_bandwidth = 0;  ///< off-chip bytes per cycle over the busiest subgraph
  friend bool operator==(const Metrics&, const Metrics&) = default;
};

/// One placement of a subgraph's buffers; `problem` has the sizes it was made for.
struct PlannedPlacement {
  PlacementProblem problem;
  Placement placement;
  std::string engine;
};

/// The first rows of a tensor, along the last axis but one.
struct PlannedRows {
  std::string tensor;
  Dim rows = 0;
  friend bool operator==(const PlannedRows&, const PlannedRows&) = default;
};

struct PlannedSubgraph {
  OpRange ops;
  std::vector<std::string> names;      ///< of the ops
  std::array<Dim, 3> extent{1, 1, 1};  ///< of a tile of the anchor output: C, H, W
  std::array<Dim, 3> counts{1, 1, 1};  ///< tiles along C, H, W
  TileVariant variant;
  /// Names of tensors that lie on the chip as a whole while the subgraph runs, from the one that
  /// makes them to that of their last reader, though they might be stored off it meanwhile. In the
  /// order of the network's tensors.
  std::vector<std::string> kept;
  /// Likewise of tensors whose first rows lie there, and the rest off the chip: tiles move what
  /// they have of these rows from there and to there.
  std::vector<PlannedRows> kept_rows;
  /// Names of weights that are on the chip when the subgraph begins: one before has loaded them.
  std::vector<std::string> early;
  /// Names of weights that it loads for one after it, once its first tile has what it needs, or
  /// that it reads itself and leaves to one after it.
  std::vector<std::string> ahead;
  /// Names of weights that one before has loaded for one after it, and that wait meanwhile.
  std::vector<std::string> passing;
  /// Together they hold every distinct tile: a tile is placed by the first one whose sizes are
  /// all at least its own.
  std::vector<PlannedPlacement> placements;
  Metrics metrics;
  double utilisation = 0;  ///< of the MAC array, 0 .. 1
  std::int64_t mode_switches = 0;

  [[nodiscard]] std::int64_t tile_count() const { return counts[0] * counts[1] * counts[2]; }
};

/// What one op takes within its subgraph, over all tiles. Cycles and energy are shares that add up
/// to the subgraph's; what is moved for several ops counts for the first one that reads it.
struct PlannedLayer {
  std::string op;
  std::string kind;  ///< conv, depthwise, fc, pool, elementwise or other
  std::int64_t compute_cycles = 0;
  std::int64_t cycles = 0;
  Size offchip_bytes = 0;
  double energy_pj = 0;
  std::string bound_by;  ///< mac, weights, vector, sram or dma
};

/// A tensor off the chip, or all weights.
struct OffchipBuffer {
  std::string id;
  Offset offset = 0;
  Size size = 0;
  StepRange live;  ///< tile k of the network reads at step 2k and writes at step 2k + 1
  bool weights = false;
  friend bool operator==(const OffchipBuffer&, const OffchipBuffer&) = default;
};

/// Where everything lies in a memory off the chip, tile by tile: a tensor may have the bytes of
/// another one whose tiles are dead.
struct OffchipMemory {
  std::string memory;
  Size height = 0;         ///< the largest end
  Size lower_bound = 0;    ///< proved, for these runs and tiles: no placement is lower
  Size whole_tensors = 0;  ///< the lowest that was found where every tensor lives as a whole
  std::vector<OffchipBuffer> buffers;
  Offset base = 0;  ///< the machine's address of offset 0
};

/// A tensor that lies off the chip where a concatenation wants it: these channels of another one.
struct PlannedJoin {
  std::string tensor;
  std::string whole;
  Dim begin = 0;
  Dim end = 0;
  friend bool operator==(const PlannedJoin&, const PlannedJoin&) = default;
};

/// A weight that lies on the chip for good, loaded once before the network runs for the first time.
/// What a plan costs is without that.
struct PlannedPin {
  std::string weight;
  std::string memory;
  Offset offset = 0;
  Size bytes = 0;
  friend bool operator==(const PlannedPin&, const PlannedPin&) = default;
};

/// Some bytes of a weight, or all, on their way from the memory behind another one; or what a
/// subgraph reads or makes of a tensor that lies there. Subgraphs are counted from 0.
struct PlannedFetch {
  std::string tensor;
  Offset at = 0;             ///< the first of its bytes, but for what passes
  std::size_t from = 0;      ///< there is room for it when the subgraph before this one has ended
  std::size_t subgraph = 0;  ///< that reads it (first), and waits for it
  /// Too large to be there as a whole: piece by piece as tiles load it, while the subgraph runs.
  bool passes = false;
  bool writes = false;  ///< the other way: as tiles make it
  /// Of what passes: a piece is what all tiles of so many of the innermost loops load or store
  /// together, 0 of one tile; and how many pieces there is room for. With one nothing else happens
  /// while a piece comes or goes.
  int loops = 0;
  int copies = 2;
  Size room = 0;           ///< in front: as much as comes, or its pieces
  Size bytes = 0;          ///< on the bus: whole bursts
  std::int64_t begin = 0;  ///< cycles from the beginning of the network
  std::int64_t end = 0;
  friend bool operator==(const PlannedFetch&, const PlannedFetch&) = default;
};

/// What a memory behind another one (HardwareMemory::behind) is needed for.
struct PlannedBehind {
  std::string memory;                 ///< empty: the machine has none
  std::vector<std::string> resident;  ///< weights that are in front before the network begins
  std::vector<std::string> away;      ///< tensors over cuts that lie behind
  std::vector<PlannedFetch> fetches;  ///< all other weights, and what passes of tensors
  std::vector<std::int64_t> begins;   ///< cycle at which each subgraph begins
  Size bytes = 0;                     ///< of all fetches
  std::int64_t waiting_cycles = 0;    ///< of subgraphs for them: part of the latency
  double energy_pj = 0;               ///< part of the energy
  friend bool operator==(const PlannedBehind&, const PlannedBehind&) = default;
};

/// What the search did. Candidates are runs of consecutive ops: each is solved, reused or pruned.
struct PlanSearch {
  std::int64_t candidates = 0;
  std::int64_t solved = 0;      ///< evaluated: tiled, placed and simulated
  std::int64_t infeasible = 0;  ///< proved to fit with no tile (solved or by their bounds)
  std::int64_t unknown = 0;     ///< a limit on a question or on time ended their evaluation
  std::int64_t reused = 0;      ///< the same question as one already answered
  std::int64_t pruned = 0;      ///< never evaluated: bounds kept them off, or a limit came first
  std::int64_t shapes = 0;      ///< of tiles, more than the fewest, that were costed
  std::int64_t nodes_per_question = 0;  ///< that one placement question was allowed
  double seconds = 0;
};

/// What scores are relative to: a network layer by layer on some machine, or another plan.
struct PlanReference {
  std::string profile;  ///< of that machine
  double clock_hz = 0;  ///< latencies on two machines are compared as times
  Metrics totals;
};

/// What nothing scores less than, of all that is named.
struct PlanClaim {
  double bound = 0;
  bool optimal = false;
  std::string over;  ///< in words
  friend bool operator==(const PlanClaim&, const PlanClaim&) = default;
};

struct NetworkPlan {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::string network;
  std::string profile;
  double clock_hz = 0;  ///< of the profile
  std::string dtype;    ///< that took the place of the network's floating types; empty: none
  std::string reason;   ///< for infeasible and unknown: which op needs how much more than there is
  std::vector<PlannedSubgraph> subgraphs;
  std::vector<PlannedLayer> layers;  ///< one per op, in the network's order
  Metrics totals;
  Metrics baseline;           ///< layer by layer: one op at a time, on the same profile
  double baseline_score = 1;  ///< of that, against the reference
  PlanReference reference;
  double score = 0;  ///< weighted, against the reference: below 1 is better
  double bound = 0;  ///< proved: no cover of the network scores less, whatever its tiles
  bool optimal = false;
  std::string proved_over;  ///< what `bound` and `optimal` range over, in words
  /// The same of the fewest tiles that fit and those that were looked at besides: of less, and so
  /// proved more often.
  PlanClaim looked_at;
  /// What else was asked for (PlanParams::fewest_modes), with a bound over all placements of these
  /// subgraphs and tiles that cost no more.
  std::vector<ObjectiveValue> objectives;
  bool limit_mattered = false;  ///< a longer run than --max-ops allows might have helped
  ObjectiveWeights weights;
  PlannedBehind behind;
  std::vector<PlannedJoin> joined;     ///< in the order of the network's tensors
  std::vector<PlannedPin> pinned;      ///< likewise
  std::vector<OffchipMemory> offchip;  ///< none where time was up before it was known
  std::vector<std::vector<std::string>> unused_modes;  ///< per on-chip memory
  std::vector<std::vector<std::string>> idle_banks;    ///< never touched by any buffer
  PlanSearch search;
  std::uint64_t seed = 0;
};

}  // namespace tessera
