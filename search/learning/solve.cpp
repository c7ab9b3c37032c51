#include "solve.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cores.h"
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
  // Only orders have a value of their own; another Boolean may be chosen to suit the clause.
  const Edge* edge = deduction.orders.edge(lit.key);
  if (edge == nullptr) return true;
  return at(edge->target, 0) >= at(edge->source, 0) + edge->weight[0];
}

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

/// The answer of whoever was not given what building takes.
engine::SearchResult given_up(const BudgetEnded& ended) {
  engine::SearchResult result;
  result.stop = ended.reason;
  result.reason = ended.foreseen
                      ? "The learning engine would need more memory than there is for so many "
                        "pairs of buffers."
                      : "The limit struck while the learning engine wrote down its rules.";
  return result;
}

engine::SearchResult search_built(const PlacementProblem& problem, const LearningParams& learning,
                                  const engine::SearchParams& params, const Placement* like) {
  engine::SearchResult result;
  Deduction deduction(learning);
  Poll poll(params.budget);
  const bool uses = params.tell_used && !has_parts(problem);
  const Build::Record record = params.proof != nullptr ? Build::Record::certificate
                               : uses                  ? Build::Record::uses
                                                       : Build::Record::nothing;
  Build build(problem, params.goal, deduction, learning, record, poll);
  build.all();
  if (params.at_most) deduction.cost.set_limit(*params.at_most);
  if (like != nullptr) build.prefer(*like);
  const auto refute = [&result] {
    result.status = Status::infeasible;
    result.stop = StopReason::completed;
    result.reason = "Every order of the buffers was refuted.";
  };
  std::optional<ProofWriter> proof;
  if (params.proof != nullptr) proof.emplace(*params.proof, build, deduction);
  if (!build.consistent()) {
    refute();
    result.reason = "A rule of the problem cannot be kept, whatever else is placed.";
    if (proof) {
      proof->learned({}, {});
      proof->finish();
    }
    return result;
  }
  std::optional<UsedBuffers> used;
  if (record == Build::Record::uses) used.emplace(build, deduction);
  Recorder* const recorder = proof ? static_cast<Recorder*>(&*proof) : used ? &*used : nullptr;
  Search search(deduction, build.plan, learning, params.seed, recorder);
  if (learning.guard != nullptr)
    search.guard = [&](std::span<const Lit> lits) {
      for (const Lit& lit : lits)
        if (true_in(deduction, build, problem, *learning.guard, lit)) return;
      throw std::logic_error("a learned clause excludes the known placement");
    };
  std::int64_t conflicts = params.budget.max_nodes;
  bool cores_wanted = learning.cores && params.at_most && !deduction.cost.empty();
  for (;;) {
    Outcome outcome = Outcome::stopped;
    try {
      if (std::exchange(cores_wanted, false))
        outcome = find_cores(search, deduction, params.budget, conflicts, result.stop);
      if (outcome == Outcome::stopped) outcome = search.run(params.budget, conflicts, result.stop);
    } catch (const BudgetEnded& climbed) {
      result.status = result.placement ? Status::feasible : Status::unknown;
      result.stop = climbed.reason;
      result.reason = "Bounds climbed without an end, and the learning engine gave up.";
      add_stats(result, search.counters(), deduction.clauses.count());
      return result;
    }
    if (outcome == Outcome::stopped) {
      result.status = result.placement ? Status::feasible : Status::unknown;
      result.reason = "The search was stopped before it could decide.";
      break;
    }
    if (outcome == Outcome::refuted) {
      if (!result.placement) {
        refute();
        if (used) result.used = used->buffers();
        if (proof) proof->finish();
      } else {
        result.stop = StopReason::completed;
      }
      break;
    }
    cores_wanted = learning.cores && !result.placement;
    result.placement = build.decode();
    result.status = Status::feasible;
    result.stop = StopReason::completed;
    if (deduction.cost.empty() || params.at_most) break;
    Cost paid = deduction.cost.sum(deduction.state);
    if (params.goal == Objective::cost)
      paid = std::min(paid, soft_cost(problem, *result.placement));
    result.bound = paid;
    if (paid == 0) break;
    deduction.cost.set_limit(paid - 1);
    search.restart();
  }
  if (result.placement && result.stop != StopReason::completed && !deduction.cost.empty()) {
    // What a cheaper placement has to pay, as far as that is known without any decision.
    search.restart();
    result.bound = std::min(result.bound, deduction.cost.bound(deduction.state));
  }
  add_stats(result, search.counters(), deduction.clauses.count());
  return result;
}

}  // namespace

engine::SearchResult solve_once(const PlacementProblem& problem, const LearningParams& learning,
                                const engine::SearchParams& params, const Placement* like) {
  try {
    return search_built(problem, learning, params, like);
  } catch (const BudgetEnded& ended) {
    return given_up(ended);
  }
}

}  // namespace tessera::search::learning
