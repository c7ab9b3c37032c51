// Balance: for two sections with common members, what lies below a member in one and above it in
// the other.
//
// Let item i be live in the sections S and T. Let C be the other common members. Let P be members
// of T only that lie below i. Let Q be members of S only that lie above i. C and P are pairwise
// disjoint (in T), and so are C and Q (in S). P and Q are disjoint because i lies between them,
// even if they are never live at the same step. Therefore all of them share one axis:
//
//   length(i) + sum of C + sum of P + sum of Q <= capacity
//
// The rule does not depend on the orders of C, which are most of a section if few buffers begin or
// end: they cancel out. In a full memory it states that below every buffer that stays, the ending
// and beginning buffers have equal sizes. The section rules find this only after the orders of C
// are known. The rule is a sum of lengths over order literals with a limit, so its explanations
// consist of orders.
#pragma once

#include <span>
#include <vector>

#include "section.h"

namespace tessera::search::learning {

class BalanceRules {
 public:
  /// Call once after the sections are complete. `wanted` false: builds no sums, and propagates
  /// nothing.
  void finish(const State& state, const OrderRules& orders, const SectionRules& sections,
              bool wanted, Poll& poll);
  /// After OrderRules::renew(): the sums for the new numbers. Forgets what was counted.
  void renew(const State& state, const OrderRules& orders, const SectionRules& sections,
             Poll& poll);

  /// Counts a literal that became true; undo() reverses it.
  void count(Key key) {
    for (const Use& use : uses(key)) sums_[use.sum].now += use.length;
  }
  void undo(Key key) {
    for (const Use& use : uses(key)) sums_[use.sum].now -= use.length;
  }
  /// Excludes terms that do not fit any longer after `key`, which was counted. False on a clash.
  bool propagate(State& state, Key key, std::uint64_t& work) const;

  void explain(const State& state, const Reason& reason, Lit lit, std::int32_t at, bool generalise,
               std::vector<Lit>& premises, std::vector<ItemIndex>& members) const;

  [[nodiscard]] std::size_t size() const { return sums_.size(); }

 private:
  struct Term {
    Key key;  ///< the order that makes it count
    ItemIndex item;
    Value length;
  };
  /// Two sections, and their members in shared_: common, of the first alone, of the second alone.
  struct Pair {
    std::uint32_t s, t;
    std::uint32_t common, only_s, only_t, end;
  };
  /// Of a member of one section alone.
  struct Apart {
    Value length;
    ItemIndex item;
    bool of_s;
  };
  /// The addresses of the members of a section, and the sum of their lengths.
  struct Load {
    Value low, high, sum;
  };
  struct Sum {
    Value room = 0;  ///< the capacity without i and C
    Value now = 0;   ///< sum of the terms that count
    std::uint32_t begin = 0;
    std::uint32_t end = 0;  ///< its terms, the longest first
    std::uint32_t shared_begin = 0;
    std::uint32_t shared_end = 0;  ///< i and C, in shared_
  };
  struct Use {
    std::uint32_t sum;
    Value length;
  };
  [[nodiscard]] std::span<const Use> uses(Key key) const {
    return {uses_.data() + use_begin_[key], uses_.data() + use_begin_[key + 1]};
  }
  void find_pairs(const OrderRules& orders, const SectionRules& sections, Poll& poll);
  void measure(const State& state, const OrderRules& orders, const SectionRules& sections);
  void list_uses();
  void add(const OrderRules& orders, ItemIndex centre, Sum sum, bool s_below);

  std::vector<Pair> pairs_;   // the most similar sections first
  std::vector<Load> loads_;   // by section
  std::vector<Apart> apart_;  // reused: of the present pair, the longest first
  std::vector<Sum> sums_;
  std::vector<Term> terms_;
  std::vector<ItemIndex> shared_;         // per pair of sections: their members
  std::vector<Use> uses_;                 // sorted by key
  std::vector<std::uint32_t> use_begin_;  // by key; one more at the end
};

}  // namespace tessera::search::learning
