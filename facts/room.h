// What is left of a memory beside its reserved addresses.
//
//   const std::vector<AddressRange> taken = merged(memory.reserved);
//   Size free = room_of(memory);                        // bytes that are not reserved
//   Size most = enough_room(problem);                   // for memories without a capacity
//   Size height = least_height(taken, 4096);            // 4096 free bytes lie below it
//
// A problem may name an address twice, in ranges that overlap; whoever adds up what is left must
// not count it twice.
#pragma once

#include <span>
#include <vector>

#include "tessera/problem.h"

namespace tessera::facts {

/// The ranges as a set of addresses: sorted, not empty, and no two touch.
[[nodiscard]] std::vector<AddressRange> merged(std::vector<AddressRange> ranges);

/// The capacity without what is reserved; unbounded where the capacity is.
[[nodiscard]] Size room_of(const Memory& memory);

/// Free addresses, from below: between reserved ranges, and between bank borders where nothing may
/// cross them.
[[nodiscard]] std::vector<AddressRange> stretches_of(const Memory& memory);

/// Wherever there is a placement in memories without a capacity, there is one below this address,
/// of no higher cost and in no more modes. What engines take for the capacity of such a memory.
[[nodiscard]] Size enough_room(const PlacementProblem& problem);

/// The least address below which so many bytes are not taken.
/// require: `taken` is merged.
[[nodiscard]] Size least_height(std::span<const AddressRange> taken, Size bytes);

}  // namespace tessera::facts
