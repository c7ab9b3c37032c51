#include "balance.h"

#include <algorithm>

namespace tessera::learning {

bool BalanceRules::propagate(State& state, Key key, std::uint64_t& work) const {
  work += uses_[key].size();
  for (const Use& use : uses_[key]) {
    const Sum& sum = sums_[use.sum];
    const Reason reason{.rule = Rule::balance, .a = use.sum};
    if (sum.now > sum.room) return state.raise({opposite(key), 1}, reason);
    for (std::uint32_t k = sum.begin; k < sum.end; ++k) {
      const Term& term = terms_[k];
      if (sum.now + term.length <= sum.room) break;  // nor do the shorter ones clash
      if (state.bound(term.key) > 0) continue;
      if (!state.raise({opposite(term.key), 1}, reason)) return false;
    }
  }
  return true;
}

void BalanceRules::explain(const State& state, const SectionRules& sections, const Reason& reason,
                           Lit lit, std::int32_t at, bool generalise, std::vector<Lit>& premises,
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
  const auto in = [&](std::uint32_t section, ItemIndex item) {
    const auto all = sections.members(section);
    return std::any_of(all.begin(), all.end(), [&](const Member& member) {
      return member.item == item && member.present == no_key;
    });
  };
  for (const Member& member : sections.members(sum.sections[0]))
    if (member.present == no_key && in(sum.sections[1], member.item))
      members.push_back(member.item);  // i is one of them
}

}  // namespace tessera::learning
