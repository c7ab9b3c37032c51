// Small facts that the simulation (tiled_run.cpp) and its lower bound (run_bound.cpp) share.
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
/// `outside`: of the network.
[[nodiscard]] BurstCount moved(const Tensor& tensor, const ElementBytes& stored, bool outside,
                               const tiling::Box& box, const Link& link);
/// Cycles of loading all weights of the run, one after the other.
[[nodiscard]] std::int64_t weights_cycles(const tiling::Subgraph& part, const Hardware& hardware);
/// Is the axis one of those that the op names (reduces, normalizes, joins along)?
[[nodiscard]] bool names_axis(const Op& op, std::size_t axis);
/// The local tensor that `step` makes (the first, if several); tensors.size() if none is kept.
[[nodiscard]] std::size_t output_of(const tiling::Subgraph& part, Step step);
/// Extents of what op `step` computes in this tile; nothing where it computes nothing.
[[nodiscard]] std::optional<std::vector<Dim>> computed_extents(const tiling::Subgraph& part,
                                                               const tiling::TileRegions& tile,
                                                               Step step);
/// Cycles in which a memory serves so many bytes; 0 where its bandwidth is not stated.
[[nodiscard]] double serving_cycles(const HardwareMemory& memory, double clock_hz, double read,
                                    double written);
/// Of moving so much between the memory off the chip and one on it.
[[nodiscard]] double move_energy(const BurstCount& count, const TransferCost& transfer, bool load,
                                 const Link& link, const AccessEnergy& chip);
/// Reads as cheap as in the cheapest on-chip memory, and writes.
[[nodiscard]] AccessEnergy cheapest_access(const Hardware& hardware);
[[nodiscard]] double static_energy(const Hardware& hardware, std::int64_t cycles);

}  // namespace tessera::cost
