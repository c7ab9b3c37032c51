#include "search.h"

#include <algorithm>

namespace tessera::learning {
namespace {

constexpr std::int64_t turn_unit = 64;   // conflicts of the shortest turn of the order search
constexpr std::int64_t place_unit = 48;  // and of the place search
constexpr double activity_decay = 0.95;

/// 1 1 2 1 1 2 4 ... (Luby, Sinclair, Zuckerman 1993), from 0.
std::int64_t luby(std::int64_t at) {
  std::int64_t size = 1;
  std::int64_t power = 1;
  while (size < at + 1) {
    size = 2 * size + 1;
    power *= 2;
  }
  while (size - 1 != at) {
    size = (size - 1) / 2;
    power /= 2;
    at %= size;
  }
  return power;
}

}  // namespace

Search::Search(Deduction& deduction, Plan plan, const LearningParams& params, std::uint64_t seed,
               Recorder* recorder)
    : deduction_(deduction),
      plan_(std::move(plan)),
      params_(params),
      recorder_(recorder),
      analysis_(deduction, params.minimise, recorder != nullptr),
      order_(plan_.canonical.empty() ? 0 : seed % plan_.canonical.size()) {
  for (const auto& [var, activity] : plan_.bools) heap_.add(var, activity);
  phase_ = plan_.phase;
  placing_ = params_.place_search;
  ground_.resize(deduction_.state.variables(), 0);
  placed_.resize(deduction_.state.variables(), 0);
  for (const Var var : plan_.offsets) ground_[var] = deduction_.state.bound(key_of(var, 0));
  turn_left_ = placing_ ? place_unit : turn_unit;
}

void Search::backtrack(std::int32_t level) {
  const State& state = deduction_.state;
  if (level >= state.level()) return;
  for (std::int32_t at = state.start_above(level); at < state.size(); ++at) {
    const Key key = state.entry(at).key;
    if (!state.is_bool(var_of(key))) continue;
    phase_[var_of(key)] = static_cast<std::int8_t>(side_of(key));
    heap_.insert(var_of(key));
  }
  deduction_.backtrack(level);
}

void Search::restart() {
  backtrack(0);
}

void Search::refuted_at_root(const Lemma& conflict) {
  if (recorder_ == nullptr) return;
  settle_root();
  recorder_->learned({}, {&conflict, 1});
}

// What level 0 found out becomes part of the problem, and of the derivation.
void Search::settle_root() {
  const State& state = deduction_.state;
  if (recorder_ != nullptr) {
    Lemma lemma;
    for (std::int32_t at = 0; at < state.size(); ++at) {
      const Entry& entry = state.entry(at);
      if (entry.reason.rule == Rule::root) continue;
      const Lit lit{entry.key, entry.value};
      deduction_.explain(at, lit, lemma);
      recorder_->learned({&lit, 1}, {&lemma, 1});
    }
  }
  deduction_.settle();
}

bool Search::resolve_conflict() {
  deduction_.conflict(conflict_);
  ++counters_.conflicts;
  --turn_left_;
  backtrack(analysis_.level_of(conflict_));
  if (deduction_.state.level() == 0) {
    refuted_at_root(conflict_);
    return false;
  }
  analysis_.run(conflict_, learned_);
  for (const Var var : learned_.seen)
    if (deduction_.state.is_bool(var)) heap_.bump(var);
  heap_.decay(activity_decay);
  deduction_.clauses.decay();
  counters_.learned_literals += static_cast<std::int64_t>(learned_.lits.size());
  if (guard) guard(learned_.lits);
  std::uint64_t id = 0;
  if (recorder_ != nullptr) id = recorder_->learned(learned_.lits, learned_.antecedents);
  backtrack(learned_.back_to);
  Reason reason{.rule = Rule::root};
  if (learned_.lits.size() > 1) {
    const ClauseRef ref =
        deduction_.clauses.add(learned_.lits, deduction_.state, true, learned_.glue);
    deduction_.clauses.head(ref).id = id;
    reason = {.rule = Rule::clause, .a = ref};
  }
  deduction_.state.raise(learned_.lits[0], reason);
  return true;
}

Lit Search::lowest_of(Var var) const {
  const State& state = deduction_.state;
  return {key_of(var, 1), -(state.bound(key_of(var, 0)) + state.span(var))};
}

Lit Search::decide_bool() {
  const State& state = deduction_.state;
  while (!heap_.empty()) {
    const Var var = heap_.pop();
    if (state.fixed(var)) continue;
    std::int8_t side = phase_[var];
    if (side < 0) {
      // The order that leaves more room.
      Value room[2] = {0, 0};
      for (unsigned s = 0; s < 2; ++s)
        if (const Edge* e = deduction_.orders.edge(key_of(var, s)))
          room[s] = -(state.bound(key_of(e->source, 0)) + e->weight[0] +
                      state.bound(key_of(e->target, 1)) + state.span(e->target));
      side = room[0] >= room[1] ? 0 : 1;
    }
    return {key_of(var, static_cast<unsigned>(side)), 1};
  }
  for (const Var var : plan_.canonical[order_])
    if (!state.fixed(var)) return lowest_of(var);
  return {};
}

bool Search::undecided(Var var, const Neighbour& neighbour) const {
  const State& state = deduction_.state;
  if (state.bound(neighbour.below) > 0 || state.bound(neighbour.above) > 0) return false;
  const auto& here = plan_.homes[var];
  const auto& there = plan_.homes[neighbour.var];
  for (std::size_t m = 0; m < here.size(); ++m)
    if (here[m] != no_key && there[m] != no_key && state.bound(here[m]) > 0 &&
        state.bound(there[m]) > 0)
      return true;
  return false;
}

// Canonical: nobody who is open would fit entirely below, and the buffer rests on the ground or on
// a placed one. A bound raised by a learned clause is neither: then somebody open has to go below,
// and trying the next address would be creeping.
bool Search::goes_lowest(Var var) const {
  const State& state = deduction_.state;
  const Value low = state.bound(key_of(var, 0));
  bool rests = low == ground_[var];
  for (const Neighbour& each : plan_.neighbours[var]) {
    const Value top = state.bound(key_of(each.var, 0)) + state.span(each.var);
    if (top > low) continue;
    if (by_address_ ? placed_[each.var] == 0 : undecided(var, each)) return false;
    if (placed_[each.var] != 0 && state.rounded({key_of(var, 0), top}).value == low) rests = true;
  }
  return rests;
}

// Two ways to say "as low as it can": its address, one decision, cheap; or below everybody who is
// open, one order after the other, so that a learned clause names the few orders that were wrong.
// Measured: neither wins everywhere, so turns alternate.
Lit Search::decide_place() {
  const State& state = deduction_.state;
  for (const Var var : plan_.first)
    if (!state.fixed(var))
      return {key_of(var, static_cast<unsigned>(std::max<int>(phase_[var], 0))), 1};
  const auto& order = plan_.canonical[order_];
  for (const Var var : order) {
    const auto open = [&](const Neighbour& each) { return undecided(var, each); };
    const auto& all = plan_.neighbours[var];
    placed_[var] = state.fixed(var) || (!by_address_ && std::none_of(all.begin(), all.end(), open));
  }
  for (const Var var : order) {
    if (placed_[var] != 0 || !goes_lowest(var)) continue;
    if (by_address_) return lowest_of(var);
    const Neighbour* next = nullptr;
    for (const Neighbour& each : plan_.neighbours[var])
      if (undecided(var, each) && state.bound(opposite(each.below)) == 0 &&
          (next == nullptr ||
           heap_.activity(var_of(each.below)) > heap_.activity(var_of(next->below))))
        next = &each;
    if (next != nullptr) return {next->below, 1};
  }
  return decide_bool();
}

Lit Search::decide() {
  return placing_ ? decide_place() : decide_bool();
}

// Order search: Luby's turns. Place search: every canonical order said both ways, then all of them
// again with twice the conflicts; a good order shows itself early, a bad one never.
void Search::next_turn() {
  ++counters_.restarts;
  if (params_.place_search && params_.order_search)
    placing_ = counters_.work[1] <= counters_.work[0];
  if (!placing_ || plan_.canonical.empty()) {
    turn_left_ = turn_unit * luby(turn_++);
    return;
  }
  ++placings_;
  const auto orders = static_cast<std::int64_t>(plan_.canonical.size());
  const std::int64_t round = std::min<std::int64_t>(placings_ / (2 * orders), 20);
  order_ = (order_ + 1) % plan_.canonical.size();
  if (placings_ % orders == 0) by_address_ = !by_address_;
  turn_left_ = place_unit << round;
}

Outcome Search::run(const Budget& budget, std::int64_t& conflicts_left, StopReason& stop) {
  const auto metered = [&] {
    if (budget.meter == nullptr) return false;
    const auto done = static_cast<std::int64_t>(counters_.work[0] + counters_.work[1]);
    budget.meter->done.store(done, std::memory_order_relaxed);
    return done >= budget.meter->limit.load(std::memory_order_relaxed);
  };
  const Outcome outcome = run_until(budget, metered, conflicts_left, stop);
  metered();
  return outcome;
}

Outcome Search::run_until(const Budget& budget, const std::function<bool()>& metered,
                          std::int64_t& conflicts_left, StopReason& stop) {
  State& state = deduction_.state;
  for (;;) {
    const std::uint64_t before = deduction_.work;
    const bool rest = deduction_.propagate();
    counters_.work[placing_ ? 1 : 0] += deduction_.work - before;
    if (!rest) {
      if (!resolve_conflict()) return Outcome::refuted;
      --conflicts_left;
      continue;
    }
    if (state.level() == 0) {
      settle_root();
      if (params_.reduce && static_cast<std::int64_t>(deduction_.clauses.learned()) > keep_) {
        const auto forgotten = deduction_.clauses.reduce(state);
        if (recorder_ != nullptr) recorder_->forgotten(forgotten);
        ++counters_.reductions;
        keep_ += 500;
      }
    }
    if (conflicts_left <= 0) {
      stop = StopReason::node_limit;
      return Outcome::stopped;
    }
    if ((counters_.decisions & 31) == 0) {
      if (metered()) {
        stop = StopReason::node_limit;
        return Outcome::stopped;
      }
      if (const auto reason = budget.exhausted()) {
        stop = *reason;
        return Outcome::stopped;
      }
    }
    if (params_.restarts && turn_left_ <= 0) {
      next_turn();
      backtrack(0);
      continue;
    }
    const Lit choice = decide();
    if (choice.key == no_key) return Outcome::solution;
    ++counters_.decisions;
    state.open_level();
    state.raise(choice, {.rule = Rule::decision});
  }
}

}  // namespace tessera::learning
