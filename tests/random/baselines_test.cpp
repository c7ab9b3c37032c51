// The baselines against brute force, and against one of our engines on larger problems.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <vector>

#include "agreement.h"
#include "baselines/engines.h"
#include "search/learning/engine.h"
#include "tessera/check.h"
#include "tessera/place.h"
#include "tests/support/effort.h"
#include "tests/support/problem_text.h"

namespace tessera::testing {
namespace {

/// The features that the baselines support.
Features positions() {
  Features features;
  features.alignment = true;
  features.intervals = true;
  features.fixed_offsets = true;
  features.windows = true;
  features.reserved = true;
  features.several_memories = true;
  features.relations = {RelationKind::may_overlap, RelationKind::disjoint,
                        RelationKind::avoid_overlap};
  return features;
}

void expect_like_brute_force(const std::unique_ptr<engine::PlacementEngine>& engine,
                             std::size_t count) {
  if (!engine) GTEST_SKIP() << "this build has no such engine";
  const auto ask = [&](const Features& features, bool must_support, std::size_t share) {
    const AgreementReport report = compare_with_oracle(
        *engine,
        with_environment(
            {.features = features,
             .count = count / share,
             .magnify = false,  // enumerating values takes time proportional to their number
             .may_give_up = true,
             .must_support = must_support}));
    expect_no_disagreement(report);
    std::cout << "  given up: " << report.given_up << '\n';
  };
  ask(positions(), true, 1);
  ask(Features::plain(), true, 2);
  ask(Features::all(), false, 2);
}

TEST(RandomBaselines, IlpAgreesWithTheOracle) {
  expect_like_brute_force(baselines::make_ilp_engine(), 300);
}

TEST(RandomBaselines, CpAgreesWithTheOracle) {
  expect_like_brute_force(baselines::make_cp_engine(), 1000);
}

TEST(RandomBaselines, AgreeOnProblemsOfFifteenToThirtyBuffers) {
  const auto ilp = baselines::make_ilp_engine();
  const auto cp = baselines::make_cp_engine();
  const auto learning = search::make_learning_engine({});
  std::vector<engine::PlacementEngine*> engines = {learning.get(), ilp.get(), cp.get()};
  std::erase(engines, nullptr);
  Features features = positions();
  features.scale = 4;
  expect_no_disagreement(compare_engines(
      engines,
      with_environment(
          {.features = features, .count = 40, .patience = std::chrono::milliseconds(300)})));
}

/// The same problem in numbers without common divisors, slightly looser or tighter.
void enlarge(PlacementProblem& problem, Random& random) {
  constexpr Size granule = 99'991;
  for (Memory& memory : problem.memories) memory.capacity *= granule;
  for (Buffer& buffer : problem.buffers) {
    buffer.size = buffer.size * granule - random.between(0, granule / 40);
    if (buffer.alignment > 1) buffer.alignment = 4096 * buffer.alignment;
  }
}

/// Enumerating addresses would take too long, and floating point cannot distinguish them.
TEST(RandomBaselines, AnswerAtLargeAddresses) {
  const auto ilp = baselines::make_ilp_engine();
  const auto cp = baselines::make_cp_engine();
  const auto learning = search::make_learning_engine({});
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds patience(setting("TESSERA_PATIENCE_MS", 1000));
  const RandomRun run = from_environment({1, 300});
  Features features;
  features.alignment = features.intervals = features.several_memories = true;
  features.relations = {RelationKind::may_overlap, RelationKind::disjoint};
  for (const auto& engine : {ilp.get(), cp.get()}) {
    if (engine == nullptr) continue;
    std::size_t open = 0;
    std::size_t infeasible = 0;
    const auto start = Clock::now();
    for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
      Random random(seed);
      PlacementProblem problem = random_problem(random, features);
      enlarge(problem, random);
      const engine::SearchResult answer =
          engine->solve(problem, {.budget = {.deadline = Clock::now() + patience}});
      if (answer.status == Status::unknown) {
        ++open;
        continue;
      }
      const engine::SearchResult other = learning->solve(problem, {});
      ASSERT_EQ(answer.status, other.status) << engine->name() << " is wrong; seed " << seed << '\n'
                                             << to_yaml(problem);
      infeasible += answer.status == Status::infeasible ? 1 : 0;
      if (answer.placement) {
        ASSERT_TRUE(check(problem, *answer.placement).empty()) << "seed " << seed;
      }
    }
    const std::chrono::duration<double> took = Clock::now() - start;
    std::cout << engine->name() << ": " << run.count << " asked, " << infeasible << " refuted, "
              << open << " undecided, " << took.count() << " s\n";
    EXPECT_LE(open, run.count / 20) << engine->name();
    EXPECT_GT(infeasible, run.count / 10) << engine->name();
  }
}

/// Problems of 15 to 30 buffers, beyond brute force: every engine that decides agrees with the
/// integer program. TESSERA_PATIENCE_MS is its time limit per problem.
TEST(RandomBaselines, NobodyContradictsIlpOnFifteenToThirtyBuffers) {
  const auto ilp = baselines::make_ilp_engine();
  if (!ilp) GTEST_SKIP() << "this build has no such engine";
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds patience(setting("TESSERA_PATIENCE_MS", 300));
  const RandomRun run = from_environment({1, 40});
  Features features = positions();
  features.scale = 4;
  // Soft rules.
  std::erase(features.relations, RelationKind::avoid_overlap);
  features.soft_costs = true;
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t open = 0;
  std::size_t confirmed = 0;
  std::uint64_t seed = run.seed;
  for (std::size_t asked = 0; asked < run.count; ++seed) {
    Random random(seed);
    const PlacementProblem problem = random_problem(random, features);
    if (problem.buffers.size() < 15 || problem.buffers.size() > 30) continue;
    ++asked;
    const engine::SearchResult answer =
        ilp->solve(problem, {.budget = {.deadline = Clock::now() + patience}});
    ++(answer.status == Status::feasible ? yes : answer.status == Status::infeasible ? no : open);
    if (answer.placement) {
      EXPECT_TRUE(check(problem, *answer.placement).empty()) << "seed " << seed;
    }
    if (answer.status == Status::unknown) continue;
    std::size_t same = 0;
    for (const char* name : {"auto", "canonical", "guided"}) {
      const PlacementResult other =
          place(problem, {.engine = name, .limits = {.timeout = patience, .threads = 1}});
      if (other.status == Status::unknown) continue;
      ASSERT_EQ(other.status, answer.status) << name << " contradicts ilp; seed " << seed << '\n'
                                             << to_yaml(problem);
      ++same;
    }
    confirmed += same > 0 ? 1 : 0;
  }
  std::cout << run.count << " asked: ilp placed " << yes << ", refuted " << no << ", undecided "
            << open << "; " << confirmed << " of its answers confirmed\n";
  if (run.count < 40) return;
  EXPECT_GT(yes + no, run.count / 4);
  EXPECT_GT(confirmed, run.count / 4);
}

}  // namespace
}  // namespace tessera::testing
