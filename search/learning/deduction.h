// All rules together: derives the consequences of a state, or a conflict with its premises.
//
// Order: clauses, transitivity and balance, then edges, then sections, then the rare rules. Each
// group only runs when the ones before it are at a fixpoint.
#pragma once

#include "balance.h"
#include "clauses.h"
#include "cost.h"
#include "engine.h"
#include "order.h"
#include "rest.h"
#include "section.h"
#include "stride.h"

namespace tessera::search::learning {

/// One step of a derivation: premises => conclusion (key == no_key: a contradiction).
struct Lemma {
  Reason reason;
  std::int32_t at = 0;  ///< trail position of the conclusion
  Lit conclusion;
  std::vector<Lit> premises;
  std::vector<ItemIndex> members;  ///< for section rules: the items of the arithmetic
};

class Deduction {
 public:
  explicit Deduction(const LearningParams& params)
      : orders(params.triangles), sections(params, orders), params_(params) {}
  Deduction(const Deduction&) = delete;
  Deduction& operator=(const Deduction&) = delete;

  State state;
  ClauseDb clauses;
  OrderRules orders;
  SectionRules sections;
  BalanceRules balance;
  StrideRules strides;
  CostRule cost;
  RestRules rests;         ///< not propagated: the place search calls it
  bool light = false;      ///< of the section rules only the floor; see wake()
  std::uint64_t work = 0;  ///< work of the propagation, in comparable small steps

  /// Call once after everything is added, and after orders.finish(). Throws BudgetEnded.
  void finish(Poll& poll);
  /// After the spans of offsets changed: all rules with the new numbers, no clauses, empty trail.
  /// require: the rules have a renew(), so there are no costs and no alignments by memory.
  void renew(Poll& poll);
  /// May the step be wrong for larger sizes and smaller capacities (kept.h)?
  [[nodiscard]] bool exact(const Reason& reason, Key conclusion) const;
  /// True at a fixpoint; false at a conflict, see conflict().
  [[nodiscard]] bool propagate();
  /// Call if a literal raised from outside clashed: conflict() then explains the clash.
  void stop_at_clash();
  /// The contradiction among true literals.
  /// require: propagate() has just returned false.
  void conflict(Lemma& lemma) const;
  /// The premises of the literal, which entry `at` made true.
  void explain(std::int32_t at, Lit lit, Lemma& lemma) const;
  void backtrack(std::int32_t level);
  /// At level 0 and at a fixpoint: the trail becomes part of the initial state.
  void commit();
  /// Call after `light` changed, at level 0: all sections are visited again.
  void wake() { sections.wake(); }

 private:
  void explain(const Reason& reason, Lit lit, std::int32_t at, Lemma& lemma) const;
  bool step();

  const LearningParams& params_;
  std::int32_t clause_head_ = 0;
  std::int32_t edge_head_ = 0;
  enum class Stop : std::uint8_t { none, clash, overload, cycle, cost } stop_ = Stop::none;
};

}  // namespace tessera::search::learning
