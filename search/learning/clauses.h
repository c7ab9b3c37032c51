// Clauses over all literals, with two watches each. A watch stores the bound at which it triggers.
#pragma once

#include <span>

#include "state.h"

namespace tessera::search::learning {

using ClauseRef = std::uint32_t;

class ClauseDb {
 public:
  struct Head {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t glue = 0;  ///< number of levels when learned, or a smaller number seen later
    float activity = 0;
    bool learned = false;
    bool dead = false;
    bool exact = false;    ///< holds for these sizes only (kept.h)
    bool passing = false;  ///< learned in a turn with light reasoning: many and long
    std::uint64_t id = 0;  ///< name in a proof
  };

  void finish(std::size_t keys) { watches_.resize(keys); }
  /// Removes all clauses.
  void clear();
  /// require: at least two literals, at most one per key. The first two are watched: in a unit or
  /// false clause, the first is the true one, and the second is the last that became false.
  ClauseRef add(std::span<const Lit> lits, const State& state, bool learned, std::uint32_t glue);

  /// Visits the clauses that the new bound of `key` may have made unit. False on a clash.
  bool propagate(State& state, Key key, std::uint64_t& work);

  [[nodiscard]] std::span<const Lit> lits(ClauseRef ref) const {
    return {arena_.data() + heads_[ref].begin, heads_[ref].size};
  }
  [[nodiscard]] const Head& head(ClauseRef ref) const { return heads_[ref]; }
  [[nodiscard]] Head& head(ClauseRef ref) { return heads_[ref]; }
  [[nodiscard]] std::size_t learned() const { return learned_; }
  [[nodiscard]] std::size_t count() const { return heads_.size(); }

  void bump(ClauseRef ref);
  void decay() { step_ *= 1.0F / 0.999F; }
  /// Removes the worse half of the learned clauses that are not reasons; at level 0 only. Returns
  /// the ids of the removed clauses.
  std::vector<std::uint64_t> reduce(const State& state);
  /// The same for passing clauses, except those with the least glue.
  std::vector<std::uint64_t> drop(const State& state);

 private:
  struct Watch {
    Value threshold;
    Lit blocker;
    ClauseRef clause;
  };
  void watch(const State& state, Lit lit, Lit blocker, ClauseRef ref) {
    const Lit woken = state.negation(lit);
    watches_[woken.key].push_back({woken.value, blocker, ref});
  }
  void rebuild(const State& state);

  std::vector<Lit> arena_;
  std::vector<Head> heads_;
  std::vector<std::vector<Watch>> watches_;  // by the key whose increase makes the literal false
  std::size_t learned_ = 0;
  ClauseRef passing_from_ = 0;  // no clause before this one is passing
  float step_ = 1;
};

}  // namespace tessera::search::learning
