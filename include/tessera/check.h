// The specification as code: is this placement right, and if not, what exactly is wrong?
//
//   std::vector<Violation> wrong = check(problem, placement);
//   if (!wrong.empty()) std::cerr << wrong.front().message << '\n';
//
// Knows nothing of any engine. Written for clarity; near-linear in the number of buffers except for
// relations and exempt pairs, so that 60,000 buffers take seconds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

enum class Rule : std::uint8_t {
  shape,           ///< one place per buffer, one mode per step, known memories and mode names
  left_out,        ///< only optional buffers stay out, and whole groups of them
  allowed_memory,  ///< the buffer's memory is one of its allowed ones
  bounds,          ///< 0 <= offset and offset + size <= capacity
  alignment,       ///< offset is a multiple of lcm(buffer alignment, memory alignment)
  fixed_offset,    ///< equals the fixed offset
  window,          ///< inside the window
  reserved,        ///< touches no reserved range
  overlap,         ///< two buffers share an address at one step
  straddle,        ///< crosses a bank border of a memory that forbids it
  mode_read,       ///< read at a step from a bank whose role does not allow it
  mode_write,      ///< written at a step to a bank whose role does not allow it
  mode_off,        ///< live at a step in a bank that is off
  same_bank,
  different_banks,
  same_memory,
  different_memories,
  adjacent,
  same_offset,
  disjoint,
};

[[nodiscard]] TESSERA_API std::string_view to_string(Rule rule);

struct Violation {
  Rule rule = Rule::shape;
  std::vector<BufferIndex> buffers{};     ///< who
  std::optional<MemoryIndex> memory{};    ///< where
  std::optional<Step> step{};             ///< when, for rules about a step
  std::optional<std::size_t> bank{};      ///< bank index in that memory
  std::optional<std::size_t> relation{};  ///< index in problem.relations
  std::string message{};                  ///< a sentence with names and numbers
};

/// Every violated rule, at most `limit` of them (for overlap: at least one per offending buffer,
/// not every pair). Empty: the placement is right.
/// require: validate(problem) is empty.
[[nodiscard]] TESSERA_API std::vector<Violation> check(const PlacementProblem& problem,
                                                       const Placement& placement,
                                                       std::size_t limit = 100);

/// The sum of the costs of avoid_overlap pairs that share an address of one memory.
[[nodiscard]] TESSERA_API Cost soft_cost(const PlacementProblem& problem,
                                         const Placement& placement);

/// The summed benefit of the optional buffers that are placed, in thousandths.
[[nodiscard]] TESSERA_API Benefit benefit_of(const PlacementProblem& problem,
                                             const Placement& placement);

/// Per memory: the largest offset + size of the buffers in it, 0 if none.
[[nodiscard]] TESSERA_API std::vector<Size> heights(const PlacementProblem& problem,
                                                    const Placement& placement);

/// What can be said of a placement by counting, and nothing that has to be believed: its heights
/// and its cost.
[[nodiscard]] TESSERA_API PlacementResult counted(const PlacementProblem& problem,
                                                  Placement placement);

/// Per memory: names of the modes no step uses (per bank: up to 64 combinations).
[[nodiscard]] TESSERA_API std::vector<std::vector<std::string>> unused_modes(
    const PlacementProblem& problem, const Placement& placement);

}  // namespace tessera
