#include "balance.h"

#include <algorithm>

namespace tessera::search::learning {

bool BalanceRules::propagate(State& state, Key key, std::uint64_t& work) const {
  work += uses(key).size();
  for (const Use& use : uses(key)) {
    const Sum& sum = sums_[use.sum];
    const Reason reason{.rule = Rule::balance, .a = use.sum};
    if (sum.now > sum.room) return state.raise({opposite(key), 1}, reason);
    for (std::uint32_t k = sum.begin; k < sum.end; ++k) {
      const Term& term = terms_[k];
      if (sum.now + term.length <= sum.room) break;  // the shorter ones do not clash either
      if (state.bound(term.key) > 0) continue;
      if (!state.raise({opposite(term.key), 1}, reason)) return false;
    }
  }
  return true;
}

void BalanceRules::explain(const State& state, const Reason& reason, Lit lit, std::int32_t at,
                           bool generalise, std::vector<Lit>& premises,
                           std::vector<ItemIndex>& members) const {
  const Sum& sum = sums_[reason.a];
  struct Known {
    std::int32_t at;
    const Term* term;
  };
  std::vector<Known> known;
  Value slack = -sum.room - 1;
  for (std::uint32_t k = sum.begin; k < sum.end; ++k) {
    const Term& term = terms_[k];
    const bool refused = term.key == opposite(lit.key);
    if (!refused && !state.held_before({term.key, 1}, at)) continue;
    slack += term.length;
    if (refused)
      members.push_back(term.item);
    else
      known.push_back({state.entry_of({term.key, 1}), &term});
  }
  if (generalise) {
    std::sort(known.begin(), known.end(),
              [](const Known& a, const Known& b) { return a.at > b.at; });
    std::erase_if(known, [&](const Known& each) {
      if (each.at < 0 || each.term->length > slack) return false;
      slack -= each.term->length;
      return true;
    });
  }
  for (const Known& each : known) {
    premises.push_back({each.term->key, 1});
    members.push_back(each.term->item);
  }
  members.insert(members.end(), shared_.begin() + sum.shared_begin,
                 shared_.begin() + sum.shared_end);
}

}  // namespace tessera::search::learning
