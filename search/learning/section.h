// Sections: the items live at one step share one axis without overlap, a one-machine scheduling
// problem.
//
// Written for side 0 in terms of scheduling (start, earliest, latest end), and run for both sides.
// Rules: overload, edge finding, precedence energy, not-first. With the orders forced by bounds
// (order.h), the energy rule is "detectable precedences". Sources: Carlier and Pinson 1994;
// Baptiste, Le Pape, Nuijten, "Constraint-Based Scheduling", chapters 2 and 4; Vilim 2009 for
// explanations that spend their slack.
#pragma once

#include <span>

#include "engine.h"
#include "order.h"

namespace tessera::search::learning {

struct Member {
  ItemIndex item = no_item;
  Key present = no_key;  ///< counts only while this literal is true; no_key: always
};

/// The largest e + sum over the members that start at e or later, with insertion: the Theta-tree of
/// Vilim 2004, with leaves by earliest start.
class FullestWindow {
 public:
  void clear(std::size_t leaves);
  void insert(std::size_t leaf, Value start, Value length);
  [[nodiscard]] Value completion() const { return nodes_[1].completion; }

 private:
  struct Node {
    Value sum = 0;
    Value completion = 0;
  };
  std::vector<Node> nodes_;
  std::size_t leaves_ = 1;
};

class SectionRules {
 public:
  SectionRules(const LearningParams& params, const OrderRules& orders)
      : params_(params), orders_(orders) {}

  /// Unplaced members of a section, for floor() and the place search.
  struct Open {
    Var var;
    Key present;
    Value shift[2];
    Value length;
  };
  [[nodiscard]] std::span<const Open> open(std::uint32_t section) const {
    return sections_[section].open;
  }

  /// `in_time`: the section of one step; such sections are added in the order of steps.
  void add_section(std::vector<Member> members, bool in_time);
  [[nodiscard]] bool in_time(std::uint32_t section) const { return sections_[section].in_time; }
  void finish(const State& state, Poll& poll);
  /// After OrderRules::renew(): takes the lengths of items anew, and marks every section.
  void renew();
  [[nodiscard]] std::size_t size() const { return sections_.size(); }
  [[nodiscard]] std::span<const Member> members(std::uint32_t section) const {
    return sections_[section].members;
  }

  /// Marks the sections of a changed bound, membership or order.
  void touch(const State& state, Key key);
  void forget_touched();
  [[nodiscard]] bool pending() const { return head_ < queue_.size(); }
  /// Visits one marked section. False on a clash of `state` or an overload (see conflict()).
  bool propagate(State& state, std::uint64_t& work);
  /// A light substitute for the section rules: all unplaced members have to fit above the lowest
  /// start (section inference of the canonical search). Marked by changed starts only.
  void touch_floor(const State& state, Key key);
  bool floor(State& state, std::uint64_t& work);
  /// Marks every section.
  void wake();
  /// The reason if the last refusal of propagate() was an overload; else null.
  [[nodiscard]] const Reason* overload() const { return overloaded_ ? &overload_ : nullptr; }

  void explain(const State& state, const Reason& reason, Lit lit, std::int32_t at,
               std::vector<Lit>& premises, std::vector<ItemIndex>& members) const;

 private:
  struct Section {
    std::vector<Member> members;
    std::vector<Open> open;                  ///< members for floor()
    std::vector<std::uint32_t> by_start[2];  ///< positions sorted by earliest start, kept sorted
    std::uint64_t seen = 0;                  ///< the clock of the last visit
    bool queued = false;
    bool in_time = true;
  };
  /// One side's view of the members in the open window, sorted by earliest start.
  struct View {
    std::vector<Value> start, end, length;
    std::vector<std::uint32_t> member;
    std::vector<std::uint32_t> by_end;  ///< positions in the view, latest end ascending
  };
  void enqueue(std::uint32_t id) {
    if (sections_[id].queued) return;
    sections_[id].queued = true;
    queue_.push_back(id);
  }
  std::uint32_t dequeue();
  void gather(const State& state, Section& section);
  bool windows(State& state, std::uint32_t id, unsigned side);
  bool window(State& state, std::uint32_t id, unsigned side, Value l);
  bool energy(State& state, std::uint32_t id, unsigned side);
  bool not_first(State& state, std::uint32_t id, unsigned side);
  bool push_beyond(State& state, std::uint32_t id, unsigned side, std::uint32_t who, Value e,
                   Value l);
  [[nodiscard]] Value earliest(const State& state, const Item& item, unsigned side) const {
    return state.bound(key_of(item.var, side)) + item.shift[side];
  }

  const LearningParams& params_;
  const OrderRules& orders_;
  std::vector<Section> sections_;
  std::vector<std::vector<std::uint32_t>> of_item_;  // by item, ascending
  std::vector<std::vector<std::uint32_t>> of_var_;   // by variable
  std::vector<std::uint32_t> queue_;
  std::size_t head_ = 0;
  View view_[2];
  std::vector<std::int32_t> place_;  // member -> position in view_[0] / view_[1]
  std::vector<Value> completion_;    // reused by windows()
  std::vector<Value> longest_;       // reused by windows()
  // When a start (by key) or the known orders (by item and side) last changed. Anything unchanged
  // since a section's last fixpoint gives no new bound there.
  std::uint64_t clock_ = 1;
  std::vector<std::uint64_t> start_changed_;
  std::vector<std::uint64_t> order_changed_[2];
  std::vector<std::uint32_t> changed_;  // reused by energy()
  FullestWindow fullest_;
  bool overloaded_ = false;
  Reason overload_;
};

}  // namespace tessera::search::learning
