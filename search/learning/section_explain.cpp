// Explanations of section rules, in as few and as weak literals as their slack permits.
#include <algorithm>
#include <span>

#include "section.h"

namespace tessera::search::learning {
namespace {

/// A set of members that all start at e or later and, if required, end by l, as they were when a
/// rule used them.
class Explanation {
 public:
  Explanation(const State& state, const OrderRules& orders, std::span<const Member> all,
              const Reason& reason, Lit lit, std::int32_t at)
      : state_(state),
        orders_(orders),
        items_(orders.items()),
        rule_(reason.rule),
        side_(reason.side),
        lit_(lit),
        at_(at),
        e_(reason.e),
        l_(reason.l) {
    if (rule_ != Rule::overload) who_ = all[reason.b].item;
    if (rule_ == Rule::energy || rule_ == Rule::not_first)
      needed_ = state.unrounded(lit).value + items_[who_].shift[side_];
    for (const Member& member : all) {
      if (member.item == who_) who_present_ = member.present;
      if (member.present != no_key && !state.held_before({member.present, 1}, at)) continue;
      Part part{member.item, member.present, no_key, true, false, -1};
      if (!belongs(part)) continue;
      sum_ += items_[part.item].length;
      parts_.push_back(part);
    }
    // In edge finding the set starts at its earliest member or at the pushed item.
    if (rule_ == Rule::edge_finding) e_ = std::min(e_, start_before(who_));
  }

  /// start(who) + length(who) + sum > l, and every member ends at `needed` or later.
  void not_first(bool generalise, std::vector<Lit>& premises, std::vector<ItemIndex>& members) {
    Value first = start_before(who_);
    if (generalise) {
      Value slack = first + items_[who_].length + sum_ - l_ - 1;
      for (Part& part : parts_)
        part.at = std::max(state_.entry_of(needed_start(part)), state_.entry_of(end(part)));
      latest_first();
      std::size_t left = parts_.size();
      std::erase_if(parts_, [&](const Part& part) {
        const Value length = items_[part.item].length;
        if (left == 1 || part.at < 0 || length > slack) return false;
        slack -= length;
        --left;
        return true;
      });
      first -= slack;
    }
    premises.push_back(start_lit(who_, first));
    members.push_back(who_);
    for (const Part& part : parts_) {
      members.push_back(part.item);
      premises.push_back(needed_start(part));
      premises.push_back(end(part));
      if (part.present != no_key) premises.push_back({part.present, 1});
    }
    if (who_present_ != no_key) premises.push_back({who_present_, 1});
  }

  /// The members that start at e or later are longer than the space until l, or until `needed`.
  void window(bool generalise, std::vector<Lit>& premises, std::vector<ItemIndex>& members) {
    if (generalise) widen(drop_members(e_ + sum_ - (rule_ == Rule::energy ? needed_ : l_ + 1)));
    for (const Part& part : parts_) {
      members.push_back(part.item);
      premises.push_back(start_lit(part.item, e_));
      if (part.needs_end) premises.push_back(end(part));
      if (part.order != no_key) premises.push_back({part.order, 1});
      if (part.present != no_key) premises.push_back({part.present, 1});
    }
  }

 private:
  struct Part {
    ItemIndex item;
    Key present;
    Key order;  ///< the literal that puts it below (energy); no_key: none
    bool needs_end;
    bool keep;        ///< the conclusion is about it
    std::int32_t at;  ///< latest trail position among its literals; -1: initially true
  };

  /// Did the rule count it? Records the reason.
  [[nodiscard]] bool belongs(Part& part) const {
    const ItemIndex i = part.item;
    if (i == who_) {
      part.needs_end = false;
      part.keep = true;
      return rule_ == Rule::edge_finding;
    }
    if (rule_ == Rule::energy) {
      part.needs_end = false;
      part.order = order(i, who_);
      return part.order != no_key && state_.held_before({part.order, 1}, at_) &&
             start_before(i) >= e_;
    }
    if (rule_ == Rule::not_first)
      return end_before(i) <= l_ && start_before(i) + items_[i].length >= needed_;
    if (start_before(i) < e_ || end_before(i) > l_) return false;
    if (rule_ == Rule::edge_finding)
      part.keep = order(i, who_) == lit_.key || opposite(order(who_, i)) == lit_.key;
    return true;
  }

  /// Drops whole members, the latest on the trail first; returns the remaining slack.
  Value drop_members(Value slack) {
    for (Part& part : parts_) {
      part.at = state_.entry_of(start_lit(part.item, e_));
      if (part.needs_end) part.at = std::max(part.at, state_.entry_of(end(part)));
      if (part.order != no_key) part.at = std::max(part.at, state_.entry_of({part.order, 1}));
    }
    latest_first();
    std::erase_if(parts_, [&](const Part& part) {
      const Value length = items_[part.item].length;
      if (part.keep || part.at < 0 || length > slack) return false;
      slack -= length;
      return true;
    });
    return slack;
  }

  /// Weakens one of the bounds: the one with the latest literal.
  void widen(Value slack) {
    if (slack <= 0) return;
    std::int32_t starts = -1;
    std::int32_t ends = -1;
    for (const Part& part : parts_) {
      starts = std::max(starts, state_.entry_of(start_lit(part.item, e_)));
      if (part.needs_end) ends = std::max(ends, state_.entry_of(end(part)));
    }
    if (starts >= ends)
      e_ -= slack;
    else
      l_ += slack;
  }

  void latest_first() {
    std::sort(parts_.begin(), parts_.end(),
              [](const Part& a, const Part& b) { return a.at > b.at; });
  }

  /// The literal "a comes before b".
  [[nodiscard]] Key order(ItemIndex a, ItemIndex b) const {
    return side_ == 0 ? orders_.below(a, b) : orders_.below(b, a);
  }
  [[nodiscard]] Lit start_lit(ItemIndex i, Value e) const {
    return {key_of(items_[i].var, side_), e - items_[i].shift[side_]};
  }
  [[nodiscard]] Lit needed_start(const Part& part) const {
    return start_lit(part.item, needed_ - items_[part.item].length);
  }
  [[nodiscard]] Lit end(const Part& part) const {
    const Item& item = items_[part.item];
    return {key_of(item.var, 1 - side_), -l_ - item.shift[1 - side_]};
  }
  [[nodiscard]] Value start_before(ItemIndex i) const {
    return state_.bound_before(key_of(items_[i].var, side_), at_) + items_[i].shift[side_];
  }
  [[nodiscard]] Value end_before(ItemIndex i) const {
    return -state_.bound_before(key_of(items_[i].var, 1 - side_), at_) - items_[i].shift[1 - side_];
  }

  const State& state_;
  const OrderRules& orders_;
  std::span<const Item> items_;
  const Rule rule_;
  const unsigned side_;
  const Lit lit_;          ///< the conclusion
  const std::int32_t at_;  ///< trail position of the conclusion
  std::vector<Part> parts_;
  Value e_;
  Value l_;
  ItemIndex who_ = no_item;  ///< the item that the rule pushes
  Key who_present_ = no_key;
  Value sum_ = 0;     ///< of the lengths
  Value needed_ = 0;  ///< the start of `who` in the conclusion
};

}  // namespace

void SectionRules::explain(const State& state, const Reason& reason, Lit lit, std::int32_t at,
                           std::vector<Lit>& premises, std::vector<ItemIndex>& members) const {
  Explanation why(state, orders_, sections_[reason.a].members, reason, lit, at);
  if (reason.rule == Rule::not_first)
    why.not_first(params_.generalise, premises, members);
  else
    why.window(params_.generalise, premises, members);
}

}  // namespace tessera::search::learning
