// The modes of a memory as one table, listed in the profile or combined from modes per bank.
//
//   if (auto modes = joint_modes(memory, most_listed_modes)) for (const Mode& mode : *modes) ...
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tessera/problem.h"

namespace tessera {

/// Up to this many modes of a memory with `modes_per_bank` are listed by name.
inline constexpr std::size_t most_listed_modes = 64;
/// Up to this many modes are combined in the search for the fewest modes.
inline constexpr std::size_t most_counted_modes = 4096;

/// The mode table. For modes per bank it has every combination, in the order of banks and roles;
/// nothing if there are more than `most`.
[[nodiscard]] std::optional<std::vector<Mode>> joint_modes(const Memory& memory, std::size_t most);

/// The modes that can be listed by name; none if there are too many.
[[nodiscard]] inline std::vector<Mode> listed_modes(const Memory& memory) {
  return joint_modes(memory, most_listed_modes).value_or(std::vector<Mode>{});
}

/// Is there a mode in which a bank may be written, as ops and loads require? True for a memory
/// without modes.
[[nodiscard]] bool may_be_written(const Memory& memory);

/// Replaces modes per bank by a table if it has at most most_counted_modes.
void list_modes(Memory& memory);

}  // namespace tessera
