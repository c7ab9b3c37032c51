// How long one op of one tile keeps its engine busy, and what that costs in energy.
//
//   ComputeCost c = compute_cost(net, net.ops[3], {1, 64, 14, 56}, hardware);   // output extents
//   // c.engine indexes hardware.engines; c.cycles; c.energy_pj
//
// An array takes what its mappings say (cost/mapping.h): cycles are rounded up, times the factor of
// the data type, plus the fill of its pipeline. A vector engine takes
// startup + ceil(elements / lanes) * cycles of this kind of op. What is fused into an op is applied
// as its results leave the array: no time of its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cost/mapping.h"
#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera::cost {

class ArrayMemo;

struct ComputeCost {
  std::size_t engine = 0;
  std::int64_t cycles = 0;
  std::int64_t work = 0;  ///< multiply-accumulates, or elements on a vector engine
  double energy_pj = 0;
  BoundBy bound_by = BoundBy::mac;
  // What an array reads of its first and its second operand; 0: each operand is read once.
  double input_bytes = 0;
  double weight_bytes = 0;
  // How it goes through its weights, as in mapping.h.
  std::int64_t weight_pieces = 1;
  double with_known_weights = 0;
};

/// The quickest first, then slower ones that read less: the memory on the chip decides.
struct ComputeWays {
  std::array<ComputeCost, ArrayWays::most> costs{};
  std::size_t count = 1;
  [[nodiscard]] std::span<const ComputeCost> all() const { return std::span(costs).first(count); }
};

/// Elements a vector engine touches: output elements times the window it reads for each.
[[nodiscard]] std::int64_t vector_work(const Network& network, const Op& op,
                                       std::span<const Dim> output_extents);

/// Throws std::invalid_argument, which names the op and the engines, if no engine computes some op.
void require_engines(const Network& network, const Hardware& hardware);

/// require: an engine computes the op (tiling::choose_engine(); std::invalid_argument otherwise).
/// With a memo of this hardware it is quicker the second time.
[[nodiscard]] ComputeWays compute_ways(const Network& network, const Op& op,
                                       std::span<const Dim> output_extents,
                                       const Hardware& hardware, ArrayMemo* memo = nullptr,
                                       OffChipOperands off_chip = {});
/// The quickest.
[[nodiscard]] ComputeCost compute_cost(const Network& network, const Op& op,
                                       std::span<const Dim> output_extents,
                                       const Hardware& hardware, ArrayMemo* memo = nullptr);

/// What no way to compute the whole output piece by piece beats, however often pieces are made:
/// without start-up, and with the loops that pieces may cut never rounded up. `whole_channels`:
/// they do not cut the output's channels.  require: as compute_cost().
struct LeastCompute {
  double cycles = 0;
  double start = 0;  ///< besides, whenever some of it is computed
  double energy_pj = 0;
  ArrayReads reads;  ///< of an array: bytes of its first operand and of its weights
};
[[nodiscard]] LeastCompute least_compute(const Network& network, const Op& op,
                                         const Hardware& hardware, bool whole_channels = false);

/// What computing all of the output, whole or in pieces of any kind, takes at least: with its
/// start-up and with loops rounded up, where no piece can choose a better way for itself.
[[nodiscard]] LeastCompute least_of_pieces(const Network& network, const Op& op,
                                           const Hardware& hardware);

}  // namespace tessera::cost
