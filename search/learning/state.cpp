#include "state.h"

#include <algorithm>

namespace tessera::search::learning {

Var State::add_bool() {
  bound_.insert(bound_.end(), {0, 0});
  latest_.insert(latest_.end(), {-1, -1});
  anchor_.insert(anchor_.end(), {0, 0});
  span_.push_back(-1);
  stride_.push_back(1);
  return static_cast<Var>(span_.size() - 1);
}

Var State::add_offset(Value span, Value stride, Value low, Value high) {
  const Var var = static_cast<Var>(span_.size());
  latest_.insert(latest_.end(), {-1, -1});
  // On side 1 the starts are -(o + span) with o a multiple of the stride.
  anchor_.insert(anchor_.end(), {0, -span});
  span_.push_back(span);
  stride_.push_back(stride);
  bound_.insert(bound_.end(), {low, high});
  bound_[key_of(var, 0)] = rounded({key_of(var, 0), low}).value;
  bound_[key_of(var, 1)] = rounded({key_of(var, 1), high}).value;
  return var;
}

void State::renew() {
  trail_.clear();
  level_start_.clear();
  level_ = 0;
  std::fill(latest_.begin(), latest_.end(), -1);
  std::fill(bound_.begin(), bound_.end(), 0);
}

void State::renew_offset(Var var, Value span, Value low, Value high) {
  const Key key = key_of(var, 0);
  span_[var] = span;
  anchor_[opposite(key)] = -span;
  bound_[key] = rounded({key, low}).value;
  bound_[opposite(key)] = rounded({opposite(key), high}).value;
}

Lit State::rounded(Lit lit) const {
  const Value stride = stride_[var_of(lit.key)];
  if (stride == 1) return lit;
  Value rest = (lit.value - anchor_[lit.key]) % stride;
  if (rest == 0) return lit;
  if (rest < 0) rest += stride;
  return {lit.key, lit.value + (stride - rest)};
}

bool State::push(Lit wanted, const Reason& reason) {
  const Lit lit = rounded(wanted);
  if (fails(lit)) {
    clash_ = {lit, reason};
    return false;
  }
  const std::size_t most = (std::size_t{1} << 20U) + 32 * bound_.size();
  if (trail_.size() >= most) throw BudgetEnded(StopReason::memory_limit, false);
  trail_.push_back({lit.value, bound_[lit.key], reason, lit.key, latest_[lit.key], level_});
  latest_[lit.key] = static_cast<std::int32_t>(trail_.size()) - 1;
  bound_[lit.key] = lit.value;
  return true;
}

void State::pop() {
  const Entry& last = trail_.back();
  bound_[last.key] = last.before;
  latest_[last.key] = last.previous;
  trail_.pop_back();
}

void State::close_levels(std::int32_t level) {
  level_start_.resize(static_cast<std::size_t>(level));
  level_ = level;
}

void State::forget_trail() {
  for (const Entry& entry : trail_) latest_[entry.key] = -1;
  trail_.clear();
}

std::int32_t State::entry_of(Lit lit) const {
  std::int32_t at = latest_[lit.key];
  while (at >= 0 && entry(at).before >= lit.value) at = entry(at).previous;
  return at;
}

Value State::bound_before(Key key, std::int32_t position) const {
  Value value = bound_[key];
  for (std::int32_t at = latest_[key]; at >= position; at = entry(at).previous)
    value = entry(at).before;
  return value;
}

}  // namespace tessera::search::learning
