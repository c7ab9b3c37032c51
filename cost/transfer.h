// What moving a box of a tensor between off-chip and on-chip memory costs.
//
//   Box box{.shape = {1, 64, 56, 56}, .begin = {0, 0, 14, 0}, .end = {1, 64, 28, 56}, .element =
//   1}; TransferCost c = transfer_cost(bursts(shape, box, 1, 128), link, true);  // c.cycles,
//   c.bytes
//
// The tensor lies in off-chip memory in the order of its shape or of a layout (NHWC, bricks of
// channels: tiling/stored_box.h), starting at a burst border. A row
// is a longest contiguous piece of the box; it costs the bursts it touches:
// ceil((address mod burst + row bytes) / burst).
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

/// The same where the tensor lies off the chip in this layout, bricks filled up; the channels of
/// the box begin a brick.
/// require: the tensor is an activation; one that no layout is about lies row by row.
[[nodiscard]] BurstCount bursts(const std::vector<Dim>& shape, const tiling::Box& box, Size element,
                                Size burst, const Layout& layout);

/// One direction of an off-chip link as a DMA channel sees it.
struct LinkWay {
  double bytes_per_cycle = 1;  ///< of the memory: all channels together get no more
  std::int64_t latency = 0;
  std::int64_t outstanding = 1;  ///< bursts under way at once
};

struct Link {
  Size burst = 1;
  std::int64_t setup = 0;
  LinkWay read;
  LinkWay write;
  bool two_ways = false;  ///< reading and writing do not share the bandwidth
  Layout layout{};        ///< of activations there
  double convert = 0;   ///< bytes per cycle into the layout on the chip, and back; 0: the same one
  Size direct_run = 0;  ///< HardwareMemory::direct_run
  AccessEnergy energy{};  ///< of the memory off the chip
  [[nodiscard]] const LinkWay& way(bool load) const { return load ? read : write; }
};

/// To the memory that holds the weights, and to the one that holds everything else.
struct Links {
  Link weights;
  Link data;
  bool apart = false;  ///< two memories: neither waits for the other's bandwidth
  [[nodiscard]] const Link& of(bool weight) const { return weight ? weights : data; }
};

/// require: the hardware has an off-chip memory with a bandwidth, and a clock.
[[nodiscard]] Links links_of(const Hardware& hardware);

/// Between the memory behind another one and that one: as fast as the slower of both, with the
/// energy of both. Tensors lie there as they do in front.
/// require: model/off_chip.h knows one behind.
[[nodiscard]] Link link_behind(const Hardware& hardware);

struct TransferCost {
  std::int64_t cycles = 0;  ///< of a channel that has the memory to itself
  std::int64_t shared = 0;  ///< of them, what the memory's bandwidth is taken for
  Size bytes = 0;           ///< bytes on the bus: whole bursts
};

/// set-up + one latency + bytes / min(bandwidth, what so many bursts outstanding allow: outstanding
/// * burst / latency). Nothing to move costs nothing.
[[nodiscard]] TransferCost transfer_cost(const BurstCount& count, const Link& link, bool load);

/// Cycles that a byte takes at least, moved by all channels together, whole bursts or not.
[[nodiscard]] double least_cycles_per_byte(const Link& link, bool load, std::int64_t channels);

}  // namespace tessera::cost
