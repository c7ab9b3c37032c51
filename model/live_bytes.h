// How many bytes of a memory are live, step by step: bytes of addresses, not of buffers, so that
// buffers that share addresses count once.
//
//   for (const auto& [step, bytes] : live_bytes(occupied)) draw(step, bytes);
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "model/derived.h"

namespace tessera {

/// From each of these steps on so many bytes are live, up to the step of the next entry; sorted,
/// and the last entry has 0 bytes. The ranges of `occupied` are addresses; none is empty.
[[nodiscard]] std::vector<std::pair<Step, Size>> live_bytes(std::span<const Segment> occupied);

}  // namespace tessera
