// Small facts that follow from a problem, in one place so that every room means the same.
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

/// The live intervals minus what gaps take away, sorted by time; never an empty range. Of a buffer
/// with parts every run: several at one step, of equal `steps`, sorted and apart from each other.
[[nodiscard]] std::vector<Segment> segments(const Buffer& buffer);

/// One past the last step anything lives at: steps run from 0 to here. 0 without buffers.
[[nodiscard]] Step horizon(const PlacementProblem& problem);

/// Do the two ever live (occupy something) at one step?
[[nodiscard]] bool coexist(const Buffer& a, const Buffer& b);

/// Is the step inside one of the live intervals?
[[nodiscard]] bool live_at(const Buffer& buffer, Step step);

/// From the first step it lives at to the last.
[[nodiscard]] inline StepRange hull_of(const Buffer& buffer) {
  return {buffer.live.front().lower, buffer.live.back().upper};
}

/// lcm(buffer alignment, memory alignment).  require: the problem is valid.
[[nodiscard]] Size effective_alignment(const Buffer& buffer, const Memory& memory);

/// Is (base + offset) sometimes to be a multiple of an alignment where the offset is not? If not,
/// the bases change nothing about where buffers may lie.
[[nodiscard]] bool has_unaligned_base(const PlacementProblem& problem);

/// The memories the buffer may go to, in index order (all where it names none).
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

/// Unordered pairs (first < second, sorted, unique) exempt from non-overlap: those of relations
/// that lift it (relations.h), same_offset and may_overlap.
[[nodiscard]] std::vector<std::pair<BufferIndex, BufferIndex>> exempt_pairs(
    const PlacementProblem& problem);

}  // namespace tessera
