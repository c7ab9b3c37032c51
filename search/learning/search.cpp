#include "search.h"

#include <algorithm>

#include "search/learning/luby.h"

namespace tessera::search::learning {
namespace {

constexpr std::int64_t turn_unit = 64;  // conflicts of the shortest turn of the order search
constexpr double activity_decay = 0.95;
constexpr double nearly_full = 0.9;
constexpr std::uint64_t work_between_checks = 200'000;  // some milliseconds

}  // namespace

Search::Search(Deduction& deduction, Plan plan, const LearningParams& params, std::uint64_t seed,
               Recorder* recorder)
    : deduction_(deduction),
      plan_(std::move(plan)),
      params_(params),
      recorder_(recorder),
      analysis_(deduction, params.minimise, recorder != nullptr),
      place_(deduction, plan_, seed) {
  for (const auto& [var, activity] : plan_.bools) heap_.add(var, activity);
  phase_ = plan_.phase;
  begin_turn(next_mode());
}

void Search::renew(const Plan& plan, bool exact_root) {
  plan_.traits = plan.traits;
  plan_.flatness = plan.flatness;
  for (const auto& [var, activity] : plan_.bools) heap_.insert(var);
  counters_ = {};
  assumed_.clear();
  units_.clear();
  exact_root_ = exact_root;
  keep_ = first_keep;
  turn_ = 0;
  place_.renew();
  begin_turn(next_mode());
}

void Search::backtrack(std::int32_t level) {
  const State& state = deduction_.state;
  if (level >= state.level()) return;
  for (std::int32_t at = state.start_above(level); at < state.size(); ++at) {
    const Key key = state.entry(at).key;
    if (!state.is_bool(var_of(key))) continue;
    if (mode_ == Mode::order) phase_[var_of(key)] = static_cast<std::int8_t>(side_of(key));
    heap_.insert(var_of(key));
  }
  deduction_.backtrack(level);
}

void Search::restart() {
  backtrack(0);
}

void Search::refuted_at_root(const Lemma& conflict) {
  if (recorder_ == nullptr) return;
  commit_root();
  recorder_->learned({}, {&conflict, 1});
}

// The facts of level 0 become part of the problem and of the derivation.
void Search::commit_root() {
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
  for (std::int32_t at = 0; at < state.size() && !exact_root_; ++at)
    exact_root_ = deduction_.exact(state.entry(at).reason, state.entry(at).key);
  deduction_.commit();
}

void Search::forget(const std::vector<std::uint64_t>& ids) {
  if (recorder_ != nullptr && !ids.empty()) recorder_->forgotten(ids);
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
  // Each search learns its preferences from its own conflicts.
  if (mode_ == Mode::order) {
    for (const Var var : learned_.seen)
      if (deduction_.state.is_bool(var)) heap_.bump(var);
    heap_.decay(activity_decay);
  } else {
    place_.blame(learned_.sections);
  }
  deduction_.clauses.decay();
  counters_.learned_literals += static_cast<std::int64_t>(learned_.lits.size());
  if (guard) guard(learned_.lits);
  std::uint64_t id = 0;
  if (recorder_ != nullptr) id = recorder_->learned(learned_.lits, learned_.antecedents);
  backtrack(learned_.back_to);
  Reason reason{.rule = Rule::root};
  if (learned_.lits.size() == 1) {
    const Lit unit = learned_.lits[0];
    units_.push_back({unit, learned_.exact || exact_root_});
    exact_root_ = units_.back().exact || !deduction_.state.is_bool(var_of(unit.key));
  } else {
    const ClauseRef ref =
        deduction_.clauses.add(learned_.lits, deduction_.state, true, learned_.glue);
    ClauseDb::Head& head = deduction_.clauses.head(ref);
    head.id = id;
    head.passing = mode_ == Mode::place_lightly;
    head.exact = learned_.exact || exact_root_;
    reason = {.rule = Rule::clause, .a = ref};
  }
  deduction_.state.raise(learned_.lits[0], reason);
  return true;
}

void Search::find_core(Lit assumption) {
  const State& state = deduction_.state;
  std::vector<Lemma> lemmas;
  analysis_.decisions_for(state.negation(assumption), core_,
                          recorder_ != nullptr ? &lemmas : nullptr);
  core_.push_back(assumption);
  if (recorder_ == nullptr) return;
  std::vector<Lit> clause;
  for (const Lit& lit : core_) clause.push_back(state.negation(lit));
  core_name_ = recorder_->learned(clause, lemmas);
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
      // The order that leaves more space.
      Value room[2] = {0, 0};
      for (unsigned s = 0; s < 2; ++s)
        if (const Edge* e = deduction_.orders.edge(key_of(var, s)))
          room[s] = -(state.bound(key_of(e->source, 0)) + e->weight[0] +
                      state.bound(key_of(e->target, 1)) + state.span(e->target));
      side = room[0] >= room[1] ? 0 : 1;
    }
    return {key_of(var, static_cast<unsigned>(side)), 1};
  }
  for (const Var var : plan_.offsets)
    if (!state.fixed(var)) return lowest_of(var);
  return {};
}

Lit Search::decide_place(bool& clash) {
  State& state = deduction_.state;
  for (const Var var : plan_.first)
    if (!state.fixed(var))
      return {key_of(var, static_cast<unsigned>(std::max<int>(phase_[var], 0))), 1};
  const PlaceSearch::Step step = place_.next();
  switch (step.kind) {
    case PlaceSearch::Step::Kind::decide:
      return lowest_of(step.var);
    case PlaceSearch::Step::Kind::lift: {
      const std::int32_t before = state.size();
      clash = !deduction_.rests.lift(state, deduction_.orders, step.var);
      if (clash) deduction_.stop_at_clash();
      if (clash || state.size() > before) return {};
      break;
    }
    case PlaceSearch::Step::Kind::none:
      break;
  }
  return decide_bool();
}

// If nearly all sections are nearly full, deciding orders is usually better, else placing is. The
// better search gets three quarters of the work. Half of the place turns are light.
Search::Mode Search::next_mode() const {
  const auto& work = counters_.work;
  const bool flat = plan_.flatness >= nearly_full;
  const std::uint64_t ordering = work[0] * (flat ? 1 : 3);
  const std::uint64_t placing = (work[1] + work[2]) * (flat ? 3 : 1);
  if (!params_.place_search || (params_.order_search && ordering < placing)) return Mode::order;
  return work[2] <= work[1] ? Mode::place_lightly : Mode::place;
}

void Search::begin_turn(Mode mode) {
  mode_ = mode;
  if (mode == Mode::order) {
    turn_left_ = turn_unit * luby(turn_++);
  } else {
    place_.begin_turn(mode == Mode::place_lightly);
    turn_left_ = place_.budget();
  }
  const bool light = mode == Mode::place_lightly;
  if (light == deduction_.light) return;
  deduction_.light = light;
  deduction_.wake();
}

Outcome Search::run(const Budget& budget, std::int64_t& conflicts_left, StopReason& stop) {
  const auto metered = [&] {
    if (budget.meter == nullptr) return false;
    const auto done = static_cast<std::int64_t>(worked_before_ + counters_.work[0] +
                                                counters_.work[1] + counters_.work[2]);
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
  std::uint64_t checked_at = deduction_.work;
  for (;;) {
    const std::uint64_t before = deduction_.work;
    const bool rest = deduction_.propagate();
    counters_.work[static_cast<std::size_t>(mode_)] += deduction_.work - before;
    if (!rest) {
      if (!resolve_conflict()) return Outcome::refuted;
      --conflicts_left;
      continue;
    }
    if (state.level() == 0) {
      commit_root();
      if (params_.reduce && mode_ != Mode::place_lightly) forget(deduction_.clauses.drop(state));
      if (params_.reduce && static_cast<std::int64_t>(deduction_.clauses.learned()) > keep_) {
        forget(deduction_.clauses.reduce(state));
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
    }
    // Every 32 decisions, or after much work in few decisions, so that limits are not missed.
    if ((counters_.decisions & 31) == 0 || deduction_.work - checked_at > work_between_checks) {
      checked_at = deduction_.work;
      if (const auto reason = budget.exhausted()) {
        stop = *reason;
        return Outcome::stopped;
      }
    }
    if (params_.restarts && turn_left_ <= 0) {
      ++counters_.restarts;
      backtrack(0);
      begin_turn(next_mode());
      continue;
    }
    const auto assumption = std::find_if(assumed_.begin(), assumed_.end(),
                                         [&](const Lit& lit) { return !state.holds(lit); });
    if (assumption != assumed_.end()) {
      if (state.fails(*assumption)) {
        find_core(*assumption);
        return Outcome::core;
      }
      state.open_level();
      state.raise(*assumption, {.rule = Rule::decision});
      continue;
    }
    const std::int32_t size = state.size();
    bool clash = false;
    const Lit choice = mode_ == Mode::order ? decide_bool() : decide_place(clash);
    if (clash) {
      if (!resolve_conflict()) return Outcome::refuted;
      --conflicts_left;
      continue;
    }
    if (state.size() > size) continue;
    if (choice.key == no_key) return Outcome::solution;
    ++counters_.decisions;
    state.open_level();
    state.raise(choice, {.rule = Rule::decision});
  }
}

}  // namespace tessera::search::learning
