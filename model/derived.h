// Small facts that follow from a problem, in one place so that every room means the same.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api.h"
#include "problem.h"

namespace tessera {

/// The buffer occupies `range` (relative to its offset) at every step of `steps`.
struct Segment {
  StepRange steps;
  AddressRange range;
  friend bool operator==(const Segment&, const Segment&) = default;
};

/// The live intervals minus what gaps take away, sorted by time; never an empty range.
[[nodiscard]] TESSERA_API std::vector<Segment> segments(const Buffer& buffer);

/// One past the last step anything lives at: steps run from 0 to here. 0 without buffers.
[[nodiscard]] TESSERA_API Step horizon(const PlacementProblem& problem);

/// Do the two ever live (occupy something) at one step?
[[nodiscard]] TESSERA_API bool coexist(const Buffer& a, const Buffer& b);

/// Is the step inside one of the live intervals?
[[nodiscard]] TESSERA_API bool live_at(const Buffer& buffer, Step step);

/// lcm(buffer alignment, memory alignment).  require: the problem is valid.
[[nodiscard]] TESSERA_API Size effective_alignment(const Buffer& buffer, const Memory& memory);

/// The memories the buffer may go to, in index order (all where it names none).
[[nodiscard]] TESSERA_API std::vector<MemoryIndex> allowed_memories(const PlacementProblem& problem,
                                                                    const Buffer& buffer);

/// Address ranges of the banks; one range [0, capacity) for a memory without banks.
[[nodiscard]] TESSERA_API std::vector<AddressRange> bank_ranges(const Memory& memory);

[[nodiscard]] TESSERA_API bool has_modes(const Memory& memory);

/// Roles of the mode of this name, one per bank; empty where there is no such mode.
/// A memory with modes_per_bank understands "read|write|off" (one role per bank).
[[nodiscard]] TESSERA_API std::vector<Role> mode_roles(const Memory& memory, std::string_view mode);
[[nodiscard]] TESSERA_API std::string per_bank_mode_name(std::span<const Role> roles);

[[nodiscard]] TESSERA_API std::string_view to_string(Role role);
[[nodiscard]] TESSERA_API std::optional<Role> role_from(std::string_view text);
[[nodiscard]] TESSERA_API std::string_view to_string(RelationKind kind);
[[nodiscard]] TESSERA_API std::optional<RelationKind> relation_kind_from(std::string_view text);

/// May a buffer of this kind be read from / written to a bank with this role?
[[nodiscard]] constexpr bool may_read(Role role, BufferKind kind) {
  return role == Role::read || role == Role::read_write ||
         (kind == BufferKind::weight && role == Role::weight);
}
[[nodiscard]] constexpr bool may_write(Role role) {
  return role == Role::write || role == Role::read_write;
}

/// Unordered pairs (first < second, sorted, unique) exempt from non-overlap: those of same_offset
/// and may_overlap.
[[nodiscard]] TESSERA_API std::vector<std::pair<BufferIndex, BufferIndex>> exempt_pairs(
    const PlacementProblem& problem);

}  // namespace tessera
