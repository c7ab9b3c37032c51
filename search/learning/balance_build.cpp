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

/// The members that are always present, and the addresses they may use.
struct Set {
  std::vector<ItemIndex> items;
  bool in_time = true;
  Value low = std::numeric_limits<Value>::max() / 4;
  Value high = std::numeric_limits<Value>::min() / 4;
};

struct Neighbours {
  std::size_t apart;
  std::uint32_t s, t;
};

std::vector<Set> sets_of(const State& state, const OrderRules& orders,
                         const SectionRules& sections) {
  std::vector<Set> sets(sections.size());
  for (std::uint32_t id = 0; id < sets.size(); ++id) {
    Set& set = sets[id];
    set.in_time = sections.in_time(id);
    for (const Member& member : sections.members(id)) {
      if (member.present != no_key) continue;
      const Item& item = orders.items()[member.item];
      set.items.push_back(member.item);
      set.low = std::min(set.low, state.bound(key_of(item.var, 0)) + item.shift[0]);
      set.high = std::max(set.high, -state.bound(key_of(item.var, 1)) - item.shift[1]);
    }
    std::sort(set.items.begin(), set.items.end());
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
  const std::vector<Set> sets = sets_of(state, orders, sections);
  std::vector<ItemIndex> shared;
  std::vector<ItemIndex> only_s;
  std::vector<ItemIndex> only_t;
  for (const auto& [apart, s, t] : neighbours_of(sets, orders.items().size(), poll)) {
    poll(static_cast<std::int64_t>(sets[s].items.size() + sets[t].items.size()));
    if (terms_.size() > most_terms) break;
    const Set& a = sets[s];
    const Set& b = sets[t];
    shared.clear();
    only_s.clear();
    only_t.clear();
    std::set_intersection(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                          std::back_inserter(shared));
    std::set_difference(a.items.begin(), a.items.end(), shared.begin(), shared.end(),
                        std::back_inserter(only_s));
    std::set_difference(b.items.begin(), b.items.end(), shared.begin(), shared.end(),
                        std::back_inserter(only_t));
    Sum sum{.room = std::max(a.high, b.high) - std::min(a.low, b.low)};
    sum.shared_begin = static_cast<std::uint32_t>(shared_.size());
    shared_.insert(shared_.end(), shared.begin(), shared.end());
    sum.shared_end = static_cast<std::uint32_t>(shared_.size());
    for (const ItemIndex i : shared) sum.room -= orders.items()[i].length;
    for (const ItemIndex i : shared) {
      poll(static_cast<std::int64_t>(2 * (only_s.size() + only_t.size())));
      add(orders, i, sum, only_t, only_s);
      add(orders, i, sum, only_s, only_t);
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

void BalanceRules::add(const OrderRules& orders, ItemIndex centre, Sum sum,
                       std::span<const ItemIndex> below, std::span<const ItemIndex> above) {
  sum.begin = static_cast<std::uint32_t>(terms_.size());
  Value all = 0;
  const auto term = [&](Key key, ItemIndex item) {
    if (key == no_key) return;
    terms_.push_back({key, item, orders.items()[item].length});
    all += terms_.back().length;
  };
  for (const ItemIndex p : below) term(orders.below(p, centre), p);
  for (const ItemIndex q : above) term(orders.below(centre, q), q);
  if (all <= sum.room) {  // always satisfied
    terms_.resize(sum.begin);
    return;
  }
  sum.end = static_cast<std::uint32_t>(terms_.size());
  std::sort(terms_.begin() + sum.begin, terms_.end(), [](const Term& x, const Term& y) {
    return x.length != y.length ? x.length > y.length : x.key < y.key;
  });
  sums_.push_back(sum);
}

}  // namespace tessera::search::learning
