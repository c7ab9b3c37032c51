// How long an op takes on an array that has mappings, block by block.
//
//   const OpLoops op = loops_of(net, net.ops[3], extents);
//   const ArrayPort port = port_of(hardware);
//   const ArrayCost cost = array_cost(op, "conv", engine, port);      // of the quickest mapping
//
// A mapping does `unroll` of each loop in a step. The steps of a block that find the same
// stationary operand are a pass: where that is the weights, those over rows and columns. A pass
// takes `least` cycles at least, since the weights of the next pass have to arrive. Each step reads
// the other operand, broadcast over what it does at once; sums stay in the array. A block of the
// output is what two blocks of its input and two of its sums leave room for in the array's buffer;
// of those that fit, the one for which input and weights are fetched least is taken (half as often
// counts where the whole input stays), and among equals the one that takes the fewest cycles.
// Results leave at a rate of their own while the next block is computed.
//
// This is how Arm's Ethos-U work, by what their open compiler estimates; without `blocks` it is the
// plain array of the literature, ceil(extent / unroll) of every loop (docs/planning.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tessera/hardware.h"
#include "tiling/engine_choice.h"

namespace tessera::cost {

/// Bytes of bursts for each byte that an op reads or writes off the chip while it is computed
/// (tiling/direct.h), of what it goes through block by block and of what it makes; 0: on the chip.
struct OffChipOperands {
  double input = 0;
  double output = 0;
};

/// The memory an array reads from and writes to while it computes.
struct ArrayPort {
  double read_bytes_per_cycle = 0;  ///< 0: nobody says
  double write_bytes_per_cycle = 0;
  double read_latency = 0;
  double write_latency = 0;
};

/// The best of the memories on the chip in each respect: one that is quicker in one of them makes
/// nothing slower. Where operands are off the chip, that memory.
[[nodiscard]] ArrayPort port_of(const Hardware& hardware, OffChipOperands off_chip = {});

enum class BoundBy : std::uint8_t { mac, weights, output, port };

struct ArrayCost {
  double cycles = 0;
  BoundBy bound_by = BoundBy::mac;
  std::size_t mapping = 0;  ///< of engine.maps
  double input_bytes = 0;   ///< read from memory, again for each block or step that needs them
  double weight_bytes = 0;
  /// Pieces of output channels that are begun one after the other, each with weights of its own:
  /// blocks, or where there is a single block of channels, what is done of it at once.
  std::int64_t weight_pieces = 1;
  /// The part of the work that is done after all weights were used once.
  double with_known_weights = 0;
};

/// The mappings that may be worth taking: the quickest first, then slower ones that read fewer
/// bytes again, which is better where the memory they read cannot keep up.
struct ArrayWays {
  static constexpr std::size_t most = 4;
  std::array<ArrayCost, most> costs{};
  std::size_t count = 0;
  [[nodiscard]] std::span<const ArrayCost> all() const { return std::span(costs).first(count); }
};

/// require: the engine is a mac_array with maps or unroll; `name` is a key of `output` (the op's
/// kind or function) or anything else. Mappings are those that carry the most special of the op's
/// names (names_of()); there is one (has_mapping()).
[[nodiscard]] ArrayWays array_ways(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                                   const ArrayPort& port);
/// The quickest.
[[nodiscard]] ArrayCost array_cost(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                                   const ArrayPort& port);

/// What no cut of the op's output into pieces, along N, G, K, H and W, takes less than: in cycles.
/// `whole_channels`: each of them has all output channels.
/// ensure: at most the sum of array_cost().cycles over the pieces.
[[nodiscard]] double least_array_cycles(const Op& op, const tiling::OpLoops& loops,
                                        const Engine& engine, bool whole_channels = false);

/// Bytes of its first operand, and of its weights.
struct ArrayReads {
  double input = 0;
  double weights = 0;
};

/// What no cut of the op's output into pieces reads less than, as least_array_cycles(): 0 where
/// that is not simple, and each operand is read once.
[[nodiscard]] ArrayReads least_array_reads(const Op& op, const tiling::OpLoops& loops,
                                           const Engine& engine, bool whole_channels = false);

/// Multiply-accumulates at once, of the mapping that does most.
[[nodiscard]] double peak_macs(const Engine& engine);

}  // namespace tessera::cost
