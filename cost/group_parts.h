// Helpers shared by the simulation (tiled_group.cpp) and its lower bound (group_bound.cpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cost/transfer.h"
#include "tessera/hardware.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::cost {

[[nodiscard]] Size box_bytes(const tiling::Subgraph& part, std::size_t local,
                             const tiling::Box& box);
/// Bursts of moving a box of the tensor to or from off-chip memory.
[[nodiscard]] BurstCount moved(const tiling::Subgraph& part, std::size_t local,
                               const tiling::Box& box, const Link& link);
/// `outside`: a tensor of the network.
[[nodiscard]] BurstCount moved(const Tensor& tensor, const ElementBytes& stored, bool outside,
                               const tiling::Box& box, const Link& link);
/// Cycles of loading all weights of the group, one after the other.
[[nodiscard]] std::int64_t weights_cycles(const tiling::Subgraph& part, const Hardware& hardware);
/// Does the op name the axis (reduces, normalizes, joins along it)?
[[nodiscard]] bool names_axis(const Op& op, std::size_t axis);
/// The first local tensor that `step` makes; tensors.size() if it makes none with memory.
[[nodiscard]] std::size_t output_of(const tiling::Subgraph& part, Step step);
/// Extents of the part that op `step` computes in this tile; none if it computes nothing.
[[nodiscard]] std::optional<std::vector<Dim>> computed_extents(const tiling::Subgraph& part,
                                                               const tiling::TileRegions& tile,
                                                               Step step);
/// Cycles in which a memory serves these bytes; 0 if its bandwidth is not stated.
[[nodiscard]] double serving_cycles(const HardwareMemory& memory, double clock_hz, double read,
                                    double written);
/// Bytes of activations and weights that ops read from a memory, and bytes that they write.
struct ServedBytes {
  double input = 0;
  double weights = 0;
  double output = 0;
};
/// Cycles of the slowest user of the memory at its own rate (AccessRates).
[[nodiscard]] double rated_cycles(const HardwareMemory& memory, double clock_hz,
                                  const ServedBytes& bytes);
/// Energy of a transfer between off-chip memory and an on-chip memory.
[[nodiscard]] double move_energy(const BurstCount& count, const TransferCost& transfer, bool load,
                                 const Link& link, const AccessEnergy& chip);
/// Read and write energies, each of the cheapest on-chip memory.
[[nodiscard]] AccessEnergy cheapest_access(const Hardware& hardware);
[[nodiscard]] double static_energy(const Hardware& hardware, std::int64_t cycles);

}  // namespace tessera::cost
