#include "rest.h"

#include <algorithm>
#include <limits>

namespace tessera::search::learning {

void RestRules::add(Var var, Value ground) {
  if (of_var_.size() <= var) of_var_.resize(var + 1);
  of_var_[var].ground = ground;
}

void RestRules::add_neighbour(Var var, Key below) {
  of_var_[var].below.push_back(below);
}

bool RestRules::lift(State& state, const OrderRules& orders, Var var) const {
  const Rest& rest = of_var_[var];
  const Value low = state.bound(key_of(var, 0));
  if (low <= rest.ground) return true;
  const Value stride = state.stride(var);
  Value best = std::numeric_limits<Value>::max() / 4;
  for (const Key below : rest.below) {
    if (state.bound(opposite(below)) > 0) continue;
    const Edge& edge = *orders.edge(below);
    // The range of places where the variable rests on this item.
    const Value soonest = state.bound(key_of(edge.source, 0)) + edge.weight[0];
    const Value latest =
        -state.bound(key_of(edge.source, 1)) - state.span(edge.source) + edge.weight[0];
    if (latest <= low - stride) continue;
    if (soonest <= low) return true;
    best = std::min(best, soonest);
  }
  return state.raise({key_of(var, 0), best}, {.rule = Rule::rest, .a = var});
}

void RestRules::explain(const State& state, const OrderRules& orders, Lit lit, std::int32_t at,
                        std::vector<Lit>& premises) const {
  const Var var = var_of(lit.key);
  const Rest& rest = of_var_[var];
  const Value low = state.bound_before(lit.key, at);
  const Value stride = state.stride(var);
  const Value needed = state.unrounded(lit).value;
  // The least start from which nothing supports it; what lies below may require a later one.
  Value from = rest.ground + 1;
  for (const Key below : rest.below) {
    const Edge& edge = *orders.edge(below);
    const Lit not_below{opposite(below), 1};
    const Lit above{key_of(edge.source, 0), needed - edge.weight[0]};
    const bool refuted = state.held_before(not_below, at);
    const bool too_high = state.held_before(above, at);
    const Value latest =
        -state.bound_before(key_of(edge.source, 1), at) - state.span(edge.source) + edge.weight[0];
    if (latest <= low - stride && !refuted && !too_high) {
      premises.push_back(
          {key_of(edge.source, 1), -(low - stride - edge.weight[0]) - state.span(edge.source)});
      from = low;
      continue;
    }
    // The one that became known first.
    const std::int32_t refuted_at = refuted ? state.entry_of(not_below) : at;
    const std::int32_t high_at = too_high ? state.entry_of(above) : at;
    premises.push_back(refuted_at <= high_at && refuted ? not_below : above);
  }
  premises.push_back({lit.key, state.unrounded({lit.key, from}).value});
}

}  // namespace tessera::search::learning
