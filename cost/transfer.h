// Cost of moving a box of a tensor between off-chip and on-chip memory.
//
//   Box box{.shape = {1, 64, 56, 56}, .begin = {0, 0, 14, 0}, .end = {1, 64, 28, 56}, .element =
//   1}; TransferCost c = transfer_cost(bursts(shape, box, 1, 128), link, true);  // c.cycles,
//   c.bytes
//
// The tensor lies in off-chip memory in the order of its shape or of a layout (NHWC, bricks of
// channels: tiling/stored_box.h), aligned to a burst. A row is a maximal contiguous part of the
// box; it costs the bursts it touches: ceil((address mod burst + row bytes) / burst).
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/units.h"
#include "tiling/box.h"

namespace tessera::cost {

struct BurstCount {
  std::int64_t bursts = 0;
  Size bytes = 0;  ///< of the box itself
  std::int64_t rows = 0;
};

/// require: burst >= 1; the box lies inside the shape.
/// ensure: exact, in time independent of the number of rows.
[[nodiscard]] BurstCount bursts(const std::vector<Dim>& shape, const tiling::Box& box, Size element,
                                Size burst);

/// The same for a tensor with this layout, bricks padded; the channels of the box begin at a brick.
/// require: the tensor is an activation. Tensors to which the layout does not apply are row-major.
[[nodiscard]] BurstCount bursts(const std::vector<Dim>& shape, const tiling::Box& box, Size element,
                                Size burst, const Layout& layout);

/// One direction of an off-chip link as a DMA channel sees it.
struct LinkDirection {
  double bytes_per_cycle = 1;  ///< of the memory: a limit for all channels together
  std::int64_t latency = 0;
  std::int64_t outstanding = 1;  ///< bursts in flight
  double rate = 0;               ///< bytes per cycle of one channel at most; 0: not stated
};

struct Link {
  Size burst = 1;
  std::int64_t setup = 0;
  LinkDirection read;
  LinkDirection write;
  bool two_ways = false;  ///< reads and writes have separate bandwidth
  Layout layout{};        ///< layout of activations off-chip
  /// bytes per cycle for conversion to the on-chip layout and back; 0: same layout
  double convert = 0;
  Size direct_run = 0;      ///< see HardwareMemory::direct_run
  double direct_input = 0;  ///< AccessRates of an engine's direct access; 0: not stated
  double direct_output = 0;
  AccessEnergy energy{};  ///< of the off-chip memory
  [[nodiscard]] const LinkDirection& way(bool load) const { return load ? read : write; }
};

/// Links to the memory of the weights, and to the memory of everything else.
struct Links {
  Link weights;
  Link data;
  bool apart = false;  ///< two memories with independent bandwidth
  [[nodiscard]] const Link& of(bool weight) const { return weight ? weights : data; }
};

/// require: the hardware has an off-chip memory with a bandwidth, and a clock.
[[nodiscard]] Links links_of(const Hardware& hardware);

/// The link as an engine sees it that accesses the off-chip memory directly: no set-up, rates of
/// its own.
[[nodiscard]] Link direct_link(const Link& link);

/// With the higher rates of DMA and direct accesses, for lower bounds.
[[nodiscard]] Link fastest_link(const Link& link);

/// Between the backing memory and the memory before it: the lower bandwidth of both, the energy of
/// both, the same tensor layout. require: model/off_chip.h finds a backing memory.
[[nodiscard]] Link backing_link(const Hardware& hardware);

struct TransferCost {
  std::int64_t cycles = 0;  ///< for a channel without contention
  std::int64_t shared = 0;  ///< of these, the cycles that use the memory's bandwidth
  Size bytes = 0;           ///< bytes on the bus: whole bursts
};

/// Set-up + one latency + bytes / min(bandwidth, rate, outstanding * burst / latency). An empty
/// transfer costs nothing.
[[nodiscard]] TransferCost transfer_cost(const BurstCount& count, const Link& link, bool load);

/// Minimum cycles per byte, over all channels, without rounding to bursts.
[[nodiscard]] double least_cycles_per_byte(const Link& link, bool load, std::int64_t channels);

}  // namespace tessera::cost
