// Facts derived from a problem, shared by all modules.
#pragma once

#include <utility>
#include <vector>

#include "tessera/names.h"
#include "tessera/problem.h"

namespace tessera {

/// The buffer occupies `range` (relative to its offset) at every step of `steps`.
struct Segment {
  StepRange steps;
  AddressRange range;
  friend bool operator==(const Segment&, const Segment&) = default;
};

/// The live intervals without gaps, sorted by time; no address range is empty. A buffer with parts
/// has one segment per run: segments of one step have equal `steps`, are sorted and disjoint.
[[nodiscard]] std::vector<Segment> segments(const Buffer& buffer);

/// One past the last live step; 0 without buffers.
[[nodiscard]] Step horizon(const PlacementProblem& problem);

/// Do the two occupy memory at a common step?
[[nodiscard]] bool coexist(const Buffer& a, const Buffer& b);

/// Is the step inside one of the live intervals?
[[nodiscard]] bool live_at(const Buffer& buffer, Step step);

/// From the first live step to the last.
[[nodiscard]] inline StepRange hull_of(const Buffer& buffer) {
  return {buffer.live.front().lower, buffer.live.back().upper};
}

/// lcm(buffer alignment, memory alignment).  require: the problem is valid.
[[nodiscard]] Size effective_alignment(const Buffer& buffer, const Memory& memory);

/// Is there an alignment that applies to base + offset and is not the same as that of the offset?
/// If not, bases do not affect placements.
[[nodiscard]] bool has_unaligned_base(const PlacementProblem& problem);

/// The memories the buffer may use, in index order; all if it names none.
[[nodiscard]] std::vector<MemoryIndex> allowed_memories(const PlacementProblem& problem,
                                                        const Buffer& buffer);

/// Address ranges of the banks; one range [0, capacity) for a memory without banks.
[[nodiscard]] std::vector<AddressRange> bank_ranges(const Memory& memory);

[[nodiscard]] bool has_modes(const Memory& memory);

/// May a buffer of this kind be read from / written to a bank with this role?
[[nodiscard]] constexpr bool may_read(Role role, BufferKind kind) {
  return role == Role::read || role == Role::read_write ||
         role == (kind == BufferKind::weight ? Role::weight : Role::data);
}
[[nodiscard]] constexpr bool may_write(Role role, BufferKind kind) {
  return role == Role::write || role == Role::read_write ||
         (kind == BufferKind::activation && role == Role::data);
}

/// Pairs exempt from non-overlap: first < second, sorted, unique. They come from relations that
/// lift it (relations.h): same_offset and may_overlap.
[[nodiscard]] std::vector<std::pair<BufferIndex, BufferIndex>> exempt_pairs(
    const PlacementProblem& problem);

}  // namespace tessera
