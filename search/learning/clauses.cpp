#include "clauses.h"

#include <algorithm>

namespace tessera::search::learning {
namespace {

constexpr std::uint32_t least_glue = 2;  // clauses with at most this glue are kept forever

}  // namespace

ClauseRef ClauseDb::add(std::span<const Lit> lits, const State& state, bool learned,
                        std::uint32_t glue) {
  const auto ref = static_cast<ClauseRef>(heads_.size());
  Head head;
  head.begin = static_cast<std::uint32_t>(arena_.size());
  head.size = static_cast<std::uint32_t>(lits.size());
  head.glue = glue;
  head.learned = learned;
  head.activity = step_;
  heads_.push_back(head);
  arena_.insert(arena_.end(), lits.begin(), lits.end());
  watch(state, lits[0], lits[1], ref);
  watch(state, lits[1], lits[0], ref);
  if (learned) ++learned_;
  return ref;
}

void ClauseDb::clear() {
  arena_.clear();
  heads_.clear();
  for (auto& list : watches_) list.clear();
  learned_ = 0;
  passing_from_ = 0;
  step_ = 1;
}

bool ClauseDb::propagate(State& state, Key key, std::uint64_t& work) {
  auto& list = watches_[key];
  work += list.size();
  const Value now = state.bound(key);
  std::size_t kept = 0;
  for (std::size_t at = 0; at < list.size(); ++at) {
    const Watch seen = list[at];
    if (seen.threshold > now || state.holds(seen.blocker)) {
      list[kept++] = seen;
      continue;
    }
    const Head& head = heads_[seen.clause];
    Lit* lits = arena_.data() + head.begin;
    if (lits[0].key == opposite(key)) std::swap(lits[0], lits[1]);
    if (state.holds(lits[0])) {
      list[kept++] = {seen.threshold, lits[0], seen.clause};
      continue;
    }
    bool moved = false;
    for (std::uint32_t k = 2; k < head.size && !moved; ++k) {
      if (state.fails(lits[k])) continue;
      std::swap(lits[1], lits[k]);
      watch(state, lits[1], lits[0], seen.clause);
      moved = true;
    }
    if (moved) continue;
    list[kept++] = {seen.threshold, lits[0], seen.clause};
    if (!state.raise(lits[0], {.rule = Rule::clause, .a = seen.clause})) {
      for (++at; at < list.size(); ++at) list[kept++] = list[at];
      list.resize(kept);
      return false;
    }
  }
  list.resize(kept);
  return true;
}

void ClauseDb::bump(ClauseRef ref) {
  Head& head = heads_[ref];
  if (!head.learned) return;
  head.activity += step_;
  if (head.activity < 1e20F) return;
  for (Head& each : heads_) each.activity *= 1e-20F;
  step_ *= 1e-20F;
}

std::vector<std::uint64_t> ClauseDb::reduce(const State& state) {
  std::vector<ClauseRef> candidates;
  for (ClauseRef ref = 0; ref < heads_.size(); ++ref)
    if (heads_[ref].learned && heads_[ref].glue > least_glue) candidates.push_back(ref);
  std::sort(candidates.begin(), candidates.end(), [this](ClauseRef a, ClauseRef b) {
    return heads_[a].activity != heads_[b].activity ? heads_[a].activity < heads_[b].activity
                                                    : a < b;
  });
  candidates.resize(candidates.size() / 2);
  std::vector<std::uint64_t> forgotten;
  for (const ClauseRef ref : candidates) {
    heads_[ref].dead = true;
    forgotten.push_back(heads_[ref].id);
  }
  rebuild(state);
  return forgotten;
}

std::vector<std::uint64_t> ClauseDb::drop(const State& state) {
  std::vector<std::uint64_t> forgotten;
  for (ClauseRef ref = passing_from_; ref < heads_.size(); ++ref) {
    Head& head = heads_[ref];
    head.dead = head.passing && head.glue > least_glue;
    head.passing = false;
    if (head.dead) forgotten.push_back(head.id);
  }
  if (!forgotten.empty()) rebuild(state);
  passing_from_ = static_cast<ClauseRef>(heads_.size());
  return forgotten;
}

void ClauseDb::rebuild(const State& state) {
  std::vector<Lit> arena;
  std::vector<Head> heads;
  arena.reserve(arena_.size());
  for (auto& list : watches_) list.clear();
  learned_ = 0;
  for (const Head& old : heads_) {
    if (old.dead) continue;
    Head head = old;
    head.begin = static_cast<std::uint32_t>(arena.size());
    arena.insert(arena.end(), arena_.begin() + old.begin, arena_.begin() + old.begin + old.size);
    heads.push_back(head);
    if (head.learned) ++learned_;
  }
  arena_.swap(arena);
  heads_.swap(heads);
  passing_from_ = 0;
  for (ClauseRef ref = 0; ref < heads_.size(); ++ref) {
    // At level 0 a clause has a true literal or two literals that can still become true.
    Lit* lits = arena_.data() + heads_[ref].begin;
    for (std::uint32_t watched = 0; watched < 2; ++watched)
      for (std::uint32_t k = watched + 1; k < heads_[ref].size && state.fails(lits[watched]); ++k)
        if (!state.fails(lits[k])) std::swap(lits[watched], lits[k]);
    watch(state, lits[0], lits[1], ref);
    watch(state, lits[1], lits[0], ref);
  }
}

}  // namespace tessera::search::learning
