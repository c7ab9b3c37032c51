// Which sums can sizes form? Heights of placements are such sums wherever nothing but sizes decides
// where buffers lie: a pile of buffers, one on the other, from address 0.
//
//   least_sum_at_least({3, 5}, 4)   // 5
//   largest_sum_at_most({3, 5}, 7)  // 5
//
// Both answer nothing where the table of sums would be too large to be worth it.
#pragma once

#include <optional>
#include <span>

#include "tessera/units.h"

namespace tessera::search {

/// require: sizes are positive, limit >= 0.
[[nodiscard]] std::optional<Size> least_sum_at_least(std::span<const Size> sizes, Size limit);
[[nodiscard]] std::optional<Size> largest_sum_at_most(std::span<const Size> sizes, Size limit);

}  // namespace tessera::search
