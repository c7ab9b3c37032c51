#include "analysis.h"

#include <algorithm>

namespace tessera::search::learning {
namespace {

constexpr int deepest = 12;  // recursion limit of the minimiser

}  // namespace

void Analysis::demand(Lit lit) {
  const State& state = deduction_.state;
  const std::int32_t at = state.entry_of(lit);
  if (at < 0) return;
  const auto index = static_cast<std::size_t>(at);
  if (mark_[index] != Mark::none) {
    wanted_[index] = std::max(wanted_[index], lit.value);
    return;
  }
  const std::int32_t level = state.entry(at).level;
  if (level == 0) return;
  mark_[index] = Mark::demanded;
  wanted_[index] = lit.value;
  touched_.push_back(at);
  if (level == level_)
    ++open_;
  else
    lower_.push_back(at);
}

std::int32_t Analysis::level_of(const Lemma& conflict) const {
  std::int32_t level = 0;
  for (const Lit& lit : conflict.premises) {
    const std::int32_t at = deduction_.state.entry_of(lit);
    if (at >= 0) level = std::max(level, deduction_.state.entry(at).level);
  }
  return level;
}

void Analysis::note(const Lemma& lemma, Learned& learned) const {
  learned.exact = learned.exact || deduction_.exact(lemma.reason, lemma.conclusion.key);
  switch (lemma.reason.rule) {
    case Rule::overload:
    case Rule::edge_finding:
    case Rule::energy:
    case Rule::not_first:
      learned.sections.push_back(lemma.reason.a);
      break;
    default:
      break;
  }
}

void Analysis::run(const Lemma& conflict, Learned& learned) {
  const State& state = deduction_.state;
  learned.lits.clear();
  learned.seen.clear();
  learned.antecedents.clear();
  learned.sections.clear();
  learned.back_to = 0;
  learned.exact = false;
  note(conflict, learned);
  removed_.clear();
  if (record_) learned.antecedents.push_back(conflict);
  level_ = state.level();

  if (mark_.size() < static_cast<std::size_t>(state.size())) {
    mark_.resize(static_cast<std::size_t>(state.size()), Mark::none);
    wanted_.resize(mark_.size());
  }
  open_ = 0;
  lower_.clear();
  for (const Lit& lit : conflict.premises) demand(lit);

  if (spare_.empty()) spare_.resize(deepest + 2);
  std::int32_t at = state.size() - 1;
  for (;; --at) {
    const auto index = static_cast<std::size_t>(at);
    if (mark_[index] == Mark::none || state.entry(at).level != level_) continue;
    const Lit lit{state.entry(at).key, wanted_[index]};
    learned.seen.push_back(var_of(lit.key));
    if (--open_ == 0) {
      learned.lits.push_back(state.rounded(state.negation(lit)));
      break;
    }
    mark_[index] = Mark::none;
    Lemma& lemma = spare_[0];
    deduction_.explain(at, lit, lemma);
    note(lemma, learned);
    if (lemma.reason.rule == Rule::clause) deduction_.clauses.bump(lemma.reason.a);
    for (const Lit& premise : lemma.premises) demand(premise);
    if (record_) learned.antecedents.push_back(lemma);
  }
  std::sort(lower_.begin(), lower_.end(), std::greater<>());
  implied_exact_ = false;
  if (minimise_) minimise();
  learned.exact = learned.exact || implied_exact_;
  drop_weaker(opposite(learned.lits[0].key));

  ++stamp_;
  if (level_seen_.size() <= static_cast<std::size_t>(level_))
    level_seen_.resize(static_cast<std::size_t>(level_) + 1, 0);
  learned.glue = 1;
  for (const std::int32_t low : lower_) {
    const Entry& entry = state.entry(low);
    learned.seen.push_back(var_of(entry.key));
    if (level_seen_[static_cast<std::size_t>(entry.level)] != stamp_) {
      level_seen_[static_cast<std::size_t>(entry.level)] = stamp_;
      ++learned.glue;
    }
    learned.lits.push_back(
        state.rounded(state.negation({entry.key, wanted_[static_cast<std::size_t>(low)]})));
    if (entry.level > learned.back_to) {
      learned.back_to = entry.level;
      std::swap(learned.lits[1], learned.lits.back());
    }
  }
  for (const std::int32_t each : touched_) mark_[static_cast<std::size_t>(each)] = Mark::none;
  touched_.clear();
  for (Lemma& lemma : removed_) learned.antecedents.push_back(std::move(lemma));
  std::stable_sort(learned.antecedents.begin(), learned.antecedents.end(),
                   [](const Lemma& a, const Lemma& b) { return a.at < b.at; });
}

void Analysis::decisions_for(Lit lit, std::vector<Lit>& decisions, std::vector<Lemma>* lemmas) {
  const State& state = deduction_.state;
  decisions.clear();
  std::vector<Value> wanted(static_cast<std::size_t>(state.size()));
  std::vector<char> asked(static_cast<std::size_t>(state.size()), 0);
  Lemma lemma;
  const auto ask = [&](Lit each) {
    const std::int32_t at = state.entry_of(each);
    if (at < 0 || state.entry(at).level == 0) return;
    const auto index = static_cast<std::size_t>(at);
    wanted[index] = asked[index] != 0 ? std::max(wanted[index], each.value) : each.value;
    asked[index] = 1;
  };
  ask(lit);
  for (std::int32_t at = state.size() - 1; at >= 0; --at) {
    if (asked[static_cast<std::size_t>(at)] == 0) continue;
    const Lit each{state.entry(at).key, wanted[static_cast<std::size_t>(at)]};
    if (state.entry(at).reason.rule == Rule::decision) {
      decisions.push_back(each);
      continue;
    }
    deduction_.explain(at, each, lemma);
    for (const Lit& premise : lemma.premises) ask(premise);
    if (lemmas != nullptr) lemmas->push_back(lemma);
  }
  if (lemmas != nullptr) std::reverse(lemmas->begin(), lemmas->end());
}

// Of two literals on the same bound, the weaker one is redundant.
void Analysis::drop_weaker(Key asserted) {
  ++stamp_;
  key_seen_.resize(2 * deduction_.state.variables(), 0);
  key_seen_[asserted] = stamp_;
  std::erase_if(lower_, [&](std::int32_t low) {
    std::int32_t& seen = key_seen_[deduction_.state.entry(low).key];
    const bool again = seen == stamp_;
    seen = stamp_;
    return again;
  });
}

// Is the literal implied by demanded literals before it (and by level 0)?
bool Analysis::implied(std::int32_t at, Lit lit, int depth) {
  const State& state = deduction_.state;
  const Entry& entry = state.entry(at);
  if (entry.reason.rule == Rule::decision || depth > deepest) return false;
  if (level_seen_[static_cast<std::size_t>(entry.level)] != stamp_) return false;
  Lemma& lemma = spare_[static_cast<std::size_t>(depth)];
  deduction_.explain(at, lit, lemma);
  for (std::size_t k = 0; k < lemma.premises.size(); ++k) {
    const Lit premise = lemma.premises[k];
    const std::int32_t from = state.entry_of(premise);
    if (from < 0 || state.entry(from).level == 0) continue;
    const auto index = static_cast<std::size_t>(from);
    const Mark mark = mark_[index];
    if (mark == Mark::demanded || mark == Mark::redundant) {
      if (wanted_[index] >= premise.value) continue;
      return false;
    }
    if (mark == Mark::needed) return false;
    wanted_[index] = premise.value;
    touched_.push_back(from);
    if (!implied(from, premise, depth + 1)) {
      mark_[index] = Mark::needed;
      return false;
    }
    mark_[index] = Mark::redundant;
  }
  implied_exact_ = implied_exact_ || deduction_.exact(lemma.reason, lemma.conclusion.key);
  if (record_) removed_.push_back(lemma);
  return true;
}

void Analysis::minimise() {
  const State& state = deduction_.state;
  ++stamp_;
  if (level_seen_.size() <= static_cast<std::size_t>(level_))
    level_seen_.resize(static_cast<std::size_t>(level_) + 1, 0);
  for (const std::int32_t low : lower_)
    level_seen_[static_cast<std::size_t>(state.entry(low).level)] = stamp_;
  std::vector<std::int32_t> kept;
  for (const std::int32_t low : lower_) {
    const auto index = static_cast<std::size_t>(low);
    if (implied(low, {state.entry(low).key, wanted_[index]}, 0))
      mark_[index] = Mark::redundant;
    else
      kept.push_back(low);
  }
  lower_.swap(kept);
}

}  // namespace tessera::search::learning
