#include "placer/lifted.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "facts/features.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "tessera/check.h"
#include "tessera/errors.h"
#include "tessera/validate.h"

namespace tessera::placer {

namespace {

/// Per memory, the distance of its base from the largest multiple of all its alignments that is not
/// above it.
std::vector<Size> distances(const PlacementProblem& problem) {
  std::vector<Size> period(problem.memories.size(), 1);
  for (const Buffer& buffer : problem.buffers) {
    for (const MemoryIndex m : allowed_memories(problem, buffer)) {
      const Size own = effective_alignment(buffer, problem.memories[m]);
      const auto next = checked_mul(period[m] / std::gcd(period[m], own), own);
      // Then 0 is the only multiple below the base.
      period[m] = next && *next <= max_address ? *next : 0;
      if (period[m] == 0) period[m] = max_address;
    }
  }
  std::vector<Size> by(problem.memories.size(), 0);
  for (MemoryIndex m = 0; m < by.size(); ++m) by[m] = problem.memories[m].base % period[m];
  return by;
}

void move_up(Memory& memory, Size by) {
  memory.base = 0;
  if (by == 0) return;
  if (memory.capacity != unbounded) memory.capacity += by;
  if (!memory.banks.empty()) memory.banks.front().size += by;
  for (AddressRange& range : memory.reserved) range = range.at(by);
  memory.reserved.push_back({0, by});
}

Offset up(Offset offset, Size by) {
  return std::min(offset + by, max_address);
}

/// Can the buffer be there alone, by its own addresses and the capacity?
bool may_lie_in(const Buffer& buffer, const Memory& memory) {
  if (buffer.size > memory.capacity) return false;
  if (buffer.window && buffer.window->begin >= memory.capacity) return false;
  if (!buffer.offset) return true;
  return *buffer.offset <= memory.capacity - buffer.size &&
         up(*buffer.offset, memory.base) % effective_alignment(buffer, memory) == 0;
}

/// The memories where it can be; all allowed ones if it fits in none.
std::vector<MemoryIndex> reachable(const PlacementProblem& problem, const Buffer& buffer) {
  std::vector<MemoryIndex> allowed = allowed_memories(problem, buffer);
  std::vector<MemoryIndex> kept;
  for (const MemoryIndex m : allowed)
    if (may_lie_in(buffer, problem.memories[m])) kept.push_back(m);
  return kept.empty() ? allowed : kept;
}

/// Is the window a restriction in one of these memories?
bool binds(const PlacementProblem& problem, const AddressRange& window,
           const std::vector<MemoryIndex>& memories) {
  return std::any_of(memories.begin(), memories.end(), [&](MemoryIndex m) {
    return window.begin > 0 || window.end < problem.memories[m].capacity;
  });
}

/// Reserved addresses apply to the first used byte, which may lie above the offset of a buffer with
/// parts.
Offset first_byte(const Buffer& buffer) {
  return buffer.parts.empty() ? 0 : used_bytes(buffer).front().begin;
}

/// Does the buffer have an address restriction, and a choice between memories that are shifted by
/// different distances?
bool is_torn(const PlacementProblem& problem, const std::vector<Size>& by, const Buffer& buffer) {
  const std::vector<MemoryIndex> memories = reachable(problem, buffer);
  if (std::all_of(memories.begin(), memories.end(),
                  [&](MemoryIndex m) { return by[m] == by[memories.front()]; }))
    return false;
  return buffer.offset || (buffer.window && binds(problem, *buffer.window, memories)) ||
         first_byte(buffer) > 0;
}

void move_up(const PlacementProblem& problem, const std::vector<Size>& by, Buffer& buffer) {
  if (is_torn(problem, by, buffer))
    throw BadInput("buffer '" + buffer.id + "' " +
                       (buffer.offset   ? "has a fixed offset"
                        : buffer.window ? "has a window"
                                        : "has parts above its offset") +
                       " and its allowed memories have bases with different remainders modulo "
                       "their alignments",
                   "name one memory in `memory`, or give these memories bases that are multiples "
                   "of the alignments");
  const std::vector<MemoryIndex> memories = reachable(problem, buffer);
  const Size distance = by[memories.front()];
  const Offset first = first_byte(buffer);
  // If distances differ, a window without a conflict does not restrict anything.
  if (buffer.window && !binds(problem, *buffer.window, memories)) buffer.window.reset();
  if (buffer.offset || buffer.window || first > 0) buffer.memories = memories;
  if (buffer.offset) buffer.offset = up(*buffer.offset, distance);
  if (buffer.hint) buffer.hint = up(*buffer.hint, distance);
  if (buffer.window)
    buffer.window = {up(buffer.window->begin, distance), up(buffer.window->end, distance)};
  if (first > 0 && distance > 0) {
    AddressRange window = buffer.window.value_or(AddressRange{0, max_address});
    window.begin = std::max(window.begin, first + distance);
    buffer.window = window;
  }
}

}  // namespace

std::vector<PlacementProblem> tied(const PlacementProblem& problem) {
  constexpr std::size_t most = 256;
  const std::vector<Size> by = distances(problem);
  std::vector<PlacementProblem> all{problem};
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (!is_torn(problem, by, problem.buffers[b])) continue;
    const std::vector<MemoryIndex> memories = reachable(problem, problem.buffers[b]);
    // lifted() reports the buffer in its error.
    if (all.size() * memories.size() > most) return {problem};
    std::vector<PlacementProblem> more;
    for (const PlacementProblem& each : all) {
      for (const MemoryIndex m : memories) {
        more.push_back(each);
        more.back().buffers[b].memories = {m};
      }
    }
    all = std::move(more);
  }
  return all;
}

namespace {

/// Offsets in conditions count from the base, so those of the lifted problem are reduced.
void move_up(const PlacementProblem& problem, const std::vector<Size>& by, RuleNode& node) {
  for (RuleNode& each : node.of) move_up(problem, by, each);
  if (node.op != RuleOp::offset) return;
  const std::vector<MemoryIndex> memories = reachable(problem, problem.buffers[node.buffer]);
  const Size distance = by[memories.front()];
  if (std::ranges::any_of(memories, [&](MemoryIndex m) { return by[m] != distance; }))
    throw BadInput("a rule names the offset of buffer '" + problem.buffers[node.buffer].id +
                       "', whose allowed memories have bases with different remainders modulo "
                       "their alignments",
                   "name one memory in `memory`, or give these memories bases that are multiples "
                   "of the alignments");
  if (distance == 0) return;
  RuleNode less{.op = RuleOp::minus};
  less.of.push_back(node);
  less.of.push_back({.op = RuleOp::number, .number = distance});
  node = std::move(less);
}

}  // namespace

std::optional<Lifted> lifted(const PlacementProblem& problem) {
  if (!has_unaligned_base(problem)) return std::nullopt;
  Lifted above{problem, distances(problem)};
  for (MemoryIndex m = 0; m < above.by.size(); ++m) move_up(above.problem.memories[m], above.by[m]);
  for (Buffer& buffer : above.problem.buffers) move_up(problem, above.by, buffer);
  for (ConditionRule& rule : above.problem.rules) move_up(problem, above.by, rule.that);
  const std::vector<Defect> defects = validate(above.problem);
  if (!defects.empty())
    throw BadInput(
        "the bases of the memories are too large for alignments that do not divide them: counted "
        "from a multiple of all of them, " +
            defects.front().message,
        "choose bases that are multiples of the alignments");
  return above;
}

void lower(const Lifted& above, PlacementResult& result) {
  if (!result.placement) return;
  for (BufferPlace& place : result.placement->places) place.offset -= above.by[place.memory];
  for (const BufferIndex b : result.placement->left_out) result.placement->places[b] = {};
}

void require_aligned_bases(const PlacementProblem& problem, const std::string& what) {
  if (!has_unaligned_base(problem)) return;
  throw BadInput(
      what + " not support a base that is not a multiple of an alignment (" +
          facts::where_used(problem, facts::Feature::unaligned_base) + ")",
      "use one objective without --proof, or a base that is a multiple of every alignment");
}

}  // namespace tessera::placer
