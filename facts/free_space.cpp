#include "facts/free_space.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "facts/feature_sets.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/relations.h"

namespace tessera::facts {

std::vector<AddressRange> merged(std::vector<AddressRange> ranges) {
  std::erase_if(ranges, [](const AddressRange& range) { return range.empty(); });
  join_touching(ranges);
  return ranges;
}

Size free_bytes(const Memory& memory) {
  if (memory.capacity == unbounded) return unbounded;
  Size room = memory.capacity;
  for (const AddressRange& range : merged(memory.reserved))
    room -= std::max<Size>(0, std::min(range.end, memory.capacity) - range.begin);
  return std::max<Size>(0, room);
}

namespace {

/// The largest address that the problem names. Above it, only other buffers constrain a buffer. For
/// memories with banks, all addresses count as named.
Size highest_name(const PlacementProblem& problem) {
  Size named = 0;
  for (const Memory& memory : problem.memories) {
    for (const AddressRange& range : memory.reserved) named = std::max(named, range.end);
    if (!memory.banks.empty()) named = std::max(named, memory.capacity);
  }
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.offset) named = std::max(named, *buffer.offset);
    if (buffer.window) named = std::max(named, buffer.window->begin);
  }
  return named;
}

/// The least common multiple of all alignments; nothing if it exceeds max_address.
std::optional<Size> common_period(const PlacementProblem& problem) {
  Size period = 1;
  for (const Buffer& buffer : problem.buffers)
    for (const MemoryIndex m : allowed_memories(problem, buffer)) {
      const Size alignment = effective_alignment(buffer, problem.memories[m]);
      const auto next = checked_mul(period / std::gcd(period, alignment), alignment);
      if (!next || *next > max_address) return std::nullopt;
      period = *next;
    }
  return period;
}

/// Can buffers hold each other up without resting on anything? Buffers that move together can, and
/// so can buffers that reach into each other's holes.
bool may_interlock(const PlacementProblem& problem) {
  return std::ranges::any_of(
             problem.relations,
             [](const Relation& relation) { return meaning(relation.kind).ties_offsets; }) ||
         std::ranges::any_of(problem.buffers, [](const Buffer& buffer) {
           return !buffer.gaps.empty() || !buffer.parts.empty();
         });
}

}  // namespace

Size sufficient_capacity(const PlacementProblem& problem) {
  if (!is_measured(problem)) return unbounded;
  Size total = highest_name(problem);
  std::optional<Size> period;
  if (may_interlock(problem)) {
    // Consider a hole: addresses above all named ones that no buffer covers, with buffers above it.
    // Those buffers can move down together by multiples of all alignments, so no hole needs to be
    // larger than the common period.
    period = common_period(problem);
    if (!period) return unbounded;
  }
  // Otherwise every buffer can move down until it rests on a named address or on another buffer,
  // and is rounded up once.
  for (const Buffer& buffer : problem.buffers) {
    Size alignment = buffer.alignment;
    for (const MemoryIndex m : allowed_memories(problem, buffer))
      alignment = std::max(alignment, effective_alignment(buffer, problem.memories[m]));
    const Size hole = period.value_or(alignment);
    total = std::min(unbounded, total + align_up(buffer.size, alignment) + hole);
  }
  return total;
}

Size least_height(std::span<const AddressRange> taken, Size bytes) {
  Size height = bytes;
  for (const AddressRange& range : taken) {
    if (range.begin >= height) break;
    height += range.size();
  }
  return height;
}

std::vector<AddressRange> free_ranges(const Memory& memory) {
  std::vector<AddressRange> taken = memory.reserved;
  if (!memory.straddle)
    for (const AddressRange& bank : bank_ranges(memory)) taken.push_back({bank.end, bank.end});
  std::sort(taken.begin(), taken.end());
  taken.push_back({memory.capacity, memory.capacity});
  std::vector<AddressRange> free;
  Offset at = 0;
  for (const AddressRange& range : taken) {
    const Offset end = std::min(range.begin, memory.capacity);
    if (end > at) free.push_back({at, end});
    at = std::max(at, range.end);
  }
  return free;
}

}  // namespace tessera::facts
