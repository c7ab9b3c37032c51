// Cost of an op on an array with mappings, block by block.
//
//   const OpLoops op = loops_of(net, net.ops[3], extents);
//   const ArrayPort port = port_of(hardware);
//   const ArrayCost cost = array_cost(op, "conv", engine, port);      // of the fastest mapping
//
// A mapping executes `unroll` iterations of each loop per step. A pass is the sequence of steps of
// a block that use the same stationary operand; for stationary weights, these are the steps over
// rows and columns. A pass takes at least `least` cycles, since the weights of the next pass have
// to arrive. Each step reads the other operand and broadcasts it over the unrolled loops; sums stay
// in the array. The array buffer holds two blocks of the input and two of the sums, which limits
// the block size; sums may have a buffer of their own. Among the blocks that fit, the model takes
// the one with the fewest fetched bytes of input and weights, which count half if the whole input
// stays. Ties go to the fewest cycles. Results leave at a rate of their own while the next block is
// computed.
//
// Source: Arm's Ethos-U, by the estimates of its open compiler. Without `blocks` this is the plain
// array of the literature, ceil(extent / unroll) of every loop (docs/internals/cost-model.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tessera/hardware.h"
#include "tiling/engine_choice.h"

namespace tessera::cost {

/// Burst bytes per byte that an op reads or writes off-chip while it computes (tiling/direct.h): of
/// the operand read block by block, and of the output; 0: on-chip.
struct OffChipOperands {
  double input = 0;
  double output = 0;
};

/// The memory an array reads from and writes to while it computes.
struct ArrayPort {
  double read_bytes_per_cycle = 0;  ///< 0: not stated
  double write_bytes_per_cycle = 0;
  double read_latency = 0;
  double write_latency = 0;
};

/// The best value of all on-chip memories for each property, so that a memory which improves one
/// property never slows an op. For off-chip operands, the off-chip memory.
[[nodiscard]] ArrayPort port_of(const Hardware& hardware, OffChipOperands off_chip = {});

enum class BoundBy : std::uint8_t { mac, weights, output, port };

struct ArrayCost {
  double cycles = 0;
  BoundBy bound_by = BoundBy::mac;
  std::size_t mapping = 0;  ///< index into engine.maps
  double input_bytes = 0;   ///< bytes read from memory, including repeated reads by blocks or steps
  double weight_bytes = 0;
  /// Number of sequential parts of output channels, each with weights of its own: blocks, or parts
  /// of a block if a single block has all channels.
  std::int64_t weight_parts = 1;
  /// The share of the work that remains after each weight was used once.
  double with_known_weights = 0;
};

/// The useful mappings: the fastest first, then slower ones that read fewer bytes, which win if the
/// memory they read is the bottleneck.
struct ArrayChoices {
  static constexpr std::size_t most = 4;
  std::array<ArrayCost, most> costs{};
  std::size_t count = 0;
  [[nodiscard]] std::span<const ArrayCost> all() const { return std::span(costs).first(count); }
};

/// require: the engine is a mac_array with maps or unroll. `name` (kind or function of the op)
/// selects an entry of `output`, if there is one. Only mappings for the most specific name of the
/// op apply (names_of()); there is at least one (has_mapping()).
[[nodiscard]] ArrayChoices array_choices(const Op& op, const tiling::OpLoops& loops,
                                         const Engine& engine, const ArrayPort& port);
/// The fastest of array_choices().
[[nodiscard]] ArrayCost array_cost(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                                   const ArrayPort& port);

/// Channels, rows and columns of a block, and rows and columns of its input (0: those that it
/// needs, rounded up to steps).
struct BlockShape {
  std::int64_t channels = 1, rows = 1, columns = 1;
  std::int64_t input_rows = 0, input_columns = 0;
};
/// The cost of the whole op by one mapping with this block, for comparison with the schedules of
/// other planners.
/// require: the mapping computes the op, and its index is that of Engine::maps; the array has
/// blocks. The block may exceed the array's buffer.
[[nodiscard]] ArrayCost array_cost_of_block(const Op& op, const tiling::OpLoops& loops,
                                            const Engine& engine, const ArrayPort& port,
                                            std::size_t mapping, const BlockShape& block);

/// Lower bound in cycles on any split of the op's output along N, G, K, H and W. `whole_channels`:
/// each part has all output channels. ensure: at most the sum of array_cost().cycles over the
/// parts.
[[nodiscard]] double least_array_cycles(const Op& op, const tiling::OpLoops& loops,
                                        const Engine& engine, bool whole_channels = false);

/// Bytes of the first operand, and of the weights.
struct ArrayReads {
  double input = 0;
  double weights = 0;
};

/// Lower bound on the bytes that any split of the output reads, as least_array_cycles(). 0 if the
/// access pattern is complex, in which case each operand is read once.
[[nodiscard]] ArrayReads least_array_reads(const Op& op, const tiling::OpLoops& loops,
                                           const Engine& engine, bool whole_channels = false);

/// Multiply-accumulates per cycle of the mapping with the most.
[[nodiscard]] double peak_macs(const Engine& engine);

}  // namespace tessera::cost
