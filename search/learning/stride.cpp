#include "stride.h"

namespace tessera::search::learning {
namespace {

/// The least value >= `value` that is congruent to `anchor` modulo `stride`.
Value round_up(Value value, Value anchor, Value stride) {
  Value rest = (value - anchor) % stride;
  if (rest < 0) rest += stride;
  return rest == 0 ? value : value + (stride - rest);
}

}  // namespace

void StrideRules::add(Key memory, Var var, Value stride) {
  roundings_.push_back({memory, var, stride});
}

bool StrideRules::round(State& state, std::uint32_t index, unsigned side) {
  const Rounding& r = roundings_[index];
  if (state.bound(r.memory) == 0) return true;
  const Key key = key_of(r.var, side);
  const Value anchor = side == 0 ? 0 : -state.span(r.var);
  return state.raise({key, round_up(state.bound(key), anchor, r.stride)},
                     {.rule = Rule::stride, .side = static_cast<std::uint8_t>(side), .a = index});
}

bool StrideRules::propagate(State& state, Key key) {
  for (std::uint32_t k = 0; k < roundings_.size(); ++k) {
    if (roundings_[k].memory == key) {
      if (!round(state, k, 0) || !round(state, k, 1)) return false;
    } else if (roundings_[k].var == var_of(key)) {
      if (!round(state, k, side_of(key))) return false;
    }
  }
  return true;
}

void StrideRules::explain(const State& state, const Reason& reason, Lit lit,
                          std::vector<Lit>& premises) const {
  const Rounding& r = roundings_[reason.a];
  const Value anchor = reason.side == 0 ? 0 : -state.span(r.var);
  // One more than the multiple below the rounded value suffices.
  const Value need = round_up(lit.value, anchor, r.stride);
  premises.push_back({r.memory, 1});
  premises.push_back({lit.key, need - r.stride + 1});
}

}  // namespace tessera::search::learning
