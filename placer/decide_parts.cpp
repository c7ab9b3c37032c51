#include "placer/decide_parts.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "engine/goal.h"
#include "engine/share_of_time.h"
#include "facts/parts.h"
#include "model/restricted.h"

namespace tessera::placer {

namespace {

using Clock = std::chrono::steady_clock;

/// For more buffers, finding the parts takes longer than the permitted overrun of a limit.
constexpr std::size_t most_buffers = 100'000;

/// In the first round, a part gets this fraction of an equal share of the time.
constexpr int first_share = 4;

struct OwnProblem {
  std::vector<BufferIndex> buffers;
  PlacementProblem problem;
  Decision best;
  Cost paid = 0;   ///< cost of `best`, if it is a placement
  Cost bound = 0;  ///< proved

  [[nodiscard]] bool placed() const { return best.found.status == Status::feasible; }
  [[nodiscard]] bool proved() const { return placed() && paid == bound; }
};

bool pays(const PlacementProblem& problem) {
  return std::any_of(problem.relations.begin(), problem.relations.end(), [](const Relation& each) {
    return each.kind == RelationKind::avoid_overlap && each.cost > 0;
  });
}

/// Solves one part again, with this much time.
void ask(OwnProblem& part, engine::SearchParams params, const DecideParams& settings) {
  if (!pays(part.problem)) params.goal = Objective::fit;
  Decision answer = decide(part.problem, params, settings);
  part.bound = std::max(part.bound, answer.found.bound);
  if (answer.found.status != Status::feasible) {
    if (answer.found.status == Status::infeasible || !part.placed()) part.best = std::move(answer);
    return;
  }
  const Cost paid = engine::goal_value(part.problem, *answer.found.placement, params.goal);
  if (part.placed() && part.paid <= paid) return;
  part.paid = paid;
  part.best = std::move(answer);
}

Decision together(const PlacementProblem& problem, std::vector<OwnProblem>& parts) {
  Decision whole;
  whole.found.status = Status::feasible;
  Placement& placement = whole.found.placement.emplace();
  placement.places.resize(problem.buffers.size());
  placement.modes.resize(problem.memories.size());
  for (OwnProblem& part : parts) {
    const std::vector<BufferPlace>& places = part.best.found.placement->places;
    for (std::size_t k = 0; k < part.buffers.size(); ++k)
      placement.places[part.buffers[k]] = places[k];
    whole.found.bound += part.bound;
    if (!part.proved()) whole.found.stop = part.best.found.stop;
    whole.found.stats.insert(whole.found.stats.end(), part.best.found.stats.begin(),
                             part.best.found.stats.end());
    if (("+" + whole.engine + "+").find("+" + part.best.engine + "+") == std::string::npos)
      whole.engine += (whole.engine.empty() ? "" : "+") + part.best.engine;
  }
  return whole;
}

}  // namespace

std::optional<Decision> decide_by_parts(const PlacementProblem& problem,
                                        const engine::SearchParams& params,
                                        const DecideParams& settings) {
  if (params.goal != Objective::cost || params.at_most || params.proof != nullptr)
    return std::nullopt;
  if (problem.buffers.size() > most_buffers) return std::nullopt;
  std::vector<std::vector<BufferIndex>> buffers = facts::independent_parts(problem);
  if (buffers.size() < 2) return std::nullopt;
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const auto& one, const auto& two) { return one.size() < two.size(); });
  std::vector<OwnProblem> parts;
  for (std::vector<BufferIndex>& each : buffers) {
    PlacementProblem part = restricted(problem, each).problem;
    parts.push_back({std::move(each), std::move(part), {}, 0, 0});
  }
  constexpr int rounds = 2;
  for (int round = 0; round < rounds; ++round) {
    auto open = std::count_if(parts.begin(), parts.end(),
                              [](const OwnProblem& part) { return !part.proved(); });
    for (OwnProblem& part : parts) {
      if (part.proved()) continue;
      if (round > 0 && params.budget.exhausted()) break;
      engine::SearchParams own = params;
      // Most parts are solved at once; the others restart with the remaining time.
      own.budget.deadline =
          engine::share_of_time(params.budget, round == 0 ? first_share * open : open);
      ask(part, own, settings);
      if (part.best.found.status == Status::infeasible) return std::move(part.best);
      --open;
    }
    // Without a deadline a second round would find the same.
    if (params.budget.deadline == Clock::time_point::max()) break;
  }
  for (OwnProblem& part : parts)
    if (!part.placed()) return std::move(part.best);
  return together(problem, parts);
}

}  // namespace tessera::placer
