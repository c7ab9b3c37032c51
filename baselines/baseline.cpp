#include "baselines/baseline.h"

#include <utility>

namespace tessera::baselines {

facts::FeatureSet Baseline::features() const {
  return baselines::features();
}

std::optional<std::string> Baseline::outgrown(const PlacementProblem& problem,
                                              Objective /*goal*/) const {
  const std::int64_t pairs = living_pairs(problem);
  if (pairs <= traits_.most_pairs) return std::nullopt;
  return std::string(traits_.method) + " supports at most " + std::to_string(traits_.most_pairs) +
         " pairs of simultaneously live buffers; this problem has " + std::to_string(pairs) + ".";
}

engine::SearchResult Baseline::solve(const PlacementProblem& problem,
                                     const engine::SearchParams& params) {
  std::vector<std::int64_t> counts(traits_.counted.size(), 0);
  Placement placement;
  placement.places.resize(problem.buffers.size());
  placement.modes.resize(problem.memories.size());
  MemoryResult answer;
  try {
    answer = place_all(problem, params, counts, placement);
  } catch (const BudgetEnded& ended) {
    answer = MemoryResult::given_up(
        ended.reason,
        ended.foreseen
            ? std::string(traits_.method) +
                  " needs more memory than is available for this many pairs of buffers."
            : "A limit was reached while " + std::string(traits_.written) + " written down.");
  }
  engine::SearchResult result;
  result.status = answer.status;
  result.stop = answer.stop;
  result.reason = std::move(answer.reason);
  if (result.status == Status::feasible) result.placement = std::move(placement);
  for (std::size_t k = 0; k < counts.size(); ++k)
    result.stats.push_back({std::string(traits_.counted[k]), counts[k]});
  return result;
}

MemoryResult Baseline::place_all(const PlacementProblem& problem,
                                 const engine::SearchParams& params, std::span<std::int64_t> counts,
                                 Placement& placement) const {
  Poll poll(params.budget);
  poll.check();
  poll.check_memory(traits_.bytes_per_pair * static_cast<double>(living_pairs(problem)));
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Model model = model_of(problem, m, poll);
    if (model.bodies.empty()) continue;
    if (auto why = nowhere(problem, model)) return MemoryResult::refuted(*std::move(why));
    if (model.largest > traits_.most_size)
      return MemoryResult::given_up(StopReason::completed, std::string(traits_.too_large));
    MemoryResult answer = place(model, params, poll, counts);
    if (answer.status != Status::feasible) return answer;
    put(model, answer.offsets, placement);
  }
  return {.status = Status::feasible};
}

}  // namespace tessera::baselines
