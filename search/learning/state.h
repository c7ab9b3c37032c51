// Bounds, the trail of their changes, and backtracking.
//
//   State state;
//   Var v = state.add_offset(/*span=*/8, /*stride=*/1, /*low=*/0, /*high=*/-64);
//   state.raise({key_of(v, 0), 16}, {.rule = Rule::root});
#pragma once

#include "literal.h"
#include "model/poll.h"

namespace tessera::search::learning {

struct Entry {
  Value value = 0;   ///< the new bound
  Value before = 0;  ///< the bound it replaced
  Reason reason;
  Key key = no_key;
  std::int32_t previous = -1;  ///< the previous entry of this key
  std::int32_t level = 0;
};

/// A literal that cannot be made true because its opposite is true.
struct Clash {
  Lit lit;
  Reason reason;
};

class State {
 public:
  Var add_bool();
  /// An offset o with low <= o and -(o + span) >= high, a multiple of `stride`.
  Var add_offset(Value span, Value stride, Value low, Value high);
  /// Forgets all bounds and the trail: every variable is as it was added.
  void renew();
  /// Another span for an offset, whose bounds become `low` and `high`.
  /// require: the trail is empty.
  void renew_offset(Var var, Value span, Value low, Value high);

  [[nodiscard]] std::size_t variables() const { return span_.size(); }
  [[nodiscard]] bool is_bool(Var var) const { return span_[var] < 0; }
  [[nodiscard]] Value span(Var var) const { return span_[var]; }
  [[nodiscard]] Value stride(Var var) const { return stride_[var]; }
  [[nodiscard]] Value bound(Key key) const { return bound_[key]; }
  [[nodiscard]] bool holds(Lit lit) const { return bound_[lit.key] >= lit.value; }
  [[nodiscard]] bool fails(Lit lit) const {
    return bound_[opposite(lit.key)] >= negation_value(lit);
  }
  [[nodiscard]] Lit negation(Lit lit) const { return {opposite(lit.key), negation_value(lit)}; }
  /// The weakest equivalent literal: what a bound has to reach so that rounding makes `lit` true.
  [[nodiscard]] Lit unrounded(Lit lit) const {
    return {lit.key, rounded(lit).value - (stride_[var_of(lit.key)] - 1)};
  }
  /// The strongest equivalent literal, given the stride.
  [[nodiscard]] Lit rounded(Lit lit) const;
  /// Booleans: decided. Offsets: a single value left.
  [[nodiscard]] bool fixed(Var var) const {
    return is_bool(var) ? bound_[2 * var] + bound_[2 * var + 1] > 0
                        : bound_[2 * var] + bound_[2 * var + 1] + span_[var] == 0;
  }

  /// Makes the literal true. False: it is impossible, and clash() has the literal. Throws
  /// BudgetEnded if bounds were raised so often that they seem to rise forever: alignments of
  /// buffers that are tied to each other may contradict in a memory without a capacity.
  bool raise(Lit lit, const Reason& reason) {
    if (bound_[lit.key] >= lit.value) return true;
    return push(lit, reason);
  }
  [[nodiscard]] const Clash& clash() const { return clash_; }

  [[nodiscard]] std::int32_t level() const { return level_; }
  void open_level() {
    level_start_.push_back(static_cast<std::int32_t>(trail_.size()));
    ++level_;
  }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(trail_.size()); }
  [[nodiscard]] const Entry& entry(std::int32_t at) const {
    return trail_[static_cast<std::size_t>(at)];
  }
  /// Undoes the last entry.
  void pop();
  /// Trail length at the begin of `level` + 1.
  [[nodiscard]] std::int32_t start_above(std::int32_t level) const {
    return level_start_[static_cast<std::size_t>(level)];
  }
  void close_levels(std::int32_t level);
  /// At level 0: the trail becomes the initial state.
  void forget_trail();

  /// The earliest entry that makes a true literal true; -1 if it is initially true.
  [[nodiscard]] std::int32_t entry_of(Lit lit) const;
  /// The bound of `key` just before trail position `at`.
  [[nodiscard]] Value bound_before(Key key, std::int32_t at) const;
  [[nodiscard]] bool held_before(Lit lit, std::int32_t at) const {
    return bound_before(lit.key, at) >= lit.value;
  }

 private:
  [[nodiscard]] Value negation_value(Lit lit) const {
    return 1 - lit.value - span_[var_of(lit.key)];
  }
  bool push(Lit lit, const Reason& reason);

  std::vector<Value> bound_;          // by key
  std::vector<std::int32_t> latest_;  // by key: its last entry
  std::vector<Value> span_;           // by variable
  std::vector<Value> stride_;         // by variable
  std::vector<Value> anchor_;  // by key: a value from which its bound is a multiple of strides away
  std::vector<Entry> trail_;
  std::vector<std::int32_t> level_start_;
  std::int32_t level_ = 0;
  Clash clash_;
};

}  // namespace tessera::search::learning
