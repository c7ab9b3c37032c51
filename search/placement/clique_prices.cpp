#include "search/placement/clique_prices.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "engine/hitting_set.h"
#include "search/placement/clique_rules.h"

namespace tessera::search {
namespace {

constexpr int most_rounds = 200;
/// Rounds without a higher bound before it stops.
constexpr int rounds_without_gain = 25;
/// Per round: cliques grown, rules added, and steps of prices.
constexpr int cliques_per_round = 3000;
constexpr std::size_t rules_per_round = 100;
constexpr int steps_per_round = 300;
/// The final prices are computed more accurately.
constexpr int last_steps = 2000;

}  // namespace

CliquePrices cost_bound_by_prices(const PlacementProblem& problem, Cost known,
                                  const Budget& budget) {
  CliquePrices proved;
  CliqueRules cliques(problem);
  const Cost all = std::accumulate(cliques.costs().begin(), cliques.costs().end(), Cost{0});
  if (all == 0 || all > engine::most_summed_costs) return proved;
  engine::HittingSet sets(cliques.costs());
  Random random(mix(0, cliques.costs().size()));
  int failures_in_a_row = 0;
  for (int round = 0; round < most_rounds && !budget.exhausted(); ++round) {
    ++proved.rounds;
    std::vector<engine::HittingRule> broken =
        cliques.broken_by(sets.share(), random, cliques_per_round);
    if (broken.size() > rules_per_round) broken.resize(rules_per_round);
    for (engine::HittingRule& rule : broken) sets.add(std::move(rule));
    const double before = sets.proved();
    if (sets.raise_bound(known, steps_per_round, budget) >= known) break;
    failures_in_a_row = sets.proved() > before + 0.02 ? 0 : failures_in_a_row + 1;
    if (failures_in_a_row > rounds_without_gain) break;
    if (round % 12 == 11) sets.forget_unused();
  }
  if (sets.bound() < known) sets.raise_bound(known, last_steps, budget);
  proved.bound = std::min(sets.bound(), known);
  proved.rules = static_cast<std::int64_t>(sets.rules());
  sets.forget_unused();
  for (std::size_t r = 0; r < sets.rules(); ++r) {
    engine::HittingRule rule = sets.rule(r);
    engine::PairRule kept{.pairs = {}, .weights = std::move(rule.weights), .least = rule.least};
    for (const std::uint32_t item : rule.items) kept.pairs.push_back(cliques.pairs()[item]);
    proved.kept.push_back(std::move(kept));
  }
  const std::vector<signed char> sides = sets.decided(known - 1);
  for (std::size_t i = 0; i < sides.size(); ++i)
    if (sides[i] > 0) proved.apart.push_back(cliques.pairs()[i]);
  return proved;
}

}  // namespace tessera::search
