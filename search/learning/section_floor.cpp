// Section inference of the canonical search (Moffitt, "MiniMalloc", ASPLOS 2023): all unplaced
// members are above the lowest unplaced start. It costs a fraction of the other section rules, and
// gives most of their benefit if buffers are placed from below.
#include <algorithm>
#include <limits>

#include "section.h"

namespace tessera::search::learning {

void SectionRules::touch_floor(const State& state, Key key) {
  // A lowered end matters if it fixes a buffer, because the floor may rise then.
  const Var var = var_of(key);
  if (side_of(key) == 1 && !state.is_bool(var) && !state.fixed(var)) return;
  for (const std::uint32_t id : of_var_[var]) enqueue(id);
}

bool SectionRules::floor(State& state, std::uint64_t& work) {
  const std::uint32_t id = dequeue();
  const Section& section = sections_[id];
  overloaded_ = false;
  Value e = std::numeric_limits<Value>::max() / 4;
  Value l = -e;
  Value sum = 0;
  for (const Open& each : section.open) {
    if (state.fixed(each.var)) continue;
    if (each.present != no_key && state.bound(each.present) == 0) continue;
    e = std::min(e, state.bound(key_of(each.var, 0)) + each.shift[0]);
    l = std::max(l, -state.bound(key_of(each.var, 1)) - each.shift[1]);
    sum += each.length;
  }
  work += section.open.size() / 4 + 1;
  if (sum == 0 || e + sum <= l || !params_.overload) return true;
  overloaded_ = true;
  overload_ = {.rule = Rule::overload, .side = 0, .a = id, .e = e, .l = l};
  return false;
}

void SectionRules::renew() {
  forget_touched();
  overloaded_ = false;
  for (Section& section : sections_) {
    section.seen = 0;
    for (std::size_t k = 0; k < section.members.size(); ++k)
      section.open[k].length = orders_.items()[section.members[k].item].length;
  }
  wake();
}

void SectionRules::wake() {
  ++clock_;
  std::fill(start_changed_.begin(), start_changed_.end(), clock_);
  for (auto& side : order_changed_) std::fill(side.begin(), side.end(), clock_);
  for (std::uint32_t id = 0; id < sections_.size(); ++id) enqueue(id);
}

}  // namespace tessera::search::learning
