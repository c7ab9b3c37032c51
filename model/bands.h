// The parts of a buffer as copies of one period.
//
//   for (const Band& band : bands(buffer.parts))
//     for (std::int64_t k = 0; k < band.copies; ++k)
//       use(band.parts, band.offset + k * band.stride);
//
// The strips of a planar tensor are alike in every channel, so the runs of one channel describe
// all of them. A band is a range of channels in which the same parts live; an operand of a
// concatenation is a band of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "model/derived.h"
#include "tessera/problem.h"

namespace tessera {

struct Band {
  Offset offset = 0;
  std::int64_t copies = 1;
  Size stride = 0;                ///< no byte of a copy lies at or above the next copy's begin
  std::vector<BufferPart> parts;  ///< of one copy, relative to its begin
};

/// The period with the fewest runs; the parts themselves, once, if they have no common period.
/// Sorted; no two bands share an address.
/// require: no count or stride is below 1, no address exceeds max_address.
[[nodiscard]] std::vector<Band> bands(const std::vector<BufferPart>& parts);

/// The segments of a buffer that differ; copies of a period are left out. Two lists of segments of
/// one buffer are equal if these are.
[[nodiscard]] std::vector<Segment> first_copies(const Buffer& buffer);

}  // namespace tessera
