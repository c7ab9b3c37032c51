// Rules about pairs: edges (longest paths), orders forced by bounds, transitivity.
//
//   Key below = rules.add_pair(state, i, j);  // true: item i below item j, false: j below i
//
// An edge is a literal that implies start_target >= start_source + weight.
#pragma once

#include "model/poll.h"
#include "state.h"

namespace tessera::search::learning {

using ItemIndex = std::uint32_t;
inline constexpr ItemIndex no_item = ~ItemIndex{0};

/// An item occupies addresses: a buffer, or its part during some steps.
struct Item {
  Var var = 0;
  Value shift[2] = {0, 0};  ///< start of the item minus start of the variable, on each side
  Value length = 0;
};

struct Edge {
  Var source = 0;
  Var target = 0;
  Value weight[2] = {0, 0};  ///< side 0: source to target; side 1: target to source
  ItemIndex lower = no_item;
  ItemIndex upper = no_item;
};

class OrderRules {
 public:
  explicit OrderRules(bool triangles) : triangles_(triangles) {}

  ItemIndex add_item(const State& state, Var var, Value begin, Value end);
  /// Two items that must not overlap: one literal, whose negation is the opposite order.
  Key add_pair(State& state, ItemIndex i, ItemIndex j);
  /// Two items that may overlap: one literal for each order; both may be false.
  std::pair<Key, Key> add_loose_pair(State& state, ItemIndex i, ItemIndex j);
  /// Two parts that are separated because items i and j are: they share the literal.
  void same_pair(ItemIndex part_i, ItemIndex part_j, ItemIndex i, ItemIndex j) {
    aliases_.push_back({part_i, part_j, i, j});
  }
  /// `key` true => offset of target >= offset of source + distance.
  void add_edge(const State& state, Key key, Var source, Var target, Value distance);
  /// Call once after the last item, pair and edge.
  void finish(const State& state, Poll& poll);
  /// Forgets all known orders, and takes the lengths of items from the spans of their variables.
  /// require: every item is a whole variable, and every edge is that of a pair.
  void renew(const State& state);

  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] Key below(ItemIndex i, ItemIndex j) const { return pair_[i * stride_ + j]; }
  [[nodiscard]] const Edge* edge(Key key) const {
    return key < edges_.size() && edges_[key].source != edges_[key].target ? &edges_[key] : nullptr;
  }
  /// Is i known to be below j (side 0), or above it (side 1)?
  [[nodiscard]] bool precedes(ItemIndex i, ItemIndex j, unsigned side) const {
    return (after_[side][i * words_ + j / 64] >> (j % 64) & 1) != 0;
  }

  /// Transitivity for a pair entry of the trail. False on a clash.
  bool propagate_pair(State& state, Key key);
  void undo_pair(Key key);
  /// For a bound entry: edges from the variable, and edges that do not fit any longer. For a
  /// Boolean: its own edge. False on a clash, or on a cycle().
  bool propagate_edges(State& state, Key key, std::uint64_t& work);

  /// Call at the begin of each propagation.
  void begin_round() {
    ++round_;
    cycle_.clear();
  }
  /// True edges that raise each other without end, so that no offsets satisfy them. Without this
  /// rule their bounds would rise step by step up to the capacity, or forever.
  [[nodiscard]] const std::vector<Key>& cycle() const { return cycle_; }

  /// Premises of a literal that `reason` made true just before trail position `at`.
  void explain(const State& state, const Reason& reason, Lit lit, std::int32_t at, bool generalise,
               std::vector<Lit>& premises) const;

 private:
  struct Arc {
    Key lit;
    Var target;
    Value weight;
  };
  bool follow(State& state, Key key, const Edge& edge);
  /// Raises the bound that an edge implies. False on a clash, or on a cycle().
  bool raise(State& state, Lit lit, Key edge, unsigned side);
  bool find_cycle(const State& state, Key key);
  void set_pair(ItemIndex i, ItemIndex j, Key key);

  bool triangles_;
  std::vector<Item> items_;
  std::vector<Edge> edges_;             // by literal key
  std::vector<std::vector<Arc>> arcs_;  // by key of the source variable
  std::vector<Key> pair_;               // items x items: the literal "row below column"
  std::size_t stride_ = 0;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> after_[2];  // items x items: known orders; [1] is the transpose
  std::vector<std::uint64_t> related_;   // items x items: has a pair literal
  struct Pair {
    ItemIndex i, j;
    Key key;
  };
  struct Alias {
    ItemIndex part_i, part_j, i, j;
  };
  struct Raised {
    std::uint32_t round = 0;
    std::uint32_t times = 0;
  };
  std::vector<Raised> raised_;       // by key of an offset: how often edges raised it in this round
  std::vector<std::int32_t> place_;  // by key: position on the path of find_cycle(), -1: not on it
  std::uint32_t round_ = 0;
  std::vector<Key> cycle_;
  std::vector<Pair> pairs_;  // until finish()
  std::vector<Alias> aliases_;
};

}  // namespace tessera::search::learning
