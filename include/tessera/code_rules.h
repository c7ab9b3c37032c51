// Rules of a machine as code, for conditions that the text of rules.h cannot express.
//
//   const auto slice = [](Offset at) { return (at >> 6 ^ at >> 12) & 3; };  // of a cache
//   CodeRule rule{.name = "two slices", .buffers = {0, 1}};
//   rule.holds = [=](const RuleValues& values) {
//     return slice(values.places[0].offset) != slice(values.places[1].offset);
//   };
//   CodeRuleResult found = place(problem, {rule}, {});
//   if (found.result.status == Status::infeasible) std::cout << found.result.reason;  // proved
//
// place() searches a placement without the rules and calls them. If one does not hold, its values
// are excluded by a condition (rules.h), and the search is repeated. A rule that rejects most
// values of many should give a `reason`, which excludes more of them at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "api.h"
#include "check.h"
#include "place.h"
#include "problem.h"

namespace tessera {

/// All that a rule as code reads of a placement.
struct RuleValues {
  std::span<const BufferPlace> places{};      ///< of CodeRule::buffers, in their order
  std::span<const std::string> modes{};       ///< of CodeRule::memories, in their order, at a step
  std::span<const std::string> next_modes{};  ///< at the next step; empty without CodeRule::next
};

/// A condition on every placement that has all of `buffers`.
struct CodeRule {
  std::string name{};
  std::vector<BufferIndex> buffers{};  ///< whose places it reads
  /// Memories whose modes it reads: it then holds at each step of `steps` (no ranges: every step).
  std::vector<MemoryIndex> memories{};
  bool next = false;  ///< It also reads the modes of the next step, at each step that has one.
  std::vector<StepRange> steps{};
  /// Runs in the calling thread; an exception ends the call.
  /// require: equal values give equal results.
  std::function<bool(const RuleValues&)> holds{};
  /// May be empty. Called for values at which the rule does not hold: a condition in the text of
  /// rules.h that follows from the rule and that does not hold either ("offset(a) + 64 <=
  /// offset(b)"); empty text: exclude only these values.
  std::function<std::string(const RuleValues&)> reason{};
};

/// A result, and the conditions that the search learned.
struct CodeRuleResult {
  /// As of place() in place.h; its placement, infeasibility and bounds take the rules into account.
  PlacementResult result{};
  /// Conditions that follow from the rules and that the search used. Appended to problem.rules,
  /// they make explain() name the rule.
  std::vector<ConditionRule> learned{};
};

/// Searches for a placement that satisfies the rules.
/// ensure: infeasible => proved, if every `reason` follows from its rule. A search that ends after
/// `most_rejected` placements is unknown (StopReason::node_limit). params.limits.work applies to
/// each of the searches, all other limits to the call.
/// throws: as place() without such rules. BadInput also if a rule names what does not exist, if no
/// solver takes conditions on its buffers and memories, if a `reason` is wrong text or holds for
/// the rejected placement, and if params.proof is set: a certificate cannot contain code.
[[nodiscard]] TESSERA_API CodeRuleResult place(const PlacementProblem& problem,
                                               const std::vector<CodeRule>& rules,
                                               const PlaceParams& params,
                                               std::int64_t most_rejected = 10'000);

/// The violations of check.h, and those of the rules: Rule::condition without an index.
[[nodiscard]] TESSERA_API std::vector<Violation> check(const PlacementProblem& problem,
                                                       const std::vector<CodeRule>& rules,
                                                       const Placement& placement,
                                                       std::size_t limit = 100);

}  // namespace tessera
