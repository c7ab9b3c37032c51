#include "cost.h"

#include <algorithm>

namespace tessera::learning {

Value CostRule::sum(const State& state) const {
  Value sum = 0;
  for (const Term& term : terms_)
    if (state.bound(term.key) > 0) sum += term.cost;
  return sum;
}

CostRule::Outcome CostRule::propagate(State& state) const {
  if (limit_ < 0 || terms_.empty()) return Outcome::rest;
  const Value paid = sum(state);
  if (paid > limit_) return Outcome::exceeded;
  for (const Term& term : terms_)
    if (state.bound(term.key) == 0 && paid + term.cost > limit_)
      if (!state.raise({opposite(term.key), 1}, {.rule = Rule::cost})) return Outcome::clash;
  return Outcome::rest;
}

void CostRule::explain(const State& state, Lit lit, std::int32_t at,
                       std::vector<Lit>& premises) const {
  std::vector<Term> paid;
  Value slack = -limit_ - 1;
  for (const Term& term : terms_) {
    if (term.key == opposite(lit.key)) {
      slack += term.cost;
    } else if (state.held_before({term.key, 1}, at)) {
      slack += term.cost;
      paid.push_back(term);
    }
  }
  // The latest payments are dropped first.
  std::sort(paid.begin(), paid.end(), [&state](const Term& a, const Term& b) {
    return state.entry_of({a.key, 1}) > state.entry_of({b.key, 1});
  });
  for (const Term& term : paid) {
    if (term.cost <= slack)
      slack -= term.cost;
    else
      premises.push_back({term.key, 1});
  }
}

}  // namespace tessera::learning
