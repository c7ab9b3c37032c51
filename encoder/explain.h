// Why a problem has no solution: the smallest reason a person can check.
//
//   Explanation why = explain(problem, {});
//   if (why.status == Status::infeasible) std::cout << why.text;
//
// The members are buffers and hardware rules. Together they cannot be placed; without any one of
// them the rest can (`minimal` says whether that was proved within the budget).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace tessera::encoder {

/// A rule that can be taken out of a problem without taking a buffer out.
struct HardwareRule {
  enum class Kind : std::uint8_t {
    relation,   ///< index: of problem.relations
    modes,      ///< index: of the memory whose mode table it is
    straddle,   ///< index: of the memory that forbids crossing bank borders
    reserved,   ///< index: of the memory whose reserved ranges they are
    alignment,  ///< index: of the buffer (its own alignment and its memory's, for this buffer)
    offset,     ///< index: of the buffer with the fixed offset
    window,     ///< index: of the buffer with the window
  };
  Kind kind = Kind::relation;
  std::size_t index = 0;
  friend bool operator==(const HardwareRule&, const HardwareRule&) = default;
};

struct ExplainParams {
  Budget budget;
  /// Asked in place of CaDiCaL about the parts it supports; not owned, may be null.
  engine::PlacementEngine* engine = nullptr;
};

struct Explanation {
  /// infeasible: explained. feasible: there is nothing to explain. unknown: a limit struck first.
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  bool minimal = false;               ///< every member was proved necessary
  std::vector<BufferIndex> buffers;   ///< sorted
  std::vector<HardwareRule> rules;    ///< in the order of `part_of`
  std::optional<Step> step;           ///< the step with the largest load of these buffers
  std::optional<MemoryIndex> memory;  ///< the memory they compete for, if it is one
  Size asked = 0;                     ///< bytes these buffers occupy at `step`
  Size available = 0;                 ///< bytes there are (capacity minus reserved ranges)
  /// The smallest capacity of `memory` with which these buffers fit and every rule about them is
  /// kept; nothing if none does, if the memory's banks fix it, if the buffers are too many, or if
  /// the budget ended first.
  std::optional<Size> smallest_capacity;
  std::string text;  ///< all of it in words, several lines
  Stats stats;
};

/// require: validate(problem) is empty.
[[nodiscard]] Explanation explain(const PlacementProblem& problem, const ExplainParams& params);

/// The problem with these buffers and these hardware rules only (indices of relations and buffers
/// are renumbered; capacities, lifetimes and sizes stay). What explain() proves is about this.
[[nodiscard]] PlacementProblem part_of(const PlacementProblem& problem,
                                       const std::vector<BufferIndex>& buffers,
                                       const std::vector<HardwareRule>& rules);

/// Every hardware rule the problem contains.
[[nodiscard]] std::vector<HardwareRule> hardware_rules(const PlacementProblem& problem);

/// "the relation same_bank {a, b}", "the mode table of sram", ...
[[nodiscard]] std::string describe(const PlacementProblem& problem, const HardwareRule& rule);
/// Likewise with other names of buffers.
using BufferNames = std::function<std::string(BufferIndex)>;
[[nodiscard]] std::string describe(const PlacementProblem& problem, const HardwareRule& rule,
                                   const BufferNames& name_of);

}  // namespace tessera::encoder
