// The specification as code: which rules does a placement violate?
//
//   std::vector<Violation> wrong = check(problem, placement);
//   if (!wrong.empty()) std::cerr << wrong.front().message << '\n';
//
// The checker uses no code of a solver and is written for clarity. Its time is near-linear in the
// number of buffers except for relations and exempt pairs: 60,000 buffers take seconds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

/// The rules of a placement; a violation names one.
enum class Rule : std::uint8_t {
  shape,           ///< one place per buffer, one mode per step, known memories and mode names
  left_out,        ///< only optional buffers are left out, and only whole groups
  allowed_memory,  ///< the buffer's memory is one of its allowed ones
  bounds,          ///< 0 <= offset and offset + size <= capacity
  alignment,       ///< base + offset is a multiple of both alignments
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
  condition,  ///< a rule of the problem
};

/// The name of the rule in JSON and messages.
[[nodiscard]] TESSERA_API std::string_view to_string(Rule rule);

/// A violated rule, and the place of the violation.
struct Violation {
  Rule rule = Rule::shape;
  std::vector<BufferIndex> buffers{};      ///< the buffers involved
  std::optional<MemoryIndex> memory{};     ///< the memory involved
  std::optional<Step> step{};              ///< for rules about a step
  std::optional<std::size_t> bank{};       ///< bank index in that memory
  std::optional<std::size_t> relation{};   ///< index in problem.relations
  std::optional<std::size_t> condition{};  ///< index in problem.rules
  std::string message{};                   ///< a sentence with names and numbers
};

/// Lists violated rules, at most `limit`. For overlap it lists at least one violation per offending
/// buffer, not every pair.
/// require: validate(problem) is empty.
/// ensure: the list is empty if and only if the placement is valid.
[[nodiscard]] TESSERA_API std::vector<Violation> check(const PlacementProblem& problem,
                                                       const Placement& placement,
                                                       std::size_t limit = 100);

/// The sum of the costs of all avoid_overlap pairs that share an address of one memory.
[[nodiscard]] TESSERA_API Cost soft_cost(const PlacementProblem& problem,
                                         const Placement& placement);

/// The sum of the benefits of the placed optional buffers, in thousandths.
[[nodiscard]] TESSERA_API Benefit benefit_of(const PlacementProblem& problem,
                                             const Placement& placement);

/// Per memory: the largest offset + size of its buffers; 0 if it has none.
[[nodiscard]] TESSERA_API std::vector<Size> heights(const PlacementProblem& problem,
                                                    const Placement& placement);

/// A result with the properties that can be computed from the placement, its heights and cost, and
/// without claims such as lower bounds.
[[nodiscard]] TESSERA_API PlacementResult counted(const PlacementProblem& problem,
                                                  Placement placement);

/// Per memory: the names of the modes that no step uses. For modes per bank at most 64 combinations
/// are listed.
[[nodiscard]] TESSERA_API std::vector<std::vector<std::string>> unused_modes(
    const PlacementProblem& problem, const Placement& placement);

}  // namespace tessera
