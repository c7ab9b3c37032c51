// What is known of one accelerator: a profile, read.
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

/// A speed of data, either of its own (bytes per second) or tied to the clock (bytes per cycle).
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

/// Counts by the name of a loop (N batch, G groups, K output channels, C input channels of a group,
/// H and W output rows and columns, R and S kernel rows and columns, T all taps of a kernel).
using LoopCounts = std::vector<std::pair<std::string, std::int64_t>>;

/// What stays in an array from step to step of a pass, and is read once for it.
enum class StationaryOperand : std::uint8_t {
  weights,  ///< the steps of a pass go over rows and columns
  inputs,   ///< over output channels
  outputs,  ///< over input channels and taps
};

/// One way to compute some kinds of op on an array. In a step it does `unroll` of each loop at
/// once; the steps of a block that find the same stationary operand are a pass.
struct Mapping {
  std::string name;
  std::vector<std::string> ops;  ///< kinds of op (network.h), and conv, depthwise, fc told apart
  LoopCounts unroll;
  LoopCounts at_least;  ///< shorter loops take as long as one of so many
  double cycles = 1;    ///< of a step
  StationaryOperand stationary = StationaryOperand::weights;
  std::int64_t least = 0;        ///< cycles of a pass: the next stationary operand has to arrive
  std::int64_t start = 0;        ///< cycles of a pass before its first step, hidden by nothing
  std::int64_t input_depth = 0;  ///< input channels of one pass; 0: all
  /// Of an input of the network, columns that a convolution strides over may stand side by side as
  /// channels, where the stride divides their number: fewer columns of the kernel, and no stride.
  bool folds_columns = false;
  /// Between what a transposed convolution reads zeros are put, and the whole kernel goes over all
  /// of it; else only the taps that meet some of the input are computed.
  bool spreads_input = false;
  friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// Which block is taken of those for which as much is fetched.
enum class EqualBlocks : std::uint8_t {
  quickest,  ///< for which passes take least, then the largest
  first,     ///< of the fewest channels, then rows, then columns
};

/// What the last block of a loop takes where the others leave less.
enum class PartialBlocks : std::uint8_t {
  real,   ///< as much as one of what is left
  whole,  ///< as much as the others
};

/// What an array has beside it: results are made block by block, and two blocks of input and two of
/// sums have to fit its buffer.
struct BlockRule {
  Size buffer = 0;              ///< bytes; 0: an op is one block
  LoopCounts most;              ///< K, H, W: a block has no more; R, S: larger kernels go in parts
  std::int64_t depth_step = 1;  ///< K of a block is a multiple of it, or all
  std::int64_t channels = 1;    ///< input channels are kept in groups of so many
  Size input_granule = 1;       ///< of the buffer, for both input blocks together
  Size sum_bytes = 4;
  Size sum_granule = 1;
  std::int64_t stages = 0;  ///< blocks under way between reading and writing; 0: any number
  EqualBlocks equal = EqualBlocks::quickest;
  /// With the first: later ones of at most so many rows and columns take the place of equal ones,
  /// unless they hold less of the input's plane than the last one that did.
  std::int64_t small = 0;
  PartialBlocks partial = PartialBlocks::real;
  friend bool operator==(const BlockRule&, const BlockRule&) = default;
};

enum class EngineKind : std::uint8_t {
  mac_array,  ///< multiplies and adds: convolutions and matrix products
  vector,     ///< everything else, `lanes` elements at a time
};

/// Memories on the chip, by name, where operands of an engine's ops may lie; an empty list: any.
struct Reach {
  std::vector<std::string> input;
  std::vector<std::string> weights;
  std::vector<std::string> output;
  friend bool operator==(const Reach&, const Reach&) = default;
};

/// Something that computes. Lists of pairs keep the order of the file.
struct Engine {
  std::string name;
  EngineKind kind = EngineKind::mac_array;
  Reach reach;
  std::string queue;     ///< engines with one queue are never at work together; empty: its own
  double energy_pj = 0;  ///< of one multiply-accumulate (mac_array) or one element (vector)

  // mac_array
  LoopCounts unroll;          ///< the only mapping, of all products; or else
  std::vector<Mapping> maps;  ///< the best of those that name the op is taken
  BlockRule blocks;           ///< of every mapping
  std::int64_t cores = 1;     ///< arrays that share the steps of a block
  double output_cycles = 0;   ///< per element that leaves the array
  std::vector<std::pair<std::string, double>> output_of;  ///< other cycles, by kind or function
  double channel_cycles = 0;  ///< per output channel of a block: its bias and scale
  std::vector<std::pair<std::string, double>> channel_of;    ///< other cycles, by mapped kind of op
  std::string dtype = "int8";                                ///< at full speed
  std::vector<std::pair<std::string, double>> dtype_factor;  ///< other type -> times the cycles
  std::int64_t fill = 0;                                     ///< cycles until the pipeline is full

  // vector
  std::int64_t lanes = 1;
  std::int64_t startup = 0;   ///< cycles per operator
  std::int64_t channels = 1;  ///< channels (axis 1) are kept, and computed, in groups of so many
  double default_cycles_per_vector = 1;
  std::vector<std::pair<std::string, double>> cycles_per_vector;  ///< operator type -> cycles
};

/// In what order tensors with four axes, and vectors of channels (N, C), lie in a memory; others
/// lie row by row. NCHW16c: bricks of 16 channels side by side, then columns, rows and bricks.
struct Layout {
  std::array<std::uint8_t, 4> order{0, 1, 2, 3};  ///< axes of NCHW, the outermost first
  std::int64_t brick = 1;  ///< channels side by side; C is filled up to whole bricks
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// A memory with everything besides its address space.
struct HardwareMemory {
  Memory space;          ///< name, capacity, alignment, banks, modes, reserved (problem.h)
  bool offchip = false;  ///< buffers are not placed into it; loads come from and stores go to it
  /// By a program that runs. Where the memory off the chip is not (flash), what an op makes stays
  /// on the chip until its last reader has run, and so do inputs and results of the network.
  bool writable = true;
  /// Off the chip: the name of the memory that this one lies behind, as DRAM does behind an L2 that
  /// the DMA works on. What of the weights has no room there comes from here; empty: behind none.
  std::string behind;
  Layout layout;  ///< of activations; on the chip one for all memories
  AccessEnergy energy;
  std::optional<Bandwidth> bandwidth;        ///< always present for an off-chip memory
  std::optional<Bandwidth> write_bandwidth;  ///< a way of its own; else both directions share one
  Size burst = 1;                            ///< bytes; a transfer takes whole bursts
  /// Off the chip: what an engine gets of a burst there where channels lie side by side and are
  /// fewer bytes than that; 0: all of it.
  Size direct_run = 0;
  std::int64_t latency = 0;                   ///< cycles from request to first byte
  std::optional<std::int64_t> write_latency;  ///< else the same
};

struct Dma {
  std::int64_t channels = 1;
  std::int64_t outstanding = 1;                    ///< bursts under way at once, of a channel
  std::optional<std::int64_t> outstanding_writes;  ///< else the same
  std::int64_t setup = 0;                          ///< cycles per transfer
  /// The weights of an op arrive in so many parts at most, of whole output channels: an array works
  /// on the channels it has the weights of. 1: it waits for all of them.
  std::int64_t weight_slices = 1;
  /// Of a channel between memories of different layouts; nothing: as fast as bytes come.
  std::optional<Bandwidth> convert;
};

/// Weights of products are kept encoded, on the chip and off it, and arrays decode them as they
/// read. Where the network does not say how many bytes that takes (Tensor::encoded), these do.
struct WeightCoding {
  double ratio = 1;      ///< bytes per byte
  Size per_channel = 0;  ///< bytes of each output channel besides
  Size granule = 1;      ///< all of a weight takes whole ones
  friend bool operator==(const WeightCoding&, const WeightCoding&) = default;
};

/// The price of two consecutive steps in different modes.
struct ModeSwitch {
  std::int64_t cycles = 0;
  double energy_pj = 0;
};

/// A bank or memory relation between the operands of every op: `input` (each of them), `output`,
/// `weights`. Only same_bank, different_banks, same_memory and different_memories.
struct OperandRestriction {
  RelationKind kind = RelationKind::different_banks;
  std::vector<std::string> operands;
};

enum class WeightPolicy : std::uint8_t { resident, refetch };
enum class HaloPolicy : std::uint8_t { recompute, keep_columns, keep };
/// How the next tile gets at what is kept of a halo.
enum class KeptHalos : std::uint8_t {
  in_place,  ///< engines read it where it is: rows of a circular buffer
  copied,    ///< to where they read the rest
};
/// What is loaded once for several tiles, which sets the order of them.
enum class Stationary : std::uint8_t {
  none,     ///< each tile loads all it reads; channels change last
  weights,  ///< those of the tile's channels stay while all places pass; channels change last
  inputs,   ///< what all channels of a place read stays while they pass; channels change first
};

/// With double buffering: whose parts of a tile have one copy all the same. That leaves more room
/// for the tile, and what moves them waits for the ops that use them. Bits of each other.
enum class OneCopy : std::uint8_t {
  none,
  inputs,   ///< what a run loads and is no weight
  outputs,  ///< what it stores
  inputs_outputs,
  weights,
  inputs_weights,
  outputs_weights,
};
[[nodiscard]] constexpr bool has(OneCopy set, OneCopy one) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
}

/// Of an op that runs alone: what its engine reads and writes off the chip itself, where it reaches
/// that memory (Engine::reach). That needs no room on the chip, but is read again for every block
/// of the engine that needs it. Bits of each other.
enum class Direct : std::uint8_t { none, inputs, outputs, inputs_outputs };
[[nodiscard]] constexpr bool has(Direct set, Direct one) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
}

/// How the ops of a run share their engines' time.
enum class EngineOrder : std::uint8_t {
  in_turn,       ///< one op after the other, whichever engine computes it
  side_by_side,  ///< or the last ops of a tile beside the first ones of the next tile
};

/// What a run may find on the chip because the run before has loaded it.
enum class Early : std::uint8_t {
  none,     ///< each run loads what it reads
  weights,  ///< those that stay through all of its tiles
};

/// Where operands of a concatenation along channels lie off the chip.
enum class Concat : std::uint8_t {
  in_place,  ///< in the place of what it makes, wherever that costs fewer bytes than copying them
  copied,    ///< by themselves
};

/// How much of a tensor may stay on the chip from the run that makes it to that of its last reader.
enum class Stay : std::uint8_t {
  whole,  ///< all of it, or nothing
  rows,   ///< or its first rows, beside the rest off the chip
};

/// What may lie on the chip for good: it is there before the network runs, which it does again and
/// again, and nothing of it is moved.
enum class Pinned : std::uint8_t {
  none,
  weights,  ///< those for which that is worth their room
};

/// The variants worth trying, and what one costs; each list has at least one entry.
struct TilingOptions {
  std::vector<bool> double_buffer{false};
  std::vector<WeightPolicy> weights{WeightPolicy::resident, WeightPolicy::refetch};
  std::vector<HaloPolicy> halo{HaloPolicy::recompute};
  std::vector<Stationary> stationary{Stationary::none, Stationary::weights, Stationary::inputs};
  std::vector<OneCopy> one_copy{OneCopy::none, OneCopy::inputs, OneCopy::outputs, OneCopy::weights};
  /// In how many parts the sums of a product may be made, one after the other in each tile: 1 is
  /// all at once.
  std::vector<std::int64_t> reduction{1, 2, 4, 8};
  std::vector<Direct> direct{Direct::none, Direct::inputs, Direct::outputs, Direct::inputs_outputs};
  KeptHalos kept_halos = KeptHalos::in_place;
  Early early = Early::none;
  EngineOrder engines = EngineOrder::in_turn;
  Concat concat = Concat::in_place;
  Pinned pinned = Pinned::none;
  Stay stay = Stay::whole;
};

/// One of them: how a run of ops goes through its tiles.
struct TileVariant {
  bool double_buffer = false;
  WeightPolicy weights = WeightPolicy::resident;
  HaloPolicy halo = HaloPolicy::recompute;
  /// Weights stay only where they are fetched again otherwise; where anything stays, halos are
  /// recomputed.
  Stationary stationary = Stationary::none;
  /// Only with double buffering, and where nothing else stays and halos are recomputed.
  OneCopy one_copy = OneCopy::none;
  /// Parts in which the first product of the run that reads from off the chip makes its sums. More
  /// than one only with halos that are recomputed, and where one_copy is none.
  std::int64_t reduction = 1;
  /// Of a run of one op; only where halos are recomputed, sums are made at once, one_copy is none
  /// and no inputs stay. Says nothing about an op whose engine does not reach that memory.
  Direct direct = Direct::none;
  /// So many ops at the end of the run work one tile behind the others, at the same time. Only with
  /// double buffering, where halos are recomputed, nothing stays, sums are made at once and
  /// one_copy and direct are none; the first of them has another engine than the op before it.
  std::int64_t trailing = 0;
  friend bool operator==(const TileVariant&, const TileVariant&) = default;
};

/// Weights of the score, not negative, summing to 1.
struct ObjectiveWeights {
  double latency = 1;
  double energy = 0;
  double dram_bytes = 0;
  double peak_memory = 0;
  double peak_bandwidth = 0;
};

struct Hardware {
  std::string name;
  /// Key of the profile -> where its value comes from ("assumed" where nobody says).
  std::vector<std::pair<std::string, std::string>> provenance;
  double clock_hz = 0;  ///< 0 where the profile has no clock: enough to place, not to simulate
  double static_power_mw = 0;
  std::vector<Engine> engines;
  std::vector<HardwareMemory> memories;
  Dma dma;
  std::optional<WeightCoding> coding;
  ModeSwitch mode_switch;
  std::vector<OperandRestriction> restrictions;
  TilingOptions tiling;
  ObjectiveWeights objective;
  /// The machine that scores of plans are relative to, so that machines can be ranked; nothing: the
  /// profile itself. Its own reference is not asked.
  std::shared_ptr<const Hardware> reference;
};

/// Can nothing that a network makes leave the chip?
[[nodiscard]] TESSERA_API bool stays_on_chip(const Hardware& hardware);

/// The memories buffers are placed into: all that are not off-chip, in the profile's order.
[[nodiscard]] TESSERA_API std::vector<Memory> placement_memories(const Hardware& hardware);

}  // namespace tessera
