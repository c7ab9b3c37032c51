// Free space of a memory: the addresses that are not reserved.
//
//   const std::vector<AddressRange> taken = merged(memory.reserved);
//   Size free = free_bytes(memory);                     // bytes that are not reserved
//   Size most = sufficient_capacity(problem);           // for memories without a capacity
//   Size height = least_height(taken, 4096);            // 4096 free bytes lie below it
//
// Reserved ranges may overlap, and sums must count each address once.
#pragma once

#include <span>
#include <vector>

#include "tessera/problem.h"

namespace tessera::facts {

/// The ranges as a set of addresses: sorted, not empty, and no two touch.
[[nodiscard]] std::vector<AddressRange> merged(std::vector<AddressRange> ranges);

/// The capacity without reserved addresses; unbounded if the capacity is.
[[nodiscard]] Size free_bytes(const Memory& memory);

/// Ranges of free addresses, ascending: between reserved ranges, and between bank borders that no
/// buffer may cross.
[[nodiscard]] std::vector<AddressRange> free_ranges(const Memory& memory);

/// A capacity that does not exclude solutions: if a placement exists in memories without a
/// capacity, then one exists below this address, with no higher cost and no more modes. Solvers use
/// it as the capacity of such memories.
[[nodiscard]] Size sufficient_capacity(const PlacementProblem& problem);

/// The least address with this many free bytes below it.
/// require: `taken` is merged.
[[nodiscard]] Size least_height(std::span<const AddressRange> taken, Size bytes);

}  // namespace tessera::facts
