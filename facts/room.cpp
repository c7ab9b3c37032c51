#include "facts/room.h"

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

Size room_of(const Memory& memory) {
  if (memory.capacity == unbounded) return unbounded;
  Size room = memory.capacity;
  for (const AddressRange& range : merged(memory.reserved))
    room -= std::max<Size>(0, std::min(range.end, memory.capacity) - range.begin);
  return std::max<Size>(0, room);
}

namespace {

/// Addresses that somebody named, of memories with banks all: above them nothing is in the way but
/// other buffers.
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

/// The least common multiple of all alignments; nothing above max_address.
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

/// Can buffers keep each other up, with nothing below them? Those that move together can, and those
/// that reach into holes of each other.
bool may_interlock(const PlacementProblem& problem) {
  return std::ranges::any_of(
             problem.relations,
             [](const Relation& relation) { return meaning(relation.kind).ties_offsets; }) ||
         std::ranges::any_of(problem.buffers, [](const Buffer& buffer) {
           return !buffer.gaps.empty() || !buffer.parts.empty();
         });
}

}  // namespace

Size enough_room(const PlacementProblem& problem) {
  if (!is_measured(problem)) return unbounded;
  Size total = highest_name(problem);
  std::optional<Size> period;
  if (may_interlock(problem)) {
    // Addresses above every name that no buffer ever reaches over lie below all of those that hold
    // each other or above, so what is above can come down by multiples of all alignments: no such
    // hole needs to be as large as that.
    period = common_period(problem);
    if (!period) return unbounded;
  }
  // Else every buffer comes down by itself until it rests on a name or on another buffer, and is
  // rounded up once.
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

std::vector<AddressRange> stretches_of(const Memory& memory) {
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
