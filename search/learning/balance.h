// Balance: two sections that share a member, what lies below it in the one, above it in the other.
//
// Let item i be live in the sections S and T, C the other members they share, P members of T alone
// that lie below i, Q members of S alone that lie above i. C and P are pairwise apart (in T), C and
// Q are (in S), and P and Q are because i lies between them, though they may never be live at
// one time. So all of them share one axis:
//
//   length(i) + sum of C + sum of P + sum of Q <= room
//
// Nothing is asked about the order of C, most of a section where few buffers come and go: it
// cancels out. In a full memory it says that under every buffer that stays as much comes as goes.
// The section rules find that only once the orders of C are known. What remains is a sum of lengths
// over order literals with a limit, and its explanations are orders alone.
#pragma once

#include <span>
#include <vector>

#include "section.h"

namespace tessera::search::learning {

class BalanceRules {
 public:
  /// Call once, after the sections are complete. `wanted` false: no sums, nothing is propagated.
  void finish(const State& state, const OrderRules& orders, const SectionRules& sections,
              bool wanted, Poll& poll);

  /// The literal became true; taken back by undo().
  void count(Key key) {
    for (const Use& use : uses(key)) sums_[use.sum].now += use.length;
  }
  void undo(Key key) {
    for (const Use& use : uses(key)) sums_[use.sum].now -= use.length;
  }
  /// Refuses what no longer fits beside `key`, which was counted. False on a clash.
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
  struct Sum {
    Value room = 0;  ///< what i and C leave of it
    Value now = 0;   ///< terms that count
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
  void list_uses();
  void add(const OrderRules& orders, ItemIndex centre, Sum sum, std::span<const ItemIndex> below,
           std::span<const ItemIndex> above);

  std::vector<Sum> sums_;
  std::vector<Term> terms_;
  std::vector<ItemIndex> shared_;         // by every two sections: the members of both
  std::vector<Use> uses_;                 // sorted by key
  std::vector<std::uint32_t> use_begin_;  // by key; one more at the end
};

}  // namespace tessera::search::learning
