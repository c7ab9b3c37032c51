// One entry of `memories:`, the same in problems and in hardware profiles. Private to io/.
#pragma once

#include "io/tree.h"
#include "tessera/problem.h"

namespace tessera::io {

/// Reads capacity, banks, bank_size, alignment, base, straddle, modes and reserved. The caller
/// reads further keys of its format and calls finish().
[[nodiscard]] Memory read_memory(const Sources& sources, Fields& fields, const std::string& name);

/// "[lo, hi]" in bytes, lo < hi.
[[nodiscard]] AddressRange read_address_range(const Sources& sources, const Node& node,
                                              std::string_view what);

/// Larger counts indicate an error in the file; a few bytes of input must not exhaust memory.
inline constexpr std::int64_t most_banks = 4096;
inline constexpr std::size_t most_memories = 1024;
void require_few_memories(const Sources& sources, const Node& node);

}  // namespace tessera::io
