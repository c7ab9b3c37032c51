// Which bytes of a buffer are used, and at which steps.
//
//   AddressRange hull = extent(buffer);                  // relative to the buffer's offset
//   for (const AddressRange& run : used_bytes(buffer)) touch(run);
//   for (const Load& load : loads(buffer)) add(load.steps, load.bytes);
//
// A run is a contiguous range of bytes of a part. A buffer without parts is one part of one run.
// Strips of a planar tensor have one run per channel. Functions that would list them work on one
// period (model/bands.h); validate() limits the runs that these functions list (max_part_runs).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/derived.h"
#include "tessera/problem.h"

namespace tessera {

/// Limit on the runs of all parts of a problem, as part_run_count() counts them.
inline constexpr std::int64_t max_part_runs = 2'000'000;

/// Sorts the ranges and joins those that overlap or touch.
/// require: none is empty.
void join_touching(std::vector<AddressRange>& ranges);

/// The product of the repeat counts; nothing if it exceeds max_part_runs.
[[nodiscard]] std::optional<std::int64_t> run_count(const BufferPart& part);

/// The runs of one period of each band, once per interval of steps in which the same parts are
/// live, and the ranges of used_bytes(). The count stops a little above max_part_runs.
/// require: no count or stride is below 1, no address exceeds max_address.
[[nodiscard]] std::int64_t part_run_count(const Buffer& buffer);

/// The same without periods: not less than the number of segments(buffer).
[[nodiscard]] std::int64_t part_segment_count(const Buffer& buffer);

/// From the first address of the first run to the end of the last run.
/// require: no count or stride is below 1, no address exceeds max_address.
[[nodiscard]] AddressRange extent(const BufferPart& part);

/// The runs as a set of addresses: sorted, and no two touch.
/// require: as for extent(), and run_count(part) has a value.
[[nodiscard]] std::vector<AddressRange> runs(const BufferPart& part);

/// The union of address sets as runs() returns them. Adjacent lists are joined first, because tiles
/// of one shape fill the gaps of their neighbours.
[[nodiscard]] std::vector<AddressRange> united(
    std::span<const std::vector<AddressRange>* const> lists);

/// All bytes that the buffer uses at any step: [0, size), or the hull of its parts.
[[nodiscard]] AddressRange extent(const Buffer& buffer);

/// The bytes used at any step: sorted, and no two ranges touch.
[[nodiscard]] std::vector<AddressRange> used_bytes(const Buffer& buffer);

/// The number of bytes used at any step.
[[nodiscard]] Size used_size(const Buffer& buffer);

/// The number of bytes a buffer occupies at each of these steps, and their hull.
struct Load {
  StepRange steps;
  AddressRange range;
  Size bytes = 0;
  [[nodiscard]] bool in_one_piece() const { return bytes == range.size(); }
};
/// Sorted by time; steps without bytes are left out.
[[nodiscard]] std::vector<Load> loads(const Buffer& buffer);

/// Intervals of steps in which the same parts live.
/// require: the buffer has parts.
struct PartsAlive {
  StepRange steps;
  std::vector<std::size_t> parts;
};
[[nodiscard]] std::vector<PartsAlive> parts_alive(const Buffer& buffer);

}  // namespace tessera
