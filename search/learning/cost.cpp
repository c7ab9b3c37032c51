#include "cost.h"

#include <algorithm>
#include <limits>

namespace tessera::search::learning {

Value CostRule::add_core(std::span<const std::uint32_t> terms) {
  Value weight = std::numeric_limits<Value>::max();
  for (const std::uint32_t t : terms) weight = std::min(weight, terms_[t].left);
  for (const std::uint32_t t : terms) {
    terms_[t].left -= weight;
    terms_[t].cores.push_back(static_cast<std::uint32_t>(weight_.size()));
  }
  weight_.push_back(weight);
  weights_ += weight;
  return weight;
}

Value CostRule::sum(const State& state) const {
  Value sum = 0;
  for (const Term& term : terms_)
    if (state.bound(term.key) > 0) sum += term.cost;
  return sum;
}

Value CostRule::bound(const State& state) const {
  true_.assign(weight_.size(), 0);
  Value bound = weights_;
  for (const Term& term : terms_) {
    if (state.bound(term.key) == 0) continue;
    bound += added_by(term, true_, 0);
    for (const std::uint32_t core : term.cores) ++true_[core];
  }
  return bound;
}

CostRule::Outcome CostRule::propagate(State& state) {
  if (limit_ < 0 || terms_.empty()) return Outcome::rest;
  const Value paid = bound(state);
  if (paid > limit_) return Outcome::exceeded;
  for (const Term& term : terms_)
    if (state.bound(term.key) == 0 && paid + added_by(term, true_, 0) > limit_)
      if (!state.raise({opposite(term.key), 1}, {.rule = Rule::cost})) return Outcome::clash;
  return Outcome::rest;
}

void CostRule::explain(const State& state, Lit lit, std::int32_t at,
                       std::vector<Lit>& premises) const {
  struct Paid {
    std::int32_t at;
    const Term* term;
  };
  std::vector<Paid> paid;
  std::vector<std::int32_t> count(weight_.size(), 0);
  Value slack = weights_ - limit_ - 1;
  for (const Term& term : terms_) {
    const bool refused = term.key == opposite(lit.key);
    if (!refused && !state.held_before({term.key, 1}, at)) continue;
    if (!refused) paid.push_back({state.entry_of({term.key, 1}), &term});
    slack += added_by(term, count, 0);
    for (const std::uint32_t core : term.cores) ++count[core];
  }
  // The latest payments are dropped first.
  std::sort(paid.begin(), paid.end(), [](const Paid& a, const Paid& b) { return a.at > b.at; });
  for (const Paid& each : paid) {
    const Value less = added_by(*each.term, count, 1);
    if (less > slack) {
      premises.push_back({each.term->key, 1});
      continue;
    }
    slack -= less;
    for (const std::uint32_t core : each.term->cores) --count[core];
  }
}

}  // namespace tessera::search::learning
