// Why a section rule was right, in as few and as weak literals as its slack allows.
#include <algorithm>

#include "section.h"

namespace tessera::search::learning {
namespace {

/// A set of members that all start at e or later and (where it matters) end by l.
struct Set {
  struct Part {
    ItemIndex item;
    Key present;
    Key order;  ///< the literal that puts it below (energy); no_key: none
    bool needs_end;
    bool keep;        ///< the conclusion speaks of it
    std::int32_t at;  ///< latest trail position among its literals; -1: true from the start
  };
  std::vector<Part> parts;
  Value e = 0;
  Value l = 0;
  Value slack = 0;
};

}  // namespace

void SectionRules::explain(const State& state, const Reason& reason, Lit lit, std::int32_t at,
                           std::vector<Lit>& premises, std::vector<ItemIndex>& members) const {
  const unsigned side = reason.side;
  const auto& all = sections_[reason.a].members;
  const auto& items = orders_.items();
  const auto start_lit = [&](ItemIndex i, Value e) -> Lit {
    return {key_of(items[i].var, side), e - items[i].shift[side]};
  };
  const auto end_lit = [&](ItemIndex i, Value l) -> Lit {
    return {key_of(items[i].var, 1 - side), -l - items[i].shift[1 - side]};
  };
  const auto start_before = [&](ItemIndex i) {
    return state.bound_before(key_of(items[i].var, side), at) + items[i].shift[side];
  };
  const auto end_before = [&](ItemIndex i) {
    return -state.bound_before(key_of(items[i].var, 1 - side), at) - items[i].shift[1 - side];
  };
  const auto present_before = [&](const Member& m) {
    return m.present == no_key || state.held_before({m.present, 1}, at);
  };

  Set set;
  set.e = reason.e;
  set.l = reason.l;
  const ItemIndex who = reason.rule == Rule::overload ? no_item : all[reason.b].item;
  Value sum = 0;
  Value needed = 0;
  if (who != no_item && (reason.rule == Rule::energy || reason.rule == Rule::not_first))
    needed = state.unrounded(lit).value + items[who].shift[side];
  // In edge finding the set starts where its earliest member or the pushed item starts.
  if (reason.rule == Rule::edge_finding) set.e = std::min(set.e, start_before(who));
  const Value set_start = reason.e;

  for (const Member& member : all) {
    const ItemIndex i = member.item;
    if (!present_before(member)) continue;
    Set::Part part{i, member.present, no_key, true, false, -1};
    if (i == who) {
      if (reason.rule != Rule::edge_finding) continue;
      part.needs_end = false;
      part.keep = true;
    } else if (reason.rule == Rule::energy) {
      part.needs_end = false;
      part.order = side == 0 ? orders_.below(i, who) : orders_.below(who, i);
      if (part.order == no_key || !state.held_before({part.order, 1}, at)) continue;
      if (start_before(i) < set_start) continue;
    } else if (reason.rule == Rule::not_first) {
      if (end_before(i) > set.l || start_before(i) + items[i].length < needed) continue;
    } else {
      if (start_before(i) < set_start || end_before(i) > set.l) continue;
      if (reason.rule == Rule::edge_finding) {
        const Key order = side == 0 ? orders_.below(i, who) : orders_.below(who, i);
        const Key wrong = side == 0 ? orders_.below(who, i) : orders_.below(i, who);
        part.keep = order == lit.key || opposite(wrong) == lit.key;
      }
    }
    sum += items[i].length;
    set.parts.push_back(part);
  }

  if (reason.rule == Rule::not_first) {
    // start(who) + length(who) + sum > l, every member ends at `needed` or later.
    Value first = start_before(who);
    set.slack = first + items[who].length + sum - set.l - 1;
    if (params_.generalise) {
      for (auto& part : set.parts) {
        const Lit start = start_lit(part.item, needed - items[part.item].length);
        part.at = std::max(state.entry_of(start), state.entry_of(end_lit(part.item, set.l)));
      }
      std::sort(set.parts.begin(), set.parts.end(),
                [](const auto& a, const auto& b) { return a.at > b.at; });
      std::size_t left = set.parts.size();
      std::erase_if(set.parts, [&](const auto& part) {
        const Value length = items[part.item].length;
        if (left == 1 || part.at < 0 || length > set.slack) return false;
        set.slack -= length;
        --left;
        return true;
      });
      first -= set.slack;
    }
    premises.push_back(start_lit(who, first));
    members.push_back(who);
    for (const auto& part : set.parts) {
      members.push_back(part.item);
      premises.push_back(start_lit(part.item, needed - items[part.item].length));
      premises.push_back(end_lit(part.item, set.l));
      if (part.present != no_key) premises.push_back({part.present, 1});
    }
    for (const Member& member : all)
      if (member.item == who && member.present != no_key) premises.push_back({member.present, 1});
    return;
  }

  const auto slack_of = [&](Value e, Value l) {
    return reason.rule == Rule::energy ? e + sum - needed : e + sum - l - 1;
  };
  set.slack = slack_of(set.e, set.l);
  if (params_.generalise) {
    // First whole members, the latest ones on the trail first.
    for (auto& part : set.parts) {
      part.at = state.entry_of(start_lit(part.item, set.e));
      if (part.needs_end) part.at = std::max(part.at, state.entry_of(end_lit(part.item, set.l)));
      if (part.order != no_key) part.at = std::max(part.at, state.entry_of({part.order, 1}));
    }
    std::sort(set.parts.begin(), set.parts.end(),
              [](const auto& a, const auto& b) { return a.at > b.at; });
    std::erase_if(set.parts, [&](const auto& part) {
      const Value length = items[part.item].length;
      if (part.keep || part.at < 0 || length > set.slack) return false;
      set.slack -= length;
      sum -= length;
      return true;
    });
    // Then their bounds: where it lets the latest literal go further back.
    if (set.slack > 0) {
      std::int32_t starts = -1;
      std::int32_t ends = -1;
      for (const auto& part : set.parts) {
        starts = std::max(starts, state.entry_of(start_lit(part.item, set.e)));
        if (part.needs_end) ends = std::max(ends, state.entry_of(end_lit(part.item, set.l)));
      }
      if (starts >= ends)
        set.e -= set.slack;
      else
        set.l += set.slack;
    }
  }
  for (const auto& part : set.parts) {
    members.push_back(part.item);
    premises.push_back(start_lit(part.item, set.e));
    if (part.needs_end) premises.push_back(end_lit(part.item, set.l));
    if (part.order != no_key) premises.push_back({part.order, 1});
    if (part.present != no_key) premises.push_back({part.present, 1});
  }
}

}  // namespace tessera::search::learning
