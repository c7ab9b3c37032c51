// The arithmetic of lemmas: one violated edge, a cycle, more bytes than the capacity, no supporting
// buffer.
#include "derivation.h"

namespace tessera::proof {

bool Derivation::follows(char rule, const std::vector<Literal>& premises, const Literal* lit,
                         const std::vector<std::size_t>& members) {
  if (rule == 'g') return pays_too_much(lit);
  std::vector<std::size_t> orders;
  bool too_far = false;
  // A false half order implies nothing about the opposite one.
  const auto add = [&](const Literal& each) {
    const Kind kind = variables_[each.key / 2].kind;
    if (kind == Kind::pair || (kind == Kind::half && each.key % 2 == 0)) orders.push_back(each.key);
  };
  for (const Literal& each : premises) add(each);
  if (lit != nullptr) {
    const Literal against = negation(*lit);
    if (rule == 's') return rounds_up_to(*lit);
    if (!raise(against)) return true;
    add(against);
    too_far = distance_broken(against.key);
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  for (const Literal& each : premises) too_far = too_far || distance_broken(each.key);
  switch (rule) {
    case 'e':
      return too_far || std::any_of(orders.begin(), orders.end(), [&](std::size_t key) {
               const Item& above = upper(key);
               const Item& below = lower(key);
               return start(below) + below.range.size() + above.range.size() > end(above);
             });
    case 't':
      // A below B below C, and A not below C: a half order, which offsets need not satisfy. All
      // other cycles are cycles of offsets.
      if (lit != nullptr && variables_[lit->key / 2].kind == Kind::half && lit->key % 2 == 0 &&
          orders_chain(lit->key, orders))
        return true;
      return goes_round(premises, lit, orders);
    case 'w':
      return window_overflows(members, orders);
    case 'n':
      return cannot_be_first(members, false) || cannot_be_first(members, true);
    case 'r':
      return lit != nullptr && nothing_carries(lit->key, premises);
    default:
      throw Wrong{"an unknown rule"};
  }
}

// Do the orders form a cycle with a positive sum of distances?
bool Derivation::goes_round(const std::vector<Literal>& premises, const Literal* lit,
                            const std::vector<std::size_t>& orders) const {
  struct Step {
    BufferIndex below = 0;
    BufferIndex above = 0;
    Wide distance = 0;
  };
  std::vector<Step> all;
  for (const std::size_t key : orders)
    all.push_back({lower(key).buffer, upper(key).buffer,
                   Wide{lower(key).range.end} - upper(key).range.begin});
  const auto add = [&](const Literal& each) {
    if (const auto one = above(each.key))
      all.push_back({variables_[one->from].buffer, variables_[one->to].buffer, one->distance});
  };
  for (const Literal& each : premises) add(each);
  if (lit != nullptr) add(negation(*lit));
  // Longest paths from all buffers: without a positive cycle, as many rounds as buffers are
  // sufficient.
  std::map<BufferIndex, Wide> reached;
  for (const Step& each : all) reached[each.below] = reached[each.above] = 0;
  for (std::size_t round = 0; round <= reached.size(); ++round) {
    bool longer = false;
    for (const Step& each : all) {
      const Wide there = reached[each.below] + each.distance;
      Wide& known = reached[each.above];
      if (there <= known) continue;
      known = there;
      longer = true;
    }
    if (!longer) return false;
  }
  return true;
}

std::optional<Derivation::Above> Derivation::above(std::size_t key) const {
  const Variable& var = variables_[key / 2];
  const bool at_least =
      var.kind == Kind::distance || var.kind == Kind::gap || var.kind == Kind::half_gap;
  if (at_least && key % 2 == 0) return Above{var.order.lower, var.order.upper, var.distance};
  if (var.kind == Kind::gap) return Above{var.order.upper, var.order.lower, -Wide{var.back}};
  return std::nullopt;
}

bool Derivation::distance_broken(std::size_t key) const {
  const auto one = above(key);
  return one && Wide{bound_[2 * one->from]} + one->distance >
                    -Wide{bound_[2 * one->to + 1]} - variables_[one->to].span;
}

bool Derivation::window_overflows(const std::vector<std::size_t>& members,
                                  const std::vector<std::size_t>& orders) {
  for (const std::size_t key : orders) {
    const Item& below = lower(key);
    const Item& above = upper(key);
    const Wide latest = end(above) - above.range.size();  // latest end of the lower one
    const Wide soonest = start(below) + below.range.size();
    const Wide high = -(latest - below.range.end + facts_.buffer(below.buffer).size);
    const Wide low = soonest - above.range.begin;
    if (high < limit && high > -limit &&
        !raise({key_of(below) + 1, static_cast<std::int64_t>(high)}))
      return true;
    if (low < limit && low > -limit && !raise({key_of(above), static_cast<std::int64_t>(low)}))
      return true;
  }
  Wide sum = 0;
  Wide e = Wide{1} << 100;
  Wide l = -e;
  for (std::size_t x = 0; x < members.size(); ++x) {
    const Item& item = items_[members[x]];
    sum += item.range.size();
    e = std::min(e, start(item));
    l = std::max(l, end(item));
    for (std::size_t y = 0; y < x; ++y)
      if (!apart(members[x], members[y]) && !separated(item, items_[members[y]], orders))
        return false;
  }
  return !members.empty() && e + sum > l;
}

// Does a buffer lie between the two?
bool Derivation::separated(const Item& x, const Item& y,
                           const std::vector<std::size_t>& orders) const {
  const auto part_of = [](const Item& part, const Item& whole) {
    return part.buffer == whole.buffer && whole.range.contains(part.range);
  };
  for (const std::size_t first : orders) {
    const bool up = part_of(x, lower(first));
    if (!up && !part_of(y, lower(first))) continue;
    const Item& under = upper(first);
    for (const std::size_t second : orders) {
      const Item& over = lower(second);
      if (over.buffer == under.buffer && under.range.begin <= over.range.end &&
          part_of(up ? y : x, upper(second)))
        return true;
    }
  }
  return false;
}

// Do they never share an address in any remaining places?
bool Derivation::apart(std::size_t i, std::size_t j) {
  const BufferIndex a = items_[i].buffer;
  const BufferIndex b = items_[j].buffer;
  const auto [known, is_new] = apart_.try_emplace(std::minmax(i, j), 0);
  if (is_new) known->second = facts_.apart(a, items_[i].range, b, items_[j].range) ? 1 : 0;
  if (known->second == 0) return false;
  if (facts_.tied_together(a, b)) return true;
  const auto of_a = memories_of(a);
  return of_a.size() == 1 && of_a == memories_of(b);
}

bool Derivation::orders_chain(std::size_t key, const std::vector<std::size_t>& orders) const {
  for (const std::size_t x : orders)
    for (const std::size_t y : orders)
      if (&lower(x) == &lower(key) && &upper(x) == &lower(y) && &upper(y) == &upper(key))
        return true;
  return false;
}

// The buffer's memory is known, and alignment excludes offsets (or ends) below the literal's bound.
bool Derivation::rounds_up_to(const Literal& lit) const {
  const Variable& var = variables_[lit.key / 2];
  if (var.kind != Kind::offset) return false;
  const auto left = memories_of(var.buffer);
  if (left.size() != 1) return false;
  const Size alignment = effective_alignment(facts_.buffer(var.buffer), facts_.memory(left[0]));
  const std::int64_t anchor = lit.key % 2 == 0 ? 0 : -var.span;
  const std::int64_t rest = ((bound_[lit.key] - anchor) % alignment + alignment) % alignment;
  return bound_[lit.key] + (rest == 0 ? 0 : alignment - rest) >= lit.value;
}

// Is it impossible that the first member lies below all others (upside down: above them)?
bool Derivation::cannot_be_first(const std::vector<std::size_t>& members, bool upside_down) {
  const auto from = [&](const Item& item) { return upside_down ? -end(item) : start(item); };
  const auto to = [&](const Item& item) { return upside_down ? -start(item) : end(item); };
  if (members.size() < 2) return false;
  const Item& who = items_[members[0]];
  const Wide latest_start = to(who) - who.range.size();
  Wide sum = who.range.size();
  Wide l = -(Wide{1} << 100);
  for (std::size_t x = 1; x < members.size(); ++x) {
    const Item& item = items_[members[x]];
    // Required: the item cannot end below the first one.
    if (from(item) + item.range.size() <= latest_start) return false;
    sum += item.range.size();
    l = std::max(l, to(item));
    for (std::size_t y = 0; y < x; ++y)
      if (!apart(members[x], members[y])) return false;
  }
  return from(who) + sum > l;
}

// Placements in which no buffer can be lowered by itself are sufficient. Can the buffer be lowered
// from every remaining offset?
bool Derivation::nothing_carries(std::size_t key, const std::vector<Literal>& premises) const {
  const Variable& var = variables_[key / 2];
  if (var.kind != Kind::offset || key % 2 != 0 || !facts_.may_be_lowered(var.buffer)) return false;
  const Wide first = bound_[key];
  const Wide last = -Wide{bound_[key + 1]} - var.span;
  if (first - var.stride < facts_.room(var.buffer).begin) return false;
  for (BufferIndex other = 0; other < facts_.buffers(); ++other) {
    const std::vector<AddressRange> in_the_way = facts_.in_the_way(var.buffer, other);
    for (const AddressRange& part : in_the_way) {
      if (offset_of_[other] == unset) return false;
      const Item item{other, part};
      const Wide soonest = start(item) + part.size();  // earliest end
      if (soonest > last || end(item) <= first - var.stride) continue;
      // Known not to be below: the negation of such an order, or the opposite order.
      const bool above = std::any_of(premises.begin(), premises.end(), [&](const Literal& each) {
        const Kind kind = variables_[each.key / 2].kind;
        if (kind != Kind::pair && (kind != Kind::half || each.key % 2 == 0)) return false;
        const Item& mine = lower(each.key);
        const Item& its = upper(each.key);
        if (mine.buffer != var.buffer || its.buffer != other ||
            mine.range.size() != facts_.buffer(var.buffer).size)
          return false;
        // "Not below" implies "above" only for items that must not overlap.
        return part.contains(its.range) ||
               (its.range.contains(part) && facts_.apart(other, its.range, var.buffer, mine.range));
      });
      if (above) continue;
      // Below a larger range, and so below this one; the larger one has its own turn.
      const bool in_larger =
          std::any_of(in_the_way.begin(), in_the_way.end(), [&](const AddressRange& each) {
            return each.contains(part) && each.size() > part.size();
          });
      if (!in_larger) return false;
    }
  }
  return true;
}

}  // namespace tessera::proof
