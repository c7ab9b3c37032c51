#include "deduction.h"

namespace tessera::search::learning {

void Deduction::finish(Poll& poll) {
  sections.finish(state, poll);
  balance.finish(state, orders, sections, params_.balance, poll);
  clauses.finish(2 * state.variables());
}

void Deduction::renew(Poll& poll) {
  orders.renew(state);
  sections.renew();
  balance.renew(state, orders, sections, poll);
  clauses.clear();
  clause_head_ = 0;
  edge_head_ = 0;
  stop_ = Stop::none;
}

void Deduction::stop_at_clash() {
  stop_ = Stop::clash;
}

bool Deduction::propagate() {
  stop_ = Stop::none;
  orders.begin_round();
  for (;;) {
    if (clause_head_ < state.size()) {
      const Key key = state.entry(clause_head_++).key;
      ++work;
      const bool order = state.is_bool(var_of(key));
      if (order) balance.count(key);
      if (!clauses.propagate(state, key, work) ||
          (order && (!orders.propagate_pair(state, key) || !balance.propagate(state, key, work)))) {
        stop_ = Stop::clash;
        return false;
      }
    } else if (edge_head_ < state.size()) {
      const Entry& entry = state.entry(edge_head_++);
      const Key key = entry.key;
      if (light)
        sections.touch_floor(state, key);
      else
        sections.touch(state, key);
      if (state.bound(key) > entry.value) continue;  // a later entry of the same bound handles it
      if (!orders.propagate_edges(state, key, work) || !strides.propagate(state, key)) {
        stop_ = orders.cycle().empty() ? Stop::clash : Stop::cycle;
        return false;
      }
    } else if (sections.pending()) {
      if (light ? !sections.floor(state, work) : !sections.propagate(state, work)) {
        stop_ = sections.overload() != nullptr ? Stop::overload : Stop::clash;
        return false;
      }
    } else {
      const std::int32_t before = state.size();
      const CostRule::Outcome outcome = cost.propagate(state);
      if (outcome == CostRule::Outcome::exceeded) stop_ = Stop::cost;
      if (outcome == CostRule::Outcome::clash) stop_ = Stop::clash;
      if (stop_ != Stop::none) return false;
      if (state.size() == before) return true;
    }
  }
}

void Deduction::explain(const Reason& reason, Lit lit, std::int32_t at, Lemma& lemma) const {
  lemma.reason = reason;
  lemma.at = at;
  lemma.conclusion = lit;
  lemma.premises.clear();
  lemma.members.clear();
  switch (reason.rule) {
    case Rule::decision:
    case Rule::root:
      break;
    case Rule::clause:
      for (const Lit& other : clauses.lits(reason.a))
        if (other.key != lit.key) lemma.premises.push_back(state.negation(other));
      break;
    case Rule::edge:
    case Rule::triangle:
    case Rule::forced:
    case Rule::cycle:
      orders.explain(state, reason, lit, at, params_.generalise, lemma.premises);
      break;
    case Rule::overload:
    case Rule::edge_finding:
    case Rule::energy:
    case Rule::not_first:
      sections.explain(state, reason, lit, at, lemma.premises, lemma.members);
      break;
    case Rule::balance:
      balance.explain(state, reason, lit, at, params_.generalise, lemma.premises, lemma.members);
      break;
    case Rule::stride:
      strides.explain(state, reason, lit, lemma.premises);
      break;
    case Rule::cost:
      cost.explain(state, lit, at, lemma.premises);
      break;
    case Rule::rest:
      rests.explain(state, orders, lit, at, lemma.premises);
      break;
  }
}

void Deduction::explain(std::int32_t at, Lit lit, Lemma& lemma) const {
  explain(state.entry(at).reason, lit, at, lemma);
}

void Deduction::conflict(Lemma& lemma) const {
  if (stop_ == Stop::overload) {
    explain(*sections.overload(), Lit{}, state.size(), lemma);
    return;
  }
  if (stop_ == Stop::cycle) {
    explain({.rule = Rule::cycle}, Lit{}, state.size(), lemma);
    return;
  }
  if (stop_ == Stop::cost) {
    explain({.rule = Rule::cost}, Lit{}, state.size(), lemma);
    return;
  }
  // The weakest form of the clashing literal that still contradicts its opposite.
  const Clash& clash = state.clash();
  const Lit against{opposite(clash.lit.key), state.bound(opposite(clash.lit.key))};
  explain(clash.reason, state.negation(against), state.size(), lemma);
  lemma.premises.push_back(against);
}

// A negated bound of an offset depends on the size, so a clause that concludes one does too.
bool Deduction::exact(const Reason& reason, Key conclusion) const {
  switch (reason.rule) {
    case Rule::clause:
      return clauses.head(reason.a).exact ||
             (conclusion != no_key && !state.is_bool(var_of(conclusion)));
    case Rule::not_first:
    case Rule::stride:
    case Rule::cost:
    case Rule::rest:
      return true;
    default:
      return false;
  }
}

void Deduction::backtrack(std::int32_t level) {
  if (level >= state.level()) return;
  const std::int32_t start = state.start_above(level);
  while (state.size() > start) {
    const Key key = state.entry(state.size() - 1).key;
    if (state.size() <= clause_head_ && state.is_bool(var_of(key))) {
      orders.undo_pair(key);
      balance.undo(key);
    }
    state.pop();
  }
  state.close_levels(level);
  clause_head_ = std::min(clause_head_, start);
  edge_head_ = std::min(edge_head_, start);
  sections.forget_touched();
}

void Deduction::commit() {
  state.forget_trail();
  clause_head_ = 0;
  edge_head_ = 0;
}

}  // namespace tessera::search::learning
