// The number of live bytes of a memory per step. It counts addresses, so buffers that share
// addresses count once.
//
//   for (const auto& [step, bytes] : live_bytes(occupied)) draw(step, bytes);
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "model/derived.h"

namespace tessera {

/// Pairs (step, bytes): the number of live bytes from this step up to the step of the next entry.
/// Sorted; the last entry has 0 bytes. The ranges of `occupied` are addresses; none is empty.
[[nodiscard]] std::vector<std::pair<Step, Size>> live_bytes(std::span<const Segment> occupied);

}  // namespace tessera
