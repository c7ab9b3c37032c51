// How long one op of one tile keeps its engine busy, and what that costs in energy.
//
//   ComputeCost c = compute_cost(net, net.ops[3], {1, 64, 14, 56}, hardware);   // output extents
//   // c.engine indexes hardware.engines; c.cycles; c.energy_pj
//
// A MAC array unrolls some loops over its cells: cycles are the product over the unrolled
// loops of ceil(extent / unroll) times the product of the other loops, times the factor of the
// data type, plus the fill of its pipeline. Loops: N batch, G groups, K output channels of a
// group, C input channels of a group, H and W output rows and columns (H takes all other spatial
// axes too), R and S kernel rows and columns. A matrix product [.., M, K] has K columns, C reduced
// elements, and its M rows go where the array unrolls space. A vector engine takes
// startup + ceil(elements / lanes) * cycles of this kind of op. What is fused into an op is applied
// as its results leave the array: no time of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera {

struct ComputeCost {
  std::size_t engine = 0;
  std::int64_t cycles = 0;
  std::int64_t work = 0;  ///< multiply-accumulates, or elements on a vector engine
  double energy_pj = 0;
};

/// The loops of a product op for an output of the given extents.
struct LoopNest {
  std::int64_t N = 1, G = 1, K = 1, C = 1, H = 1, W = 1, R = 1, S = 1;
  [[nodiscard]] std::int64_t product() const { return N * G * K * C * H * W * R * S; }
};

/// Does the op run on a MAC array (conv, conv_transpose, matmul)?
[[nodiscard]] bool is_product(const Op& op);

/// require: is_product(op), extents of the op's (first) output.
[[nodiscard]] LoopNest loop_nest(const Network& network, const Op& op,
                                 std::span<const Dim> output_extents);

/// Elements a vector engine touches: output elements times the window it reads for each.
[[nodiscard]] std::int64_t vector_work(const Network& network, const Op& op,
                                       std::span<const Dim> output_extents);

/// require: the hardware has at least one engine (std::invalid_argument otherwise).
/// An op whose own kind of engine is missing runs on the other kind, one element per cell.
[[nodiscard]] ComputeCost compute_cost(const Network& network, const Op& op,
                                       std::span<const Dim> output_extents,
                                       const Hardware& hardware);

/// What no way to compute the whole output piece by piece beats: without start-up, and with the
/// loops that pieces may cut never rounded up.  require: as compute_cost().
struct LeastCompute {
  double cycles = 0;
  double energy_pj = 0;
};
[[nodiscard]] LeastCompute least_compute(const Network& network, const Op& op,
                                         const Hardware& hardware);

}  // namespace tessera
