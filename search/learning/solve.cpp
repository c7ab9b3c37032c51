#include "solve.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cores.h"
#include "model/optional.h"
#include "model/restricted.h"
#include "proof_writer.h"
#include "tessera/check.h"
#include "used_buffers.h"

namespace tessera::search::learning {
namespace {

bool true_in(const Deduction& deduction, const Build& build, const PlacementProblem& problem,
             const Placement& placement, Lit lit) {
  const State& state = deduction.state;
  const Var var = var_of(lit.key);
  const auto at = [&](Var offset, unsigned side) {
    const auto b = static_cast<std::size_t>(
        std::find(build.plan.offsets.begin(), build.plan.offsets.end(), offset) -
        build.plan.offsets.begin());
    const Offset o = placement.places[b].offset;
    return side == 0 ? o : -(o + problem.buffers[b].size);
  };
  if (!state.is_bool(var)) return at(var, side_of(lit.key)) >= lit.value;
  // Only orders have a fixed value; other Booleans may be chosen to satisfy the clause.
  const Edge* edge = deduction.orders.edge(lit.key);
  if (edge == nullptr) return true;
  return at(edge->target, 0) >= at(edge->source, 0) + edge->weight[0];
}

Build::Record record_of(const PlacementProblem& problem, const engine::SearchParams& params) {
  if (params.proof != nullptr) return Build::Record::certificate;
  const bool uses = params.tell_used && !has_parts(problem);
  return uses ? Build::Record::uses : Build::Record::nothing;
}

/// One search, from the rules to the result.
class OneSearch {
 public:
  /// Builds the model. Throws BudgetEnded.
  OneSearch(const PlacementProblem& problem, const LearningParams& learning,
            const engine::SearchParams& params, const Placement* like)
      : problem_(problem),
        learning_(learning),
        params_(params),
        deduction_(learning),
        poll_(params.budget),
        record_(record_of(problem, params)),
        build_(problem, params.goal, deduction_, learning, record_, poll_),
        conflicts_left_(params.budget.max_nodes) {
    build_.all();
    if (params.at_most) deduction_.cost.set_limit(*params.at_most);
    if (like != nullptr) build_.prefer(*like);
    if (params.proof != nullptr) proof_.emplace(*params.proof, build_, deduction_);
  }

  engine::SearchResult run() {
    if (!build_.consistent()) {
      contradicted();
      return std::move(result_);
    }
    if (record_ == Build::Record::uses) used_.emplace(build_, deduction_);
    Recorder* const recorder = proof_  ? static_cast<Recorder*>(&*proof_)
                               : used_ ? &*used_
                                       : nullptr;
    Search search(deduction_, build_.plan, learning_, params_.seed, recorder);
    search.counts_from(work_of(poll_, params_.budget));
    if (learning_.guard != nullptr)
      search.guard = [this](std::span<const Lit> lits) { keep_known(lits); };
    decide(search);
    add_stats(result_, search.counters(), deduction_.clauses.count());
    return std::move(result_);
  }

 private:
  void begin_with(const Placement& known) {
    if (deduction_.cost.empty()) return;
    const Cost paid = soft_cost(problem_, known);
    if (paid == 0) return;
    result_.status = Status::feasible;
    result_.placement = known;
    result_.bound = paid;
    deduction_.cost.set_limit(paid - 1);
  }

  void contradicted() {
    if (result_.placement) return;  // nothing is cheaper than the known placement
    refuted(no_rule_holds);
    if (!proof_) return;
    proof_->learned({}, {});
    proof_->finish();
  }

  /// Checks that no learned clause excludes the known valid placement.
  void keep_known(std::span<const Lit> lits) const {
    for (const Lit& lit : lits)
      if (true_in(deduction_, build_, problem_, *learning_.guard, lit)) return;
    throw std::logic_error("a learned clause excludes the known placement");
  }

  /// Searches for placements, each cheaper than the previous one if there are costs.
  void decide(Search& search) {
    cores_wanted_ =
        learning_.cores && (params_.at_most || result_.placement) && !deduction_.cost.empty();
    std::optional<Outcome> outcome = next(search);
    while (outcome == Outcome::solution && ask_for_cheaper(search)) outcome = next(search);
    if (!outcome) {
      result_.bound = 0;
      return;
    }
    if (outcome == Outcome::stopped) undecided(search_stopped);
    if (outcome == Outcome::refuted) nothing_better();
    if (result_.placement && result_.stop != StopReason::completed && !deduction_.cost.empty()) {
      // The cost bound that is known without any decision.
      search.restart();
      result_.bound = std::min(result_.bound, deduction_.cost.bound(deduction_.state));
    }
  }

  /// Nothing: the search stopped.
  std::optional<Outcome> next(Search& search) {
    try {
      Outcome outcome = Outcome::stopped;
      if (std::exchange(cores_wanted_, false))
        outcome = find_cores(search, deduction_, params_.budget, conflicts_left_, result_.stop);
      if (outcome == Outcome::stopped)
        outcome = search.run(params_.budget, conflicts_left_, result_.stop);
      return outcome;
    } catch (const BudgetEnded& climbed) {
      undecided("The learning engine stopped: bound propagation did not converge.");
      result_.stop = climbed.reason;
      return std::nullopt;
    }
  }

  /// Stores the placement found. False: no cheaper one is needed.
  bool ask_for_cheaper(Search& search) {
    cores_wanted_ = learning_.cores && !result_.placement;
    result_.placement = build_.decode();
    result_.status = Status::feasible;
    result_.stop = StopReason::completed;
    if (deduction_.cost.empty() || params_.at_most) return false;
    Cost paid = deduction_.cost.sum(deduction_.state);
    if (params_.goal == Objective::cost)
      paid = std::min(paid, soft_cost(problem_, *result_.placement));
    result_.bound = paid;
    if (paid <= params_.at_least) return false;
    deduction_.cost.set_limit(paid - 1);
    search.restart();
    return true;
  }

  void nothing_better() {
    if (result_.placement) {
      result_.stop = StopReason::completed;
      return;
    }
    refuted(all_excluded);
    if (used_) result_.used = used_->buffers();
    if (proof_) proof_->finish();
  }

  void refuted(const char* reason) {
    result_.status = Status::infeasible;
    result_.stop = StopReason::completed;
    result_.reason = reason;
  }
  void undecided(const char* reason) {
    result_.status = result_.placement ? Status::feasible : Status::unknown;
    result_.reason = reason;
  }

  const PlacementProblem& problem_;
  const LearningParams& learning_;
  const engine::SearchParams& params_;
  Deduction deduction_;
  Poll poll_;
  const Build::Record record_;
  Build build_;
  std::optional<ProofWriter> proof_;
  std::optional<UsedBuffers> used_;
  std::int64_t conflicts_left_;
  bool cores_wanted_ = false;
  engine::SearchResult result_;
};

engine::SearchResult solve_as_it_stands(const PlacementProblem& problem,
                                        const LearningParams& learning,
                                        const engine::SearchParams& params, const Placement* like) {
  try {
    return OneSearch(problem, learning, params, like).run();
  } catch (const BudgetEnded& ended) {
    return given_up(ended);
  }
}

}  // namespace

void add_stats(engine::SearchResult& result, const Counters& counters, std::size_t clauses) {
  const auto add = [&](const char* name, std::int64_t value) {
    result.stats.push_back({name, value});
  };
  add("conflicts", counters.conflicts);
  add("decisions", counters.decisions);
  add("restarts", counters.restarts);
  add("learned_literals", counters.learned_literals);
  add("reductions", counters.reductions);
  add("clauses", static_cast<std::int64_t>(clauses));
  add("work_order", static_cast<std::int64_t>(counters.work[0]));
  add("work_place", static_cast<std::int64_t>(counters.work[1]));
  add("work_place_lightly", static_cast<std::int64_t>(counters.work[2]));
}

engine::SearchResult given_up(const BudgetEnded& ended) {
  engine::SearchResult result;
  result.stop = ended.reason;
  result.reason = ended.foreseen ? "The learning engine needs more memory than is available for "
                                   "this many pairs of buffers."
                                 : "A limit stopped the learning engine during setup.";
  return result;
}

std::uint64_t work_of(const Poll& poll, const Budget& budget) {
  // Measured: 24 to 55 ns per poll, and 12 ns per step of propagation.
  constexpr std::uint64_t work_per_poll = 3;
  const auto all = work_per_poll * static_cast<std::uint64_t>(poll.spent());
  if (budget.meter == nullptr) return all;
  return std::min(all,
                  static_cast<std::uint64_t>(std::max<std::int64_t>(0, budget.meter->limit)) / 2);
}

std::vector<BufferIndex> by_lives(const PlacementProblem& problem) {
  const auto key = [&](BufferIndex b) {
    const Buffer& buffer = problem.buffers[b];
    return std::tuple(buffer.live.front().lower, buffer.live.back().upper, -buffer.size,
                      buffer.alignment, std::string_view(buffer.id));
  };
  std::vector<BufferIndex> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), BufferIndex{0});
  std::ranges::stable_sort(order, {}, key);
  return order;
}

engine::SearchResult solve_once(const PlacementProblem& problem, const LearningParams& learning,
                                const engine::SearchParams& params, const Placement* like) {
  const std::vector<BufferIndex> order = by_lives(problem);
  // Certificates refer to the buffers in their original order.
  if (params.proof != nullptr || std::ranges::is_sorted(order))
    return solve_as_it_stands(problem, learning, params, like);
  const Restricted part = restricted(problem, order);
  LearningParams of_part = learning;
  engine::SearchParams asked = params;
  std::array<Placement, 3> known;
  const auto follow = [&](const Placement*& placement, Placement& moved) {
    if (placement == nullptr) return;
    moved = gathered(part, *placement);
    placement = &moved;
  };
  follow(of_part.guard, known[0]);
  follow(asked.known, known[1]);
  follow(like, known[2]);
  engine::SearchResult result = solve_as_it_stands(part.problem, of_part, asked, like);
  if (result.placement) result.placement = spread(problem, part, {}, *result.placement);
  for (BufferIndex& b : result.used) b = order[b];
  std::ranges::sort(result.used);
  return result;
}

}  // namespace tessera::search::learning
