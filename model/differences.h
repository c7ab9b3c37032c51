// At which differences of their offsets do two buffers meet?
//
//   Poll poll;
//   for (const AddressRange& d : forbidden_differences(a, b, poll))
//     ...                                  // never d.begin <= offset of b - offset of a < d.end
//
// Of two buffers without parts that is one range: neither above nor below. With parts there may be
// room in between: a tile that is dead leaves its bytes to a tile of another tensor. Runs at equal
// distances are not listed: the differences of two arithmetic progressions are a sum of
// progressions, of which those with one stride are one, and ranges that touch are joined at every
// stage.
#pragma once

#include <cstddef>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera {

/// Sorted, not empty, and no two touch; they may be negative.
using Differences = std::vector<AddressRange>;

/// More ranges than this of one pair end the caller's budget.
inline constexpr std::size_t most_differences = std::size_t{1} << 20U;

/// Offset of b minus offset of a, where both use one byte at one step.  Throws BudgetEnded.
/// require: both are valid.
[[nodiscard]] Differences forbidden_differences(const Buffer& a, const Buffer& b, Poll& poll);

/// The same, whenever the bytes are used: where a byte of one is ever a byte of the other.
[[nodiscard]] Differences shared_differences(const Buffer& a, const Buffer& b, Poll& poll);

/// The offsets of a buffer at which it uses a byte of `addresses`.
[[nodiscard]] Differences touching_offsets(const Buffer& buffer, const AddressRange& addresses,
                                           Poll& poll);

}  // namespace tessera
