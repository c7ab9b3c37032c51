// All rules together: from a state to its consequences, or to a conflict and its premises.
//
// Order: clauses, transitivity and balance, then edges, then sections, then the rare rules; each
// only when everything before it is at rest.
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
  std::vector<ItemIndex> members;  ///< of section rules: the items the arithmetic is about
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
  RestRules rests;         ///< not propagated: the place search asks for it
  bool light = false;      ///< of the section rules only the floor; see wake()
  std::uint64_t work = 0;  ///< what propagation did, in comparable small steps

  /// Call once after everything is added and orders.finish(). Throws BudgetEnded.
  void finish(Poll& poll);
  /// True at rest; false at a conflict, see conflict().
  [[nodiscard]] bool propagate();
  /// A literal was raised from outside and clashed: conflict() speaks of it.
  void stop_at_clash();
  /// require: propagate() just answered false. A contradiction among true literals.
  void conflict(Lemma& lemma) const;
  /// Why the literal, made true by entry `at`, is true.
  void explain(std::int32_t at, Lit lit, Lemma& lemma) const;
  void backtrack(std::int32_t level);
  /// At level 0 and at rest: the trail becomes part of the initial state.
  void settle();
  /// After `light` changed, at level 0: everything has to be looked at again.
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
