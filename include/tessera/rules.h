// Rules of a machine as conditions on a placement.
//
//   add_rule(problem, {.name = "odd start", .buffers = {0}, .that = "offset % 8 == 4"});
//   add_rule(problem, {.name = "apart", .that = "offset(a) - offset(b) >= 64"});
//   add_rule(problem, {.name = "tied", .that = "mode(sram) == m0 implies mode(wbuf) == m1"});
//   assert(validate(problem).empty());                      // validate.h
//
// A rule of a problem is about its buffers and memories.
// docs/guide/rules.md explains the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api.h"
#include "units.h"

namespace tessera {

struct PlacementProblem;

/// The kinds of nodes: terms, comparisons, and conditions.
enum class RuleOp : std::uint8_t {
  number,
  offset,  ///< of `buffer`
  size,    ///< of `buffer`
  bank,    ///< each bank that `buffer` touches: see `equal`
  plus,    ///< of the two children, like minus, times and modulo
  minus,
  times,   ///< one of the two is a constant
  modulo,  ///< not negative; the second child is a number of at least 1
  equal,   ///< A comparison holds if it holds for every bank that its buffers touch.
  not_equal,
  less,
  at_most,
  one_of,     ///< the first child equals one of the others, which are numbers
  in_memory,  ///< `buffer` lies in `memory`
  in_mode,    ///< `memory` is in `mode`
  all,        ///< of the children; true without children
  any,
  no,  ///< the one child does not hold
};

/// A condition or a term, as a tree.
struct RuleNode {
  RuleOp op = RuleOp::all;
  std::int64_t number = 0;
  BufferIndex buffer = 0;
  MemoryIndex memory = 0;
  std::string mode{};
  bool next = false;  ///< for in_mode: at the next step
  std::vector<RuleNode> of{};
  friend bool operator==(const RuleNode&, const RuleNode&) = default;
};

/// Every placement satisfies `that`. A condition on modes holds at each step of `steps` (no ranges:
/// at every step); one on the next mode at each step that has a next one.
struct ConditionRule {
  std::string name{};  ///< rules from one text have one name
  RuleNode that{};
  std::vector<StepRange> steps{};
  friend bool operator==(const ConditionRule&, const ConditionRule&) = default;
};

/// A rule as text.
struct RuleText {
  std::string name{};
  /// One rule for each of them; `offset`, `size`, `bank` and `memory` without a name refer to it.
  /// Empty: one rule, whose text names all its buffers.
  std::vector<BufferIndex> buffers{};
  std::vector<StepRange> steps{};
  std::string that{};
};

/// Appends the rules of a text to the problem.
/// ensure: throws BadInput with the column if the text is wrong; the problem is then unchanged.
TESSERA_API void add_rule(PlacementProblem& problem, const RuleText& rule);

/// The condition as text, which add_rule() reads.
[[nodiscard]] TESSERA_API std::string to_string(const PlacementProblem& problem,
                                                const RuleNode& node);

}  // namespace tessera
