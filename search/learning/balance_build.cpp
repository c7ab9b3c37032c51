// The sums to build: one for every common member of two sections, and for both directions.
#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <numeric>

#include "balance.h"

namespace tessera::search::learning {
namespace {

/// Sections that differ by more members give weak sums.
constexpr std::size_t most_apart = 24;
/// Memory limit of the sums; the most similar sections are used first.
constexpr std::size_t most_terms = 500'000;
/// Memory limit of the lists of members.
constexpr std::size_t most_listed = 4'000'000;

/// The members that are always present.
struct Set {
  std::vector<ItemIndex> items;
  bool in_time = true;
};

struct Neighbours {
  std::size_t apart;
  std::uint32_t s, t;
};

std::vector<Set> sets_of(const SectionRules& sections) {
  std::vector<Set> sets(sections.size());
  for (std::uint32_t id = 0; id < sets.size(); ++id) {
    sets[id].in_time = sections.in_time(id);
    for (const Member& member : sections.members(id))
      if (member.present == no_key) sets[id].items.push_back(member.item);
    std::sort(sets[id].items.begin(), sets[id].items.end());
  }
  return sets;
}

// Sections are in the order of steps: a member of s that is missing at t does not return. Sections
// without a step come after them, unordered. Per section, the last one in time before the next one
// that is not; itself if there is none in between.
std::vector<std::uint32_t> ends_in_time(const std::vector<Set>& sets) {
  std::vector<std::uint32_t> ends(sets.size());
  for (auto t = static_cast<std::uint32_t>(sets.size()); t-- > 0;)
    ends[t] = t + 1 < sets.size() && sets[t + 1].in_time ? ends[t + 1] : t;
  return ends;
}

/// The members of each section as bits.
class Bits {
 public:
  Bits(const std::vector<Set>& sets, std::size_t items) : words_(items / 64 + 1) {
    bits_.resize(sets.size() * words_);
    for (std::size_t s = 0; s < sets.size(); ++s)
      for (const ItemIndex item : sets[s].items)
        bits_[s * words_ + item / 64] |= std::uint64_t{1} << (item % 64);
  }
  [[nodiscard]] std::size_t words() const { return words_; }
  /// The number of common members of two sections.
  [[nodiscard]] std::size_t shared(std::size_t s, std::size_t t) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < words_; ++k)
      count +=
          static_cast<std::size_t>(std::popcount(bits_[s * words_ + k] & bits_[t * words_ + k]));
    return count;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

std::vector<Neighbours> neighbours_of(const std::vector<Set>& sets, std::size_t items, Poll& poll) {
  std::vector<Neighbours> found;
  const Bits bits(sets, items);
  const std::vector<std::uint32_t> ends = ends_in_time(sets);
  for (std::uint32_t s = 0; s < sets.size(); ++s) {
    for (std::uint32_t t = s + 1; t < sets.size(); ++t) {
      poll(1 + static_cast<std::int64_t>(bits.words() / 4));
      const std::size_t shared = bits.shared(s, t);
      if (shared == 0 || sets[s].items.size() - shared > most_apart) {
        if (sets[s].in_time && sets[t].in_time) t = ends[t];
        continue;
      }
      const std::size_t apart = sets[s].items.size() + sets[t].items.size() - 2 * shared;
      if (apart <= most_apart) found.push_back({apart, s, t});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Neighbours& x, const Neighbours& y) { return x.apart < y.apart; });
  return found;
}

}  // namespace

void BalanceRules::finish(const State& state, const OrderRules& orders,
                          const SectionRules& sections, bool wanted, Poll& poll) {
  use_begin_.assign(2 * state.variables() + 1, 0);
  if (!wanted) return;
  find_pairs(orders, sections, poll);
  renew(state, orders, sections, poll);
}

void BalanceRules::find_pairs(const OrderRules& orders, const SectionRules& sections, Poll& poll) {
  const std::vector<Set> sets = sets_of(sections);
  const auto size = [this] { return static_cast<std::uint32_t>(shared_.size()); };
  for (const auto& [apart, s, t] : neighbours_of(sets, orders.items().size(), poll)) {
    const auto& a = sets[s].items;
    const auto& b = sets[t].items;
    poll(static_cast<std::int64_t>(a.size() + b.size()));
    if (shared_.size() > most_listed) break;
    Pair pair{.s = s, .t = t, .common = size()};
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared_));
    pair.only_s = size();
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared_));
    pair.only_t = size();
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(shared_));
    pair.end = size();
    pairs_.push_back(pair);
  }
}

void BalanceRules::measure(const State& state, const OrderRules& orders,
                           const SectionRules& sections) {
  constexpr Value beyond = std::numeric_limits<Value>::max() / 4;
  loads_.assign(sections.size(), {beyond, -beyond, 0});
  for (std::uint32_t id = 0; id < loads_.size(); ++id) {
    Load& load = loads_[id];
    for (const Member& member : sections.members(id)) {
      if (member.present != no_key) continue;
      const Item& item = orders.items()[member.item];
      load.low = std::min(load.low, state.bound(key_of(item.var, 0)) + item.shift[0]);
      load.high = std::max(load.high, -state.bound(key_of(item.var, 1)) - item.shift[1]);
      load.sum += item.length;
    }
  }
}

void BalanceRules::renew(const State& state, const OrderRules& orders, const SectionRules& sections,
                         Poll& poll) {
  sums_.clear();
  terms_.clear();
  std::fill(use_begin_.begin(), use_begin_.end(), 0);
  if (pairs_.empty()) return;
  measure(state, orders, sections);
  for (const Pair& pair : pairs_) {
    poll(pair.end - pair.only_s);
    if (terms_.size() > most_terms) break;
    const Load& s = loads_[pair.s];
    const Load& t = loads_[pair.t];
    Value of_s = 0;
    Value of_t = 0;
    for (std::uint32_t k = pair.only_s; k < pair.only_t; ++k)
      of_s += orders.items()[shared_[k]].length;
    for (std::uint32_t k = pair.only_t; k < pair.end; ++k)
      of_t += orders.items()[shared_[k]].length;
    Sum sum{.room = std::max(s.high, t.high) - std::min(s.low, t.low) - (s.sum - of_s),
            .shared_begin = pair.common,
            .shared_end = pair.only_s};
    if (of_s + of_t <= sum.room) continue;  // always satisfied
    apart_.clear();
    for (std::uint32_t k = pair.only_s; k < pair.end; ++k)
      apart_.push_back({orders.items()[shared_[k]].length, shared_[k], k < pair.only_t});
    std::sort(apart_.begin(), apart_.end(), [](const Apart& x, const Apart& y) {
      return x.length != y.length ? x.length > y.length : x.item < y.item;
    });
    poll(static_cast<std::int64_t>(2 * apart_.size() * (pair.only_s - pair.common)));
    for (std::uint32_t k = pair.common; k < pair.only_s; ++k) {
      add(orders, shared_[k], sum, false);
      add(orders, shared_[k], sum, true);
    }
  }
  list_uses();
}

void BalanceRules::list_uses() {
  for (const Sum& sum : sums_)
    for (std::uint32_t k = sum.begin; k < sum.end; ++k) ++use_begin_[terms_[k].key + 1];
  std::partial_sum(use_begin_.begin(), use_begin_.end(), use_begin_.begin());
  uses_.resize(use_begin_.back());
  std::vector<std::uint32_t> next(use_begin_.begin(), use_begin_.end() - 1);
  for (std::uint32_t at = 0; at < sums_.size(); ++at)
    for (std::uint32_t k = sums_[at].begin; k < sums_[at].end; ++k)
      uses_[next[terms_[k].key]++] = {at, terms_[k].length};
}

// The members of one section below the centre, those of the other one above it.
void BalanceRules::add(const OrderRules& orders, ItemIndex centre, Sum sum, bool s_below) {
  sum.begin = static_cast<std::uint32_t>(terms_.size());
  Value all = 0;
  for (const Apart& each : apart_) {
    const Key key =
        each.of_s == s_below ? orders.below(each.item, centre) : orders.below(centre, each.item);
    if (key == no_key) continue;
    terms_.push_back({key, each.item, each.length});
    all += each.length;
  }
  if (all <= sum.room) {  // always satisfied
    terms_.resize(sum.begin);
    return;
  }
  sum.end = static_cast<std::uint32_t>(terms_.size());
  sums_.push_back(sum);
}

}  // namespace tessera::search::learning
