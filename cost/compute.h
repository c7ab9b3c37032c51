// Compute time and energy of one op of one tile.
//
//   ComputeCost c = compute_cost(net, net.ops[3], {1, 64, 14, 56}, hardware);   // output extents
//   // c.engine indexes hardware.engines; c.cycles; c.energy_pj
//
// The mappings of an array determine its cycles (cost/mapping.h): rounded up, times the factor of
// the data type, plus the pipeline fill. A vector engine takes startup + ceil(elements / lanes) *
// cycles of this kind of op. Ops fused into another op run as its results leave the array and take
// no time.
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
  // Bytes an array reads of its first and its second operand; 0: each operand is read once.
  double input_bytes = 0;
  double weight_bytes = 0;
  // How the op consumes its weights, as in mapping.h.
  std::int64_t weight_parts = 1;
  double with_known_weights = 0;
};

/// The fastest alternative first, then slower ones that read less. On-chip bandwidth decides
/// between them.
struct ComputeChoices {
  std::array<ComputeCost, ArrayChoices::most> costs{};
  std::size_t count = 1;
  [[nodiscard]] std::span<const ComputeCost> all() const { return std::span(costs).first(count); }
};

/// Elements a vector engine processes: output elements times the window each one reads.
[[nodiscard]] std::int64_t vector_work(const Network& network, const Op& op,
                                       std::span<const Dim> output_extents);

/// Throws std::invalid_argument with the op and the engines if no engine computes some op.
void require_engines(const Network& network, const Hardware& hardware);

/// require: an engine computes the op (tiling::choose_engine(); std::invalid_argument otherwise). A
/// memo of this hardware speeds up repeated calls.
[[nodiscard]] ComputeChoices compute_choices(const Network& network, const Op& op,
                                             std::span<const Dim> output_extents,
                                             const Hardware& hardware, ArrayMemo* memo = nullptr,
                                             OffChipOperands off_chip = {});
/// The fastest of compute_choices().
[[nodiscard]] ComputeCost compute_cost(const Network& network, const Op& op,
                                       std::span<const Dim> output_extents,
                                       const Hardware& hardware, ArrayMemo* memo = nullptr);

/// Lower bound on computing the whole output in parts, in any way and with any recomputation.
/// Without start-up, and without rounding up the loops that parts can split. `whole_channels`:
/// parts do not split the output channels.  require: as compute_cost().
struct LeastCompute {
  double cycles = 0;
  double start = 0;  ///< in addition, each time any part is computed
  double energy_pj = 0;
  ArrayReads reads;  ///< of an array: bytes of its first operand and of its weights
};
[[nodiscard]] LeastCompute least_compute(const Network& network, const Op& op,
                                         const Hardware& hardware, bool whole_channels = false);

/// Lower bound on computing all of the output, whole or in parts of any shape: with its start-up,
/// and with loops rounded up where no part has a better mapping.
[[nodiscard]] LeastCompute least_of_parts(const Network& network, const Op& op,
                                          const Hardware& hardware);

}  // namespace tessera::cost
