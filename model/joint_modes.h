// The modes of a memory as one table, whether they are listed or each bank chooses its role.
//
//   if (auto modes = joint_modes(memory, most_listed_modes)) for (const Mode& mode : *modes) ...
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tessera/problem.h"

namespace tessera {

/// Up to so many modes of a memory with `modes_per_bank` are named one by one.
inline constexpr std::size_t most_listed_modes = 64;
/// Up to so many are counted where the fewest modes are searched.
inline constexpr std::size_t most_counted_modes = 4096;

/// The table of a memory that has one. Of a memory whose banks choose on their own, every
/// combination in the order of banks and roles; nothing if there are more than `most`.
[[nodiscard]] std::optional<std::vector<Mode>> joint_modes(const Memory& memory, std::size_t most);

/// Those of the memory that may be named one by one: none where they are too many.
[[nodiscard]] inline std::vector<Mode> listed_modes(const Memory& memory) {
  return joint_modes(memory, most_listed_modes).value_or(std::vector<Mode>{});
}

/// Whether some mode lets a bank be written, as an op and a load need. Without modes all may be.
[[nodiscard]] bool may_be_written(const Memory& memory);

/// Makes modes per bank a table, if they are at most most_counted_modes.
void list_modes(Memory& memory);

}  // namespace tessera
