// The differences of offsets at which two buffers share a byte.
//
//   Poll poll;
//   for (const AddressRange& d : forbidden_differences(a, b, poll))
//     ...                                  // never d.begin <= offset of b - offset of a < d.end
//
// For two buffers without parts it is one range. With parts it may be several: a tile that is dead
// leaves its bytes to a tile of another tensor. Runs at equal distances are not enumerated: the
// differences of two arithmetic progressions are a sum of progressions, progressions of one stride
// are merged, and touching ranges are joined at every stage.
#pragma once

#include <cstddef>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera {

/// Sorted, not empty, and no two touch. They may be negative.
using Differences = std::vector<AddressRange>;

/// A pair with more ranges than this ends the caller's budget.
inline constexpr std::size_t most_differences = std::size_t{1} << 20U;

/// The values of offset of b - offset of a at which both use one byte at one step. Throws
/// BudgetEnded.
/// require: both are valid.
[[nodiscard]] Differences forbidden_differences(const Buffer& a, const Buffer& b, Poll& poll);

/// The same regardless of time: a byte that a uses at any step is a byte that b uses at any step.
[[nodiscard]] Differences shared_differences(const Buffer& a, const Buffer& b, Poll& poll);

/// The offsets at which the buffer uses a byte of `addresses`.
[[nodiscard]] Differences touching_offsets(const Buffer& buffer, const AddressRange& addresses,
                                           Poll& poll);

}  // namespace tessera
