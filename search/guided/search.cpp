#include "search/guided/search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "search/guided/levels.h"
#include "search/guided/phases.h"
#include "search/learning/luby.h"

namespace tessera::search::guided {

using learning::Key;
using learning::key_of;
using learning::Lit;
using learning::luby;
using learning::no_key;
using learning::State;
using learning::Var;

namespace {

constexpr std::uint64_t work_between_checks = 200'000;  // some milliseconds
constexpr std::int64_t steps_between_checks = 32;
constexpr std::int64_t first_turn = 50;  // backtracks until the first restart

/// Limit on exhausted trees that are grown again: learned clauses may refute the problem meanwhile.
constexpr int most_exhausted = 32;

}  // namespace

std::size_t Search::order_of(GuidedStrategy strategy) {
  if (strategy == GuidedStrategy::size) return static_cast<std::size_t>(By::size);
  return static_cast<std::size_t>(strategy == GuidedStrategy::area ? By::area : By::lifetime);
}

Search::Search(const PlacementProblem& problem, const GuidedParams& params,
               learning::Deduction& deduction, const learning::Build& build, std::uint64_t seed,
               Poll& poll, Spent& spent, RetreatChooser* chooser, engine::Advisor* advisor)
    : params_(params),
      deduction_(deduction),
      build_(build),
      conflict_(deduction),
      analysis_(deduction, true, false),
      chooser_(chooser),
      advisor_(advisor),
      random_(seed),
      spent_(spent) {
  const std::size_t n = problem.buffers.size();
  Contention contention;
  if (params.phases || chooser != nullptr) contention = contention_of(problem, poll);
  if (chooser != nullptr) history_.emplace(build.plan.traits, std::move(contention.most));
  phase_ = params.phases ? std::move(contention.phase) : std::vector<std::uint32_t>(n, 0);
  const std::uint32_t phases = n == 0 ? 0 : *std::max_element(phase_.begin(), phase_.end()) + 1;
  for (auto& ranked : ranked_) ranked.resize(phases);
  for (auto& ranked : ranked_)
    for (BufferIndex b = 0; b < n; ++b) ranked[phase_[b]].push_back(b);
  poll(static_cast<std::int64_t>(n));
  longest_.resize(n);
  std::iota(longest_.begin(), longest_.end(), BufferIndex{0});
  rank(0);
  choices_.resize(n);
  const auto whose = build.buffers_of_variables();
  for (const Var var : build.plan.first)
    if (!whose[var].empty()) choices_[whose[var].front()].push_back(var);
}

void Search::rank(double noise) {
  const auto& traits = build_.plan.traits;
  std::vector<std::pair<double, double>> keys(traits.size());
  for (std::size_t order = 0; order < orders; ++order) {
    for (std::size_t b = 0; b < traits.size(); ++b) {
      const learning::BufferTraits& l = traits[b];
      switch (static_cast<By>(order)) {
        case By::lifetime:
          keys[b] = {l.length, l.size};
          break;
        case By::size:
          keys[b] = {l.size, l.length};
          break;
        case By::area:
          keys[b] = {l.length * l.size, l.length};
          break;
      }
      if (noise > 0) keys[b].first *= 1 + noise * random_.unit();
    }
    const auto first = [&](BufferIndex a, BufferIndex b) {
      return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
    };
    for (auto& list : ranked_[order]) std::sort(list.begin(), list.end(), first);
    if (static_cast<By>(order) == By::lifetime) std::sort(longest_.begin(), longest_.end(), first);
  }
}

Search::Point& Search::point(std::int32_t depth) {
  const auto at = static_cast<std::size_t>(depth);
  if (points_.size() <= at) points_.resize(2 * at + 16);
  return points_[at];
}

/// The best `per_order` unplaced buffers of the phase by each order, without duplicates. False: the
/// phase has none.
bool Search::collect(std::uint32_t phase, std::size_t per_order, Point& now) {
  bool any = false;
  for (std::size_t order = 0; order < orders; ++order) {
    if (params_.strategy != GuidedStrategy::combined && order != order_of(params_.strategy))
      continue;
    std::size_t taken = 0;
    for (const BufferIndex b : ranked_[order][phase]) {
      if (!unplaced(b)) continue;
      any = true;
      if (!contains(now.waiting, b) && !contains(now.tried, b)) now.waiting.push_back(b);
      if (++taken == per_order) break;
    }
  }
  return any;
}

/// The `count` unplaced buffers with the lowest places, the longest first among equals. False:
/// there are none.
bool Search::collect_lowest(std::size_t count, Point& now) {
  bool any = false;
  places_.clear();
  for (const BufferIndex b : longest_) {
    if (!unplaced(b)) continue;
    any = true;
    if (!contains(now.waiting, b) && !contains(now.tried, b))
      places_.emplace_back(deduction_.state.bound(key_of(build_.plan.offsets[b], 0)), b);
  }
  const auto lower = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (count == 1 && !places_.empty()) {
    now.waiting.push_back(std::min_element(places_.begin(), places_.end(), lower)->second);
    return any;
  }
  std::stable_sort(places_.begin(), places_.end(), lower);
  for (std::size_t k = 0; k < std::min(count, places_.size()); ++k)
    now.waiting.push_back(places_[k].second);
  return any;
}

bool Search::collect_candidates(Point& now) {
  if (kind_.lowest) return collect_lowest(1, now);
  // The phase of the previous buffer, then the others by descending contention.
  const auto phases = static_cast<std::uint32_t>(ranked_[0].size());
  if (now.phase < phases && collect(now.phase, 1, now)) return true;
  for (std::uint32_t p = 0; p < phases; ++p)
    if (collect(p, 1, now)) return true;
  return false;
}

bool Search::add_others(Point& now) {
  if (now.others || now.boolean != no_key) return false;
  now.others = true;
  now.waiting.clear();
  if (kind_.lowest) {
    collect_lowest(phase_.size(), now);
  } else {
    const auto phases = static_cast<std::uint32_t>(ranked_[0].size());
    for (std::uint32_t p = 0; p < phases; ++p) collect(p, 1, now);
    for (std::uint32_t p = 0; p < phases; ++p) collect(p, phase_.size(), now);
  }
  std::reverse(now.waiting.begin(), now.waiting.end());
  return !now.waiting.empty();
}

std::int32_t Search::last_resort(std::int32_t failed) {
  for (std::int32_t depth = failed; depth >= 0; --depth) {
    if (!add_others(point(depth))) continue;
    deduction_.backtrack(depth);
    return depth;
  }
  return -1;
}

void Search::open_boolean(Point& point, Var var) {
  const std::int8_t phase = build_.plan.phase[var];
  point.boolean = key_of(var, phase == 1 ? 1 : 0);
  point.sides_left = 2;
}

bool Search::open_point(bool again) {
  const State& state = deduction_.state;
  const std::int32_t depth = state.level();
  Point& now = point(depth);
  now.waiting.clear();
  // A refused buffer has a higher bound. Another attempt would only raise the bound step by step.
  if (!again) {
    now.tried.clear();
    now.conflict.clear();
  }
  now.others = false;
  now.boolean = no_key;
  now.sides_left = 0;
  now.inside = 0;
  if (!again) now.below = now.returns = 0;
  now.phase = depth > 0 ? points_[static_cast<std::size_t>(depth) - 1].phase : 0;
  // A placed buffer whose memory is undecided.
  if (!build_.plan.first.empty())
    for (BufferIndex b = 0; b < choices_.size(); ++b)
      if (!unplaced(b))
        for (const Var var : choices_[b])
          if (!state.fixed(var)) {
            open_boolean(now, var);
            return true;
          }
  if (!collect_candidates(now)) {
    for (const auto& [var, activity] : build_.plan.bools)
      if (!state.fixed(var)) {
        open_boolean(now, var);
        return true;
      }
    return false;
  }
  if (now.waiting.empty()) return true;
  for (const Var var : choices_[now.waiting.front()])
    if (!state.fixed(var)) {
      now.phase = phase_[now.waiting.front()];
      open_boolean(now, var);
      now.waiting.clear();
      return true;
    }
  std::reverse(now.waiting.begin(), now.waiting.end());
  return true;
}

std::optional<Lit> Search::next_of(Point& point) {
  if (point.boolean != no_key) {
    if (point.sides_left == 0) return std::nullopt;
    --point.sides_left;
    const Key key = point.sides_left == 1 ? point.boolean : learning::opposite(point.boolean);
    return Lit{key, 1};
  }
  // Learned clauses may have fixed some of them meanwhile.
  while (!point.waiting.empty() && !unplaced(point.waiting.back())) point.waiting.pop_back();
  if (point.waiting.empty()) return std::nullopt;
  const BufferIndex b = point.waiting.back();
  point.waiting.pop_back();
  point.tried.push_back(b);
  point.phase = phase_[b];
  return lowest_of(build_.plan.offsets[b]);
}

Lit Search::lowest_of(Var var) const {
  const State& state = deduction_.state;
  return {key_of(var, 1), -(state.bound(key_of(var, 0)) + state.span(var))};
}

std::optional<StopReason> Search::over(const Budget& budget) {
  if (spent_.steps >= budget.max_nodes) return StopReason::node_limit;
  if (spent_.steps % steps_between_checks != 0 &&
      deduction_.work - checked_at_ < work_between_checks)
    return std::nullopt;
  spent_.work += deduction_.work - checked_at_;
  checked_at_ = deduction_.work;
  if (budget.meter != nullptr) {
    const auto done = static_cast<std::int64_t>(spent_.work);
    budget.meter->done.store(done, std::memory_order_relaxed);
    if (done >= budget.meter->limit.load(std::memory_order_relaxed)) return StopReason::node_limit;
  }
  return budget.exhausted();
}

Outcome Search::run_once(const Budget& budget, StopReason& stop) {
  State& state = deduction_.state;
  for (bool again = false;;) {
    if (!open_point(again)) return Outcome::placed;
    again = false;
    std::int32_t depth = state.level();
    for (;;) {
      Point& now = point(depth);
      if (const auto why = over(budget)) {
        stop = *why;
        return Outcome::stopped;
      }
      std::optional<Lit> choice = next_of(now);
      if (!choice) {
        if (params_.restarts && turn_left_ <= 0) return Outcome::restart;
        const std::int32_t target = go_back(depth);
        depth = target >= 0 || !params_.others ? target : last_resort(depth);
        if (depth < 0) return Outcome::exhausted;
        continue;
      }
      if (params_.learn && now.boolean == no_key) {
        // After a clause has refuted a place, the next relevant place is where another buffer
        // supports this one. Places in between would only raise it bit by bit.
        const Var var = learning::var_of(choice->key);
        const std::int32_t before = state.size();
        bool fits = true;
        if (deduction_.rests.governs(var)) {
          fits = deduction_.rests.lift(state, deduction_.orders, var);
          if (!fits) deduction_.stop_at_clash();
        }
        if (!fits || state.size() > before) {
          fits = fits && deduction_.propagate();
          if (!fits) {
            const Refusal refusal = learn_from_refusal(depth);
            if (refusal == Refusal::refuted) return Outcome::refuted;
            again = refusal == Refusal::reopen;
            if (again) break;
            depth = state.level();
            continue;
          }
          if (state.fixed(var)) {
            again = true;
            break;
          }
          choice = lowest_of(var);
        }
      }
      ++counters_.steps;
      ++spent_.steps;
      state.open_level();
      const bool raised = state.raise(*choice, {.rule = learning::Rule::decision});
      if (!raised) deduction_.stop_at_clash();
      if (raised && deduction_.propagate()) {
        if (advisor_ == nullptr) break;
        const Refusal advice = advised_against(depth, budget);
        if (advice == Refusal::refuted) return Outcome::refuted;
        if (advice == Refusal::goes_on) break;
        continue;
      }
      ++counters_.minor_backtracks;
      const Refusal refusal = params_.learn ? learn_from_refusal(depth) : refused(depth);
      if (refusal == Refusal::refuted) return Outcome::refuted;
      again = refusal == Refusal::reopen;
      if (again) break;
      depth = state.level();
    }
  }
}

void Search::blame(std::int32_t level) {
  if (!history_ || level <= 0) return;
  if (const BufferIndex b = decided_at(point(level - 1)); b != no_buffer) history_->blame(b);
}

Search::Refusal Search::advised_against(std::int32_t depth, const Budget& budget) {
  const State& state = deduction_.state;
  placed_.clear();
  for (BufferIndex b = 0; b < build_.plan.offsets.size(); ++b)
    if (!unplaced(b)) placed_.push_back({b, state.bound(key_of(build_.plan.offsets[b], 0))});
  ++counters_.asked;
  const std::optional<std::vector<BufferIndex>> because = advisor_->refutes(placed_, budget);
  if (!because) return Refusal::goes_on;
  if (because->empty()) return Refusal::refuted;
  ++counters_.advised;
  ++counters_.minor_backtracks;
  Point& now = point(depth);
  for (const BufferIndex b : *because) {
    const Var var = build_.plan.offsets[b];
    for (const Key key : {key_of(var, 0), key_of(var, 1)}) {
      const std::int32_t at = state.entry_of({key, state.bound(key)});
      if (at < 0 || state.entry(at).level > depth) continue;
      mark(now.conflict, state.entry(at).level);
      blame(state.entry(at).level);
    }
  }
  deduction_.backtrack(depth);
  return Refusal::reopen;
}

Search::Refusal Search::refused(std::int32_t depth) {
  Point& now = point(depth);
  if (params_.directed) {
    const auto levels = conflict_.levels();
    if (levels.empty()) return Refusal::refuted;
    if (levels.front() <= depth) {
      // The earlier decisions are contradictory, so no candidate helps here.
      now.conflict.clear();
      now.waiting.clear();
      now.others = true;
      now.sides_left = 0;
    }
    for (const std::int32_t level : levels) {
      if (level <= depth) mark(now.conflict, level);
      blame(level);
    }
  } else if (conflict_.at_root()) {
    return Refusal::refuted;
  }
  deduction_.backtrack(depth);
  return Refusal::goes_on;
}

Search::Refusal Search::learn_from_refusal(std::int32_t depth) {
  State& state = deduction_.state;
  std::int32_t failed = -1;
  for (;;) {
    deduction_.conflict(lemma_);
    const std::int32_t level = analysis_.level_of(lemma_);
    if (level == 0) return Refusal::refuted;
    deduction_.backtrack(level);
    analysis_.run(lemma_, learned_);
    deduction_.clauses.decay();
    const std::int32_t back = level - 1;
    Point& now = point(back);
    for (std::size_t k = 1; k < learned_.lits.size(); ++k) {
      const std::int32_t at = state.entry_of(state.negation(learned_.lits[k]));
      if (at < 0) continue;
      mark(now.conflict, state.entry(at).level);
      blame(state.entry(at).level);
    }
    deduction_.backtrack(back);
    if (back < depth) {
      ++counters_.major_backtracks;
      --turn_left_;
      if (params_.promote) promote(point(depth), now);
      failed = depth;
      depth = back;
    }
    if (learned_.lits.size() == 1) {
      const Lit fact = learned_.lits[0];
      deduction_.backtrack(0);
      if (!state.raise(fact, {.rule = learning::Rule::root}) || !deduction_.propagate())
        return Refusal::refuted;
      replay(back);
      return Refusal::reopen;
    }
    const learning::ClauseRef ref =
        deduction_.clauses.add(learned_.lits, state, true, learned_.glue);
    if (!state.raise(learned_.lits[0], {.rule = learning::Rule::clause, .a = ref}))
      deduction_.stop_at_clash();
    else if (deduction_.propagate())
      break;
  }
  if (failed >= 0 && chooser_ != nullptr) {
    const std::int32_t own = state.level();
    const std::int32_t target = retreat(failed, own);
    if (target < own && params_.promote) promote(point(own), point(target));
  }
  // The Boolean has its value, or all buffers have their places: another point is needed.
  Point& now = point(state.level());
  const bool decided =
      now.boolean != no_key
          ? state.fixed(learning::var_of(now.boolean))
          : !now.waiting.empty() && std::none_of(now.waiting.begin(), now.waiting.end(),
                                                 [this](BufferIndex b) { return unplaced(b); });
  if (decided) return Refusal::reopen;
  if (static_cast<std::int64_t>(deduction_.clauses.learned()) > keep_) {
    const std::int32_t level = state.level();
    if (!simplify()) return Refusal::refuted;
    replay(level);
    return Refusal::reopen;
  }
  return Refusal::goes_on;
}

/// From level 0 at a fixpoint: repeats the decisions of the first points as far as they hold.
void Search::replay(std::int32_t level) {
  State& state = deduction_.state;
  deduction_.commit();
  for (std::int32_t depth = 0; depth < level; ++depth) {
    const Point& was = point(depth);
    Lit lit;
    if (was.boolean != no_key) {
      lit = {was.sides_left == 1 ? was.boolean : learning::opposite(was.boolean), 1};
      if (state.fixed(learning::var_of(lit.key))) return;
    } else {
      const BufferIndex b = was.tried.back();
      if (!unplaced(b)) return;
      lit = lowest_of(build_.plan.offsets[b]);
    }
    ++counters_.steps;
    ++spent_.steps;
    state.open_level();
    if (state.raise(lit, {.rule = learning::Rule::decision}) && deduction_.propagate()) continue;
    deduction_.backtrack(depth);
    return;
  }
}

Outcome Search::run(const Budget& budget, StopReason& stop) {
  // First with all rules of the solver: what it refutes without a decision is proved.
  if (!deduction_.propagate()) return Outcome::refuted;
  deduction_.commit();
  for (;;) {
    if (!choose_kind()) return Outcome::refuted;
    const Outcome outcome = turn(budget, stop);
    if (outcome != Outcome::restart) return outcome;
    ++counters_.restarts;
    if (!simplify()) return Outcome::refuted;
  }
}

Outcome Search::turn(const Budget& budget, StopReason& stop) {
  std::int64_t& turns = turns_[kind_.index()];
  // The first tree of every kind has no noise.
  constexpr std::array<double, 3> noises = {0.1, 0.3, 1.0};
  rank(turns == 0 ? 0 : noises[static_cast<std::size_t>(turns) % noises.size()]);
  turn_left_ = first_turn * luby(turns++);
  turn_began_ = counters_.major_backtracks;
  const std::uint64_t before = deduction_.work;
  const Outcome outcome = run_once(budget, stop);
  work_[kind_.index()] += deduction_.work - before;
  const bool again = outcome == Outcome::exhausted && params_.restarts && params_.learn &&
                     ++exhausted_ <= most_exhausted;
  return again ? Outcome::restart : outcome;
}

bool Search::choose_kind() {
  const bool only_lowest = params_.strategy == GuidedStrategy::lowest;
  const bool both = params_.lowest && params_.strategy == GuidedStrategy::combined;
  kind_ = {.lowest = only_lowest, .light = params_.restarts || !params_.sections};
  // With restarts, all kinds get the same share of the work; light trees are cheap, so they begin.
  for (const bool light : {true, false})
    for (const bool lowest : {false, true}) {
      const Kind kind{.lowest = lowest, .light = light};
      if (!params_.restarts || (!light && !params_.sections) || (lowest != only_lowest && !both))
        continue;
      if (work_[kind.index()] < work_[kind_.index()]) kind_ = kind;
    }
  if (kind_.light == deduction_.light) return true;
  deduction_.light = kind_.light;
  deduction_.wake();
  if (!deduction_.propagate()) return false;
  deduction_.commit();
  return true;
}

bool Search::simplify() {
  deduction_.backtrack(0);
  if (!deduction_.propagate()) return false;
  deduction_.commit();
  if (static_cast<std::int64_t>(deduction_.clauses.learned()) <= keep_) return true;
  keep_ += 500;
  deduction_.clauses.reduce(deduction_.state);
  return true;
}

}  // namespace tessera::search::guided
