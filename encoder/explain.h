// Explains infeasibility by the smallest reason a person can check.
//
//   Explanation why = explain(problem, {});
//   if (why.status == Status::infeasible) std::cout << why.text;
//
// The members are buffers and hardware rules. They have no placement together; without any one of
// them the rest has one (`minimal` says whether that was proved within the budget).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace tessera::encoder {

/// A rule that can be removed from a problem without removing a buffer.
struct HardwareRule {
  enum class Kind : std::uint8_t {
    relation,   ///< index: of problem.relations
    modes,      ///< index: of the memory whose mode table it is
    straddle,   ///< index: of the memory that forbids crossing bank boundaries
    reserved,   ///< index: of the memory whose reserved ranges they are
    alignment,  ///< index: of the buffer (its own alignment and its memory's, for this buffer)
    offset,     ///< index: of the buffer with the fixed offset
    window,     ///< index: of the buffer with the window
    condition,  ///< index: of problem.rules
  };
  Kind kind = Kind::relation;
  std::size_t index = 0;
  friend bool operator==(const HardwareRule&, const HardwareRule&) = default;
};

struct ExplainParams {
  Budget budget;
  /// Replaces CaDiCaL for the parts it supports; not owned, may be null.
  engine::PlacementEngine* engine = nullptr;
};

struct Explanation {
  /// infeasible: explained. feasible: nothing to explain. unknown: a limit ended the search.
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  bool minimal = false;               ///< every member was proved necessary
  std::vector<BufferIndex> buffers;   ///< sorted
  std::vector<HardwareRule> rules;    ///< in the order of `part_of`
  std::optional<Step> step;           ///< the step with the largest load of these buffers
  std::optional<MemoryIndex> memory;  ///< the memory they compete for, if it is one
  Size asked = 0;                     ///< bytes these buffers occupy at `step`
  Size available = 0;                 ///< usable bytes (capacity minus reserved ranges)
  /// The smallest capacity of `memory` in which these buffers fit and satisfy every rule about
  /// them. None if no capacity does, if banks fix the capacity, if there are too many buffers, or
  /// if the budget ended first.
  std::optional<Size> smallest_capacity;
  std::string text;  ///< the full text, several lines
  Stats stats;
};

/// require: validate(problem) is empty.
[[nodiscard]] Explanation explain(const PlacementProblem& problem, const ExplainParams& params);

/// The problem restricted to these buffers and hardware rules (indices of relations and buffers are
/// renumbered; capacities, lifetimes and sizes stay). explain() proves this part infeasible.
[[nodiscard]] PlacementProblem part_of(const PlacementProblem& problem,
                                       const std::vector<BufferIndex>& buffers,
                                       const std::vector<HardwareRule>& rules);

[[nodiscard]] std::vector<HardwareRule> hardware_rules(const PlacementProblem& problem);

/// "the relation same_bank {a, b}", "the mode table of sram", ...
[[nodiscard]] std::string describe(const PlacementProblem& problem, const HardwareRule& rule);
/// Likewise, with custom buffer names.
using BufferNames = std::function<std::string(BufferIndex)>;
[[nodiscard]] std::string describe(const PlacementProblem& problem, const HardwareRule& rule,
                                   const BufferNames& name_of);

}  // namespace tessera::encoder
