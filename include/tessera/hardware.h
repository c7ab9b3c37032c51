// The description of an accelerator, as a profile file gives it.
//
//   Hardware hardware = load_profile("nvdla-like");       // files.h
//   problem.memories = placement_memories(hardware);      // the memories buffers are placed into
//   double ns = hardware.memories[1].bandwidth->bytes_per_cycle(hardware.clock_hz);
//
// Plain values. Cycles and counts are bare numbers, energies are picojoules, sizes are bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api.h"
#include "problem.h"

namespace tessera {

/// A data rate, in bytes per second or in bytes per cycle.
struct Bandwidth {
  double amount = 0;  ///< > 0
  bool per_cycle = false;
  /// require: clock_hz > 0.
  [[nodiscard]] constexpr double bytes_per_cycle(double clock_hz) const {
    return per_cycle ? amount : amount / clock_hz;
  }
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

/// Picojoules per byte moved.
struct AccessEnergy {
  double read_pj = 0;
  double write_pj = 0;
  friend bool operator==(const AccessEnergy&, const AccessEnergy&) = default;
};

/// Counts per loop name: N batch, G groups, K output channels, C input channels of a group, H and W
/// output rows and columns, R and S kernel rows and columns, T all taps of a kernel.
using LoopCounts = std::vector<std::pair<std::string, std::int64_t>>;

/// The operand that stays in an array during the steps of a pass and is read once per pass.
enum class StationaryOperand : std::uint8_t {
  weights,  ///< the steps of a pass iterate over rows and columns
  inputs,   ///< the steps iterate over output channels
  outputs,  ///< the steps iterate over input channels and taps
};

/// A way to compute some kinds of op on an array. A step executes `unroll` iterations of each loop
/// at once. A pass consists of the steps of a block with the same stationary operand.
struct Mapping {
  std::string name;
  std::vector<std::string> ops;  ///< kinds of op (network.h); conv, depthwise and fc differ
  LoopCounts unroll;
  LoopCounts at_least;  ///< minimum counts: a shorter loop takes as long
  double cycles = 1;    ///< per step
  StationaryOperand stationary = StationaryOperand::weights;
  std::int64_t least = 0;        ///< minimum cycles of a pass: the next stationary operand arrives
  std::int64_t start = 0;        ///< cycles before the first step of a pass, not overlapped
  std::int64_t input_depth = 0;  ///< input channels of one pass; 0: all
  /// Stationary weights: the array holds those of this many input channels, and the steps of a pass
  /// also iterate over these. 0: the channels of a step.
  std::int64_t pass_depth = 0;
  /// Stationary weights: a pass of one place starts this many cycles later if it continues the sums
  /// of the pass before it.
  std::int64_t wait = 0;
  /// For an input of the network, a convolution with stride may treat columns as channels if the
  /// stride divides their number: the kernel has fewer columns then, and no stride.
  bool folds_columns = false;
  /// A transposed convolution inserts zeros into its input and applies the whole kernel everywhere.
  /// If false, it computes only the taps that meet an input element.
  bool spreads_input = false;
  friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// The choice among blocks with equal amounts of fetched data.
enum class EqualBlocks : std::uint8_t {
  quickest,  ///< shortest passes, then the largest block
  first,     ///< fewest channels, then rows, then columns
};

/// The time of the last block of a loop, if it is partial.
enum class PartialBlocks : std::uint8_t {
  real,   ///< as a block of the remaining size
  whole,  ///< as a full block
  share,  ///< as its share of the steps of a full block
};

/// How reading a block and writing another one share the time of a block (BlockRule::stages).
enum class BlockTransfers : std::uint8_t {
  in_turn,     ///< a block waits for both
  overlapped,  ///< a block waits for the longer one; the first read and last write are extra
};

/// The local buffer of an array: results are produced block by block, and two blocks of input and
/// two of sums have to fit.
struct BlockRule {
  Size buffer = 0;              ///< bytes; 0: an op is one block
  Size sum_buffer = 0;          ///< a buffer of the sums alone; 0: they share `buffer`
  LoopCounts most;              ///< K, H, W: limits of a block; R, S: larger kernels are split
  std::int64_t depth_step = 1;  ///< K of a block is a multiple of this, or all channels
  std::int64_t channels = 1;    ///< input channels are stored in groups of this size
  Size input_granule = 1;       ///< allocation unit of both input blocks together
  Size sum_bytes = 4;
  Size sum_granule = 1;
  std::int64_t stages = 0;  ///< blocks in the pipeline from read to write; 0: any number
  EqualBlocks equal = EqualBlocks::quickest;
  /// For EqualBlocks::first: among equal blocks, a later one of at most this many rows and columns
  /// is preferred. Exception: it holds less of the input's plane than the last one preferred.
  std::int64_t small = 0;
  PartialBlocks partial = PartialBlocks::real;
  BlockTransfers transfers = BlockTransfers::in_turn;
  friend bool operator==(const BlockRule&, const BlockRule&) = default;
};

/// The kinds of compute engines.
enum class EngineKind : std::uint8_t {
  mac_array,  ///< multiply-accumulate: convolutions and matrix products
  vector,     ///< all other ops, `lanes` elements at a time
};

/// Names of on-chip memories that may hold the operands of an engine's ops; an empty list: any.
struct Reach {
  std::vector<std::string> input;
  std::vector<std::string> weights;
  std::vector<std::string> output;
  friend bool operator==(const Reach&, const Reach&) = default;
};

/// A compute engine. Lists of pairs keep the order of the file.
struct Engine {
  std::string name;
  EngineKind kind = EngineKind::mac_array;
  Reach reach;
  std::string queue;     ///< engines of one queue never overlap; empty: an own queue
  double energy_pj = 0;  ///< per multiply-accumulate (mac_array) or element (vector)

  // mac_array
  LoopCounts unroll;          ///< the single mapping for all products; or
  std::vector<Mapping> maps;  ///< several mappings, of which the best that names the op is used
  BlockRule blocks;           ///< for every mapping
  std::int64_t cores = 1;     ///< arrays that share the steps of a block
  double output_cycles = 0;   ///< per element that leaves the array
  std::vector<std::pair<std::string, double>> output_of;  ///< other cycles, by kind or function
  double unfused_output_cycles = 0;  ///< minimum for an op without a fused function
  double channel_cycles = 0;         ///< per output channel of a block, for bias and scale
  std::vector<std::pair<std::string, double>> channel_of;    ///< other cycles, by mapped kind of op
  std::string dtype = "int8";                                ///< the type at full speed
  std::vector<std::pair<std::string, double>> dtype_factor;  ///< other type -> factor of the cycles
  std::int64_t fill = 0;                                     ///< cycles to fill the pipeline

  // vector
  std::int64_t lanes = 1;
  std::int64_t startup = 0;   ///< cycles per operator
  std::int64_t channels = 1;  ///< channels (axis 1) are stored and computed in groups of this size
  double default_cycles_per_vector = 1;
  std::vector<std::pair<std::string, double>> cycles_per_vector;  ///< operator type -> cycles
};

/// The memory layout of tensors with four axes and of vectors of channels (N, C); other tensors are
/// row-major. NCHW16c: bricks of 16 adjacent channels, then columns, rows and bricks.
struct Layout {
  std::array<std::uint8_t, 4> order{0, 1, 2, 3};  ///< axes of NCHW, from the outermost
  std::int64_t brick = 1;  ///< adjacent channels; C is padded to whole bricks
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Maximum rates of single users of a memory, whose buffers and outstanding bursts do not hide its
/// latency. Empty: the bandwidth of the memory.
struct AccessRates {
  std::optional<Bandwidth> input;    ///< activations that ops read
  std::optional<Bandwidth> weights;  ///< weights that ops read
  std::optional<Bandwidth> output;
  std::optional<Bandwidth> dma;  ///< loads of a DMA channel
};

/// A memory: its address space, and how it is accessed.
struct HardwareMemory {
  Memory space;          ///< name, capacity, alignment, banks, modes, reserved (problem.h)
  bool offchip = false;  ///< buffers are not placed in it; DMA loads from it and stores to it
  /// Can a running program write it? If the off-chip memory is not writable (flash), an op's output
  /// stays on-chip until its last reader has run. The same applies to inputs and outputs of the
  /// network.
  bool writable = true;
  /// For a backing memory: the name of the memory in front of it, such as an L2 in front of DRAM.
  /// Weights that do not fit in front come from here. Empty: not a backing memory.
  std::string behind;
  Layout layout;  ///< of activations; equal for all on-chip memories
  AccessEnergy energy;
  std::optional<Bandwidth> bandwidth;        ///< required for an off-chip memory
  std::optional<Bandwidth> write_bandwidth;  ///< a separate write channel; else both share one
  AccessRates rates;
  Size burst = 1;  ///< bytes; a transfer consists of whole bursts
  /// For off-chip memory that an engine accesses directly: the useful bytes of a burst if adjacent
  /// channels have fewer bytes than a burst; 0: all.
  Size direct_run = 0;
  std::int64_t latency = 0;                   ///< cycles from request to first byte
  std::optional<std::int64_t> write_latency;  ///< default: `latency`
};

/// The DMA engine between off-chip and on-chip memory.
struct Dma {
  std::int64_t channels = 1;
  std::int64_t outstanding = 1;                    ///< bursts in flight per channel
  std::optional<std::int64_t> outstanding_writes;  ///< default: `outstanding`
  std::int64_t setup = 0;                          ///< cycles per transfer
  /// The weights of an op arrive in at most this many slices of whole output channels. An array
  /// works on the channels whose weights have arrived. 1: it waits for all weights.
  std::int64_t weight_slices = 1;
  /// Rate of a channel between memories of different layouts; empty: the rate of the transfer.
  std::optional<Bandwidth> convert;
};

/// Weights of products are stored encoded, on-chip and off-chip, and arrays decode them while
/// reading. These values apply if the network does not state the encoded size (Tensor::encoded).
struct WeightCoding {
  double ratio = 1;      ///< bytes per byte
  Size per_channel = 0;  ///< additional bytes per output channel
  Size granule = 1;      ///< the size of a weight is rounded up to a multiple
  friend bool operator==(const WeightCoding&, const WeightCoding&) = default;
};

/// The cost of a step whose mode differs from that of the step before.
struct ModeSwitch {
  std::int64_t cycles = 0;
  double energy_pj = 0;
};

/// A bank or memory relation between the operands of every op: `input` (each of them), `output`,
/// `weights`. The kind is same_bank, different_banks, same_memory or different_memories.
struct OperandRestriction {
  RelationKind kind = RelationKind::different_banks;
  std::vector<std::string> operands;
};

/// A condition (rules.h) on the operands of ops, or on the modes of memories.
struct OperandRule {
  std::string name;
  /// `offset`, `bank` and `memory` without a name are those of each operand of these roles: input,
  /// output, weights. The names in parentheses are roles of operands of the same op.
  std::vector<std::string> roles;
  std::vector<std::string> ops;  ///< kinds of ops; empty: all
  std::string that;
};

/// Weights are loaded once for all tiles of a group, or again for each tile.
enum class WeightPolicy : std::uint8_t { resident, refetch };
/// The overlap with neighbour tiles: recomputed; kept along W only; or kept along H and W.
enum class HaloPolicy : std::uint8_t { recompute, keep_columns, keep };
/// How the next tile accesses the halo rows that are kept.
enum class KeptHalos : std::uint8_t {
  in_place,  ///< engines read them in place: rows of a circular buffer
  copied,    ///< copied to the place of the other rows
};
/// The operand that is loaded once for several tiles. It determines the tile order.
enum class Stationary : std::uint8_t {
  none,     ///< each tile loads all its inputs; channels are the outer loop
  weights,  ///< weights of the tile's channels stay for all positions; channels are the outer loop
  inputs,   ///< inputs of a position stay for all channels; channels are the inner loop
};

/// Operands that have a single copy even with double buffering. This leaves more free space for the
/// tile, but their transfers wait for the ops that use them. A bit set.
enum class OneCopy : std::uint8_t {
  none,
  inputs,   ///< loaded activations
  outputs,  ///< stored tensors
  inputs_outputs,
  weights,
  inputs_weights,
  outputs_weights,
};
[[nodiscard]] constexpr bool has(OneCopy set, OneCopy one) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
}

/// For an op that is alone in its group: the operands that its engine accesses directly in off-chip
/// memory (Engine::reach). They take no on-chip space, but are read again for every block that
/// needs them. A bit set.
enum class Direct : std::uint8_t { none, inputs, outputs, inputs_outputs };
[[nodiscard]] constexpr bool has(Direct set, Direct one) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
}

/// How the ops of a group share their engines' time.
enum class EngineOrder : std::uint8_t {
  in_turn,       ///< one op after the other, on any engine
  side_by_side,  ///< the last ops of a tile may overlap with the first ops of the next tile
};

/// Data that an earlier group may have loaded for a group.
enum class Early : std::uint8_t {
  none,     ///< nothing
  weights,  ///< weights that are resident during all of its tiles
};

/// The off-chip place of the operands of a concatenation along channels.
enum class Concat : std::uint8_t {
  in_place,  ///< inside its output, if that costs fewer bytes than a copy
  copied,    ///< separate
};

/// Data that may be pinned: present on-chip before the first inference, and never moved.
enum class Pinned : std::uint8_t {
  none,
  weights,  ///< weights, if the benefit is worth the space
};

/// The variants to try, and what each costs; each list has at least one entry.
struct TilingOptions {
  std::vector<bool> double_buffer{false};
  std::vector<WeightPolicy> weights{WeightPolicy::resident, WeightPolicy::refetch};
  std::vector<HaloPolicy> halo{HaloPolicy::recompute};
  std::vector<Stationary> stationary{Stationary::none, Stationary::weights, Stationary::inputs};
  std::vector<OneCopy> one_copy{OneCopy::none, OneCopy::inputs, OneCopy::outputs, OneCopy::weights};
  /// Numbers of parts in which the sums of a product may be computed, one after the other in each
  /// tile; 1 is all at once.
  std::vector<std::int64_t> reduction{1, 2, 4, 8};
  std::vector<Direct> direct{Direct::none, Direct::inputs, Direct::outputs, Direct::inputs_outputs};
  KeptHalos kept_halos = KeptHalos::in_place;
  Early early = Early::none;
  EngineOrder engines = EngineOrder::in_turn;
  Concat concat = Concat::in_place;
  Pinned pinned = Pinned::none;
};

/// One variant: how a group of ops iterates over its tiles.
struct TileVariant {
  bool double_buffer = false;
  WeightPolicy weights = WeightPolicy::resident;
  HaloPolicy halo = HaloPolicy::recompute;
  /// Weights are stationary only with WeightPolicy::refetch. With a stationary operand, halos are
  /// recomputed.
  Stationary stationary = Stationary::none;
  /// Requires double buffering, recomputed halos and no stationary operand.
  OneCopy one_copy = OneCopy::none;
  /// Parts of the sums of the group's first product that reads off-chip data. More than one
  /// requires recomputed halos and no one_copy.
  std::int64_t reduction = 1;
  /// For a group of one op. Requires recomputed halos, sums at once, no one_copy and no stationary
  /// inputs. No effect on an op whose engine does not reach the off-chip memory.
  Direct direct = Direct::none;
  /// The number of ops at the end of the group that work one tile behind the others, at the same
  /// time. Requires double buffering, recomputed halos, no stationary operand, sums at once, and no
  /// one_copy and direct. The first of these ops has another engine than the op before it.
  std::int64_t trailing = 0;
  friend bool operator==(const TileVariant&, const TileVariant&) = default;
};

/// Weights of the score: not negative, and with sum 1.
struct ObjectiveWeights {
  double latency = 1;
  double energy = 0;
  double dram_bytes = 0;
  double peak_memory = 0;
  double peak_bandwidth = 0;
};

/// A machine: engines, memories, DMA, and the options of the planner.
struct Hardware {
  std::string name;
  /// Profile key -> source of its value ("assumed" without a source).
  std::vector<std::pair<std::string, std::string>> provenance;
  double clock_hz = 0;  ///< 0 without a clock: enough for placement, not for simulation
  double static_power_mw = 0;
  std::vector<Engine> engines;
  std::vector<HardwareMemory> memories;
  Dma dma;
  std::optional<WeightCoding> coding;
  ModeSwitch mode_switch;
  std::vector<OperandRestriction> restrictions;
  std::vector<OperandRule> rules;
  TilingOptions tiling;
  ObjectiveWeights objective;
  /// The machine that scores of plans are relative to; null: this machine. For a changed Profile it
  /// is the profile as shipped, unless the profile names another one. The reference of the
  /// reference is ignored.
  std::shared_ptr<const Hardware> reference;
};

/// Must all results of ops stay on-chip, because no off-chip memory is writable?
[[nodiscard]] TESSERA_API bool stays_on_chip(const Hardware& hardware);

/// The memories that buffers are placed into: all on-chip memories in the profile's order.
[[nodiscard]] TESSERA_API std::vector<Memory> placement_memories(const Hardware& hardware);

}  // namespace tessera
