// Lexicographic objectives, against every placement of every set of buffers.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <vector>

#include "agreement.h"
#include "io/placement_json.h"
#include "io/problem_yaml.h"
#include "optional_problems.h"
#include "tessera/check.h"
#include "tessera/check_result.h"
#include "tessera/place.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/problem_text.h"

namespace tessera::testing {
namespace {

/// Height, cost, and the missing benefit: all are minimised.
using Values = std::vector<std::int64_t>;

Values values_of(const PlacementProblem& problem, const Placement& placement,
                 const std::vector<Objective>& objectives) {
  Values values;
  for (const Objective each : objectives) {
    if (each == Objective::height) {
      const std::vector<Size> high = heights(problem, placement);
      values.push_back(*std::max_element(high.begin(), high.end()));
    } else if (each == Objective::cost) {
      values.push_back(soft_cost(problem, placement));
    } else {
      values.push_back(-benefit_of(problem, placement));
    }
  }
  return values;
}

/// The best over all offsets of one small memory, by enumeration.
class EveryPlacement {
 public:
  EveryPlacement(const PlacementProblem& problem, const std::vector<Objective>& objectives)
      : problem_(problem), objectives_(objectives) {
    placement_.places.resize(problem.buffers.size());
    placement_.modes.resize(1);
  }
  std::optional<Values> best(std::vector<BufferIndex> left_out) {
    placement_.left_out = std::move(left_out);
    best_.reset();
    try_from(0);
    return best_;
  }

 private:
  void try_from(BufferIndex b) {
    if (b == problem_.buffers.size()) {
      if (!check(problem_, placement_).empty()) return;
      Values values = values_of(problem_, placement_, objectives_);
      if (!best_ || values < *best_) best_ = std::move(values);
      return;
    }
    placement_.places[b] = {};
    if (std::binary_search(placement_.left_out.begin(), placement_.left_out.end(), b)) {
      try_from(b + 1);
      return;
    }
    const Buffer& buffer = problem_.buffers[b];
    for (Offset at = 0; at + buffer.size <= problem_.memories[0].capacity; ++at) {
      placement_.places[b].offset = at;
      try_from(b + 1);
    }
  }

  const PlacementProblem& problem_;
  const std::vector<Objective>& objectives_;
  Placement placement_;
  std::optional<Values> best_;
};

std::optional<Values> best_of_all(const PlacementProblem& problem,
                                  const std::vector<Objective>& objectives) {
  std::vector<BufferIndex> optional;
  if (std::find(objectives.begin(), objectives.end(), Objective::benefit) != objectives.end())
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
      if (problem.buffers[b].optional) optional.push_back(b);
  EveryPlacement every(problem, objectives);
  std::optional<Values> best;
  for (unsigned set = 0; set < 1U << optional.size(); ++set) {
    std::vector<BufferIndex> out;
    for (std::size_t k = 0; k < optional.size(); ++k)
      if ((set >> k & 1U) != 0) out.push_back(optional[k]);
    const std::optional<Values> values = every.best(out);
    if (values && (!best || *values < *best)) best = values;
  }
  return best;
}

PlacementProblem tiny(Random& random) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = random.between(3, 6)});
  const auto count = static_cast<std::size_t>(random.between(2, 5));
  for (std::size_t b = 0; b < count; ++b) {
    const Step lower = random.between(0, 3);
    Buffer buffer{.id = std::string(1, static_cast<char>('a' + b)),
                  .live = {{lower, lower + random.between(1, 3)}},
                  .size = random.between(1, 3)};
    if (random.chance(20)) buffer.alignment = 2;
    if (random.chance(60)) {
      buffer.optional = true;
      buffer.benefit = random.between(0, 3) * 500;
      if (random.chance(25)) buffer.group = "g";
    }
    problem.buffers.push_back(std::move(buffer));
  }
  for (std::int64_t r = random.between(0, 3); r > 0; --r) {
    const BufferIndex a = random.below(count);
    const BufferIndex b = (a + 1 + random.below(count - 1)) % count;
    const RelationKind kind = random.pick(std::vector<RelationKind>{
        RelationKind::avoid_overlap, RelationKind::avoid_overlap, RelationKind::disjoint,
        RelationKind::may_overlap, RelationKind::adjacent});
    const Cost cost = kind == RelationKind::avoid_overlap ? random.between(1, 4) : 0;
    problem.relations.push_back({.kind = kind, .buffers = {a, b}, .cost = cost});
  }
  return problem;
}

PlaceParams as_the_input_says() {
  PlaceParams params;
  params.minimize = std::nullopt;
  params.limits.threads = 1;
  return params;
}

/// The result for these objectives in order, which become the problem's; none if the problem is
/// then invalid.
std::optional<PlacementResult> asked_in_order(PlacementProblem& problem,
                                              const std::vector<Objective>& objectives) {
  problem.objective = objectives.front();
  problem.next_objectives = {objectives.begin() + 1, objectives.end()};
  if (!validate(problem).empty()) return std::nullopt;
  return place(problem, as_the_input_says());
}

TEST(RandomInOrder, EveryObjectiveIsTheBestAtThoseBeforeIt) {
  const RandomRun run = from_environment({1, 600});
  std::size_t feasible = 0;
  std::size_t traded = 0;  // the second objective alone would have been better
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    PlacementProblem problem = tiny(random);
    std::vector<Objective> objectives{Objective::height, Objective::cost, Objective::benefit};
    random.shuffle(objectives);
    if (random.chance(50)) objectives.pop_back();
    const auto answer = asked_in_order(problem, objectives);
    if (!answer) continue;
    const PlacementResult& result = *answer;
    const std::optional<Values> best = best_of_all(problem, objectives);
    ASSERT_EQ(result.status == Status::feasible, best.has_value()) << to_yaml(problem);
    if (!best) {
      ASSERT_EQ(result.status, Status::infeasible);
      continue;
    }
    ++feasible;
    ASSERT_EQ(values_of(problem, *result.placement, objectives), *best) << to_yaml(problem);
    ASSERT_EQ(result.objectives.size(), objectives.size());
    for (std::size_t k = 0; k < objectives.size(); ++k) {
      const std::int64_t value = objectives[k] == Objective::benefit ? -(*best)[k] : (*best)[k];
      const ObjectiveValue& said = result.objectives[k];
      EXPECT_EQ(said.value, value) << said.name << to_yaml(problem);
      EXPECT_EQ(said.bound, value) << said.name << to_yaml(problem);
      EXPECT_TRUE(said.proved) << said.name << to_yaml(problem);
    }
    const std::vector<Objective> second{objectives[1]};
    // With all of them placed, unless the second objective is the benefit.
    const std::optional<Values> alone = best_of_all(problem, second);
    if (alone && alone->front() < (*best)[1]) ++traded;
    // Results survive writing and reading, and are accepted; with another value they are rejected.
    PlacementResult again =
        io::read_placement_json(io::write_placement_json(problem, result), "r.json", problem);
    const ResultVerdict verdict = check_result(problem, again, {});
    ASSERT_TRUE(verdict.wrong.empty()) << verdict.wrong.front().message << to_yaml(problem);
    ASSERT_EQ(io::write_problem_yaml(
                  io::read_problem_yaml(io::write_problem_yaml(problem), "p.yaml", {}).problem),
              io::write_problem_yaml(problem));
    ++again.objectives.back().value;
    ASSERT_FALSE(check_result(problem, again, {}).wrong.empty());
  }
  std::cout << feasible << " with a placement, " << traded
            << " where the second objective alone is better\n";
  if (run.count < 600) return;
  EXPECT_GT(feasible, run.count / 2);
  EXPECT_GT(traded, run.count / 20);
}

/// Buffers tied to one of two or three memories.
PlacementProblem tiny_memories(Random& random) {
  PlacementProblem problem;
  const auto memories = static_cast<std::size_t>(random.between(2, 3));
  for (std::size_t m = 0; m < memories; ++m)
    problem.memories.push_back({.name = "m" + std::to_string(m),
                                .capacity = random.chance(20) ? unbounded : random.between(3, 7),
                                .alignment = random.chance(20) ? Size{2} : Size{1}});
  const std::size_t count = memories * static_cast<std::size_t>(random.between(2, 3));
  for (std::size_t b = 0; b < count; ++b) {
    const Step lower = random.between(0, 4);
    problem.buffers.push_back({.id = "b" + std::to_string(b),
                               .live = {{lower, lower + random.between(1, 3)}},
                               .size = random.between(1, 3),
                               .memories = {b % memories}});
  }
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (random.chance(10)) problem.relations.push_back({RelationKind::disjoint, {a, b}, 0});
      if (random.chance(60))
        problem.relations.push_back({RelationKind::avoid_overlap, {a, b}, random.between(1, 4)});
    }
  return problem;
}

/// The minimum height of each memory, then the minimum cost at these heights, memory by memory, by
/// brute force; none if a memory is infeasible.
std::optional<std::pair<std::vector<Size>, Cost>> memory_by_memory(
    const PlacementProblem& problem) {
  std::vector<Size> high;
  Cost cost = 0;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    std::vector<char> others;
    for (const Buffer& buffer : problem.buffers)
      others.push_back(buffer.memories.front() != m ? 1 : 0);
    PlacementProblem own = rest_of(problem, others);
    high.push_back(0);
    if (own.buffers.empty()) continue;
    Size row = 0;  // the total of all sizes
    for (const Buffer& buffer : own.buffers) row += buffer.size + own.memories[m].alignment - 1;
    for (Memory& memory : own.memories) memory.capacity = std::min(memory.capacity, row);
    const auto least = brute_force(own, OracleGoal::height);
    if (!least) return std::nullopt;
    high.back() = own.memories[m].capacity = least->value;
    cost += brute_force(own, OracleGoal::cost)->value;
  }
  return std::pair(high, cost);
}

TEST(RandomInOrder, CostsAreTheLeastAtTheHeightsOfSeveralMemories) {
  const RandomRun run = from_environment({1, 400});
  std::size_t feasible = 0;
  std::size_t paid = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    PlacementProblem problem = tiny_memories(random);
    const auto best = memory_by_memory(problem);
    const auto answer = asked_in_order(problem, {Objective::height, Objective::cost});
    ASSERT_TRUE(answer.has_value());
    ASSERT_EQ(answer->status, best ? Status::feasible : Status::infeasible) << to_yaml(problem);
    if (!best) continue;
    ++feasible;
    if (best->second > 0) ++paid;
    ASSERT_EQ(answer->heights, best->first) << to_yaml(problem);
    ASSERT_EQ(answer->cost, best->second) << to_yaml(problem);
    ASSERT_EQ(answer->objectives.size(), 2U);
    EXPECT_EQ(answer->objectives[1].bound, best->second) << to_yaml(problem);
    EXPECT_TRUE(answer->objectives[1].proved) << to_yaml(problem);
    // With a limit: all statements stay true.
    PlaceParams brief = as_the_input_says();
    brief.limits.work = random.between(1, 3);
    const PlacementResult some = place(problem, brief);
    ASSERT_NE(some.status, Status::infeasible) << to_yaml(problem);
    if (some.status != Status::feasible || some.heights != best->first) continue;
    EXPECT_LE(some.objectives[1].bound, best->second) << to_yaml(problem);
    EXPECT_GE(some.cost, best->second) << to_yaml(problem);
  }
  std::cout << feasible << " with a placement, " << paid << " that pay\n";
  if (run.count < 400) return;
  EXPECT_GT(feasible, run.count / 3);
  EXPECT_GT(paid, run.count / 10);
}

/// With every feature of the model, in several memories: the first objective has the same value as
/// alone, and the bounds on the others are valid.
TEST(RandomInOrder, TheFirstIsWhatItIsAlone) {
  const RandomRun run = from_environment({1, 400});
  std::size_t feasible = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    PlacementProblem problem =
        random_problem(random, seed % 2 == 0 ? Features::all() : Features::all_with_parts());
    std::vector<Objective> objectives{Objective::height, Objective::cost};
    random.shuffle(objectives);
    if (random.chance(50)) {
      make_optional(problem, random);
      objectives.insert(objectives.begin() + random.between(0, 2), Objective::benefit);
    }
    const auto answer = asked_in_order(problem, objectives);
    if (!answer) continue;
    const PlacementResult& result = *answer;
    PlacementProblem alone = problem;
    alone.next_objectives.clear();
    // With optional buffers, the minimum of the first objective is that of the required ones.
    if (alone.objective != Objective::benefit && objectives.size() == 3) {
      const std::vector<char> out = [&] {
        std::vector<char> optional;
        for (const Buffer& buffer : problem.buffers) optional.push_back(buffer.optional ? 1 : 0);
        return optional;
      }();
      alone = rest_of(alone, out);
      alone.objective = problem.objective;
    }
    ASSERT_NE(result.status, Status::unknown) << result.reason << to_yaml(problem);
    if (alone.buffers.empty()) continue;
    const PlacementResult first = place(alone, as_the_input_says());
    ASSERT_EQ(result.status, first.status) << to_yaml(problem);
    if (result.status != Status::feasible) continue;
    ++feasible;
    ASSERT_EQ(result.objectives.front(), first.objectives.front()) << to_yaml(problem);
    const ResultVerdict verdict = check_result(problem, result, {});
    ASSERT_TRUE(verdict.wrong.empty()) << verdict.wrong.front().message << to_yaml(problem);
    // No complete engine supports parts together with all other features.
    if (seed % 2 != 0) continue;
    for (const ObjectiveValue& each : result.objectives)
      ASSERT_TRUE(each.proved) << each.name << to_yaml(problem);
  }
  std::cout << feasible << " with a placement\n";
  EXPECT_GT(feasible, run.count / 10);
}

}  // namespace
}  // namespace tessera::testing
