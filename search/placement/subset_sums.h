// The sums that sizes can form. If only sizes determine offsets, heights of placements are such
// sums: stacks of buffers from address 0.
//
//   least_sum_at_least({3, 5}, 4)   // 5
//   largest_sum_at_most({3, 5}, 7)  // 5
//
// Both return nothing if the table of sums would be too large.
#pragma once

#include <optional>
#include <span>

#include "tessera/units.h"

namespace tessera::search {

/// require: sizes are positive, limit >= 0.
[[nodiscard]] std::optional<Size> least_sum_at_least(std::span<const Size> sizes, Size limit);
[[nodiscard]] std::optional<Size> largest_sum_at_most(std::span<const Size> sizes, Size limit);

}  // namespace tessera::search
