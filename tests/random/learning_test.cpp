// Proofs of the learning engine: every refutation is accepted, and no wrong one is. Each switch
// separately: results stay the same.
#include "encoder/explain.h"
#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "model/derived.h"
#include "model/size_layer.h"
#include "placer/switches.h"
#include "proof/check_proof.h"
#include "search/learning/engine.h"
#include "tessera/check.h"
#include "tests/random/agreement.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/proofs.h"
#include "tests/support/random_problem.h"

namespace tessera {
namespace {

using namespace encoder;

using testing::expect_agreement;
using testing::expect_session_agreement;
using testing::Features;
using testing::Random;

proof::ProofPart verdict_of(const PlacementProblem& problem, const std::string& proof) {
  return proof::check_proof_of(problem, {}, "derivation", proof);
}

engine::SearchResult solve(const PlacementProblem& problem, const search::LearningParams& params,
                           testing::TextSink* proof = nullptr, std::uint64_t seed = 0) {
  engine::SearchParams search;
  search.seed = seed;
  search.proof = proof;
  return search::make_learning_engine(params)->solve(problem, search);
}

/// A flat load: hard for its size, often barely infeasible.
PlacementProblem flat_problem(Random& random, int buffers, Size capacity) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  const Step steps = 8;
  std::vector<Size> load(static_cast<std::size_t>(steps), 0);
  for (int b = 0; b < buffers * 20 && static_cast<int>(problem.buffers.size()) < buffers; ++b) {
    const Step lower = random.between(0, steps - 1);
    const Step upper = random.between(lower + 1, std::min(steps, lower + 4));
    Size size = random.between(2, capacity / 3);
    for (Step t = lower; t < upper; ++t)
      size = std::min(size, capacity - load[static_cast<std::size_t>(t)]);
    if (size <= 0) continue;
    for (Step t = lower; t < upper; ++t) load[static_cast<std::size_t>(t)] += size;
    problem.buffers.push_back(
        {.id = "b" + std::to_string(b), .live = {{lower, upper}}, .size = size});
  }
  // Fill up the remaining load at each step.
  for (Step t = 0; t < steps; ++t) {
    const Size rest = capacity - load[static_cast<std::size_t>(t)];
    if (rest == 0) continue;
    Step upper = t;
    while (upper < steps && load[static_cast<std::size_t>(upper)] + rest <= capacity)
      load[static_cast<std::size_t>(upper++)] += rest;
    problem.buffers.push_back({.id = "f" + std::to_string(t), .live = {{t, upper}}, .size = rest});
  }
  return problem;
}

void expect_certified(const Features& features, std::uint64_t first, int at_least) {
  int certified = 0;
  for (std::uint64_t seed = first; seed < first + 1500; ++seed) {
    Random random(seed);
    const PlacementProblem problem = random_problem(random, features);
    testing::TextSink proof;
    const auto found = solve(problem, {}, &proof, seed);
    ASSERT_NE(found.status, Status::unknown);
    if (found.status == Status::feasible) continue;
    const auto verdict = verdict_of(problem, proof.text);
    EXPECT_TRUE(verdict.accepted) << "seed " << seed << ": " << verdict.reason;
    ++certified;
  }
  std::cout << certified << " certified\n";
  EXPECT_GT(certified, at_least);
}

TEST(RandomLearning, CertificatesOfOneAddressSpaceAreAccepted) {
  expect_certified(Features::one_address_space(), 1, 200);
}

TEST(RandomLearning, CertificatesOfTheWholeModelAreAccepted) {
  expect_certified(Features::all(), 1, 200);
}

// No certificate can be modified to apply to a feasible problem: here for a flat load with a larger
// capacity, in certificate_test.cpp for the whole model.
TEST(RandomLearning, MisplacedProofsAreRejected) {
  int rejected = 0;
  for (std::uint64_t seed = 1; rejected < 200 && seed < 4000; ++seed) {
    Random random(seed);
    const PlacementProblem problem = flat_problem(random, 12, 40);
    testing::TextSink proof;
    if (solve(problem, {}, &proof).status != Status::infeasible) continue;
    const auto whole = verdict_of(problem, proof.text);
    ASSERT_TRUE(whole.accepted) << "seed " << seed << ": " << whole.reason;
    EXPECT_FALSE(verdict_of(problem, proof.text.substr(0, proof.text.rfind("l "))).accepted);
    PlacementProblem roomy = problem;
    roomy.memories[0].capacity += 400;
    EXPECT_FALSE(verdict_of(roomy, proof.text).accepted) << seed;
    for (int change = 0; change < 5; ++change) {
      const std::string forged = testing::damaged(random, proof.text, proof.text);
      EXPECT_FALSE(verdict_of(roomy, forged).accepted) << seed;
      ++rejected;
    }
  }
  EXPECT_GE(rejected, 200);
}

TEST(RandomLearning, EverySwitchKeepsTheAnswers) {  // each switch inverted
  for (const placer::Switch& each : placer::switches_of("learning")) {
    SCOPED_TRACE(each.name);
    placer::EngineParams params;
    each.rule(params) = !each.rule(params);
    expect_agreement(
        *search::make_learning_engine(params.learning),
        {.features = Features::all(),
         .count = 100,
         .seed = 5000,
         .goals = {Objective::fit, Objective::cost, Objective::modes, Objective::switches},
         .must_support = true});
  }
}

TEST(RandomLearning, SessionsAnswerLikeAFreshSolve) {
  expect_session_agreement(
      *search::make_learning_engine({}),
      {.features = Features::all(),
       .count = 700,
       .goals = {Objective::cost, Objective::fit, Objective::modes, Objective::switches}});
  expect_session_agreement(*search::make_learning_engine({}),
                           {.features = Features::one_address_space(), .count = 700, .seed = 9000});
}

TEST(RandomLearning, LiveRulesAnswerLikeAFreshSolve) {
  search::LearningParams params;
  params.recall = false;
  for (const Features& features : {Features::all(), Features::one_address_space()})
    expect_session_agreement(
        *search::make_learning_engine(params),
        {.features = features, .count = 400, .seed = 20000, .memo = false, .layers = 12});
}

/// Other sizes, usually close and in one direction; sometimes the first ones again.
SizeLayer next_layer(Random& random, const SizeLayer& first, const SizeLayer& last) {
  if (random.chance(10)) return first;
  SizeLayer next = last;
  const std::int64_t direction = random.chance(50) ? 1 : -1;
  for (Size& size : next.sizes)
    if (random.chance(30)) size = std::max<Size>(1, size + direction * random.between(0, 2));
  if (random.chance(50)) next.capacities[0] += random.between(-3, 3);
  return next;
}

// Flat loads lead to conflicts, so that clauses are kept. Every third query is stopped early.
TEST(RandomLearning, KeptClausesAndStoppedQueriesChangeNoAnswer) {
  search::LearningParams params;
  params.recall = false;
  const auto engine = search::make_learning_engine(params);
  const testing::RandomRun run = testing::from_environment({.seed = 1, .count = 200});
  std::int64_t kept = 0;
  std::int64_t stopped = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    Random random(seed);
    const int buffers = static_cast<int>(random.between(10, 22));
    PlacementProblem problem = flat_problem(random, buffers, 48);
    if (random.chance(20))
      for (Buffer& buffer : problem.buffers) buffer.alignment = random.chance(30) ? 2 : 1;
    const auto session = engine->open(problem);
    const SizeLayer first = size_layer(problem);
    SizeLayer layer = first;
    for (int query = 0; query < 20; ++query) {
      layer = next_layer(random, first, layer);
      replace_sizes(problem, layer);
      if (random.chance(33)) {
        const auto early = session->solve(layer, {.budget = {.max_nodes = random.between(0, 5)}});
        stopped += early.status == Status::unknown ? 1 : 0;
      }
      const auto found = session->solve(layer, {});
      kept += found.kept;
      ASSERT_EQ(found.status, solve(problem, {}).status) << "seed " << seed << " query " << query;
      if (!found.placement) continue;
      ASSERT_TRUE(tessera::check(problem, *found.placement, 1).empty()) << "seed " << seed;
    }
  }
  EXPECT_GT(kept, static_cast<std::int64_t>(run.count));
  EXPECT_GT(stopped, static_cast<std::int64_t>(run.count) / 4);
}

TEST(RandomLearning, TheBuffersOfARefutationDoNotFitByThemselves) {
  int told = 0;
  int fewer = 0;
  const testing::RandomRun run = testing::from_environment({.seed = 1, .count = 3000});
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    Random random(seed);
    const PlacementProblem problem =
        random_problem(random, seed % 2 == 0 ? Features::all() : Features::one_address_space());
    engine::SearchParams search;
    search.seed = seed;
    search.tell_used = true;
    const engine::SearchResult found = search::make_learning_engine({})->solve(problem, search);
    if (found.used.empty()) continue;
    ASSERT_EQ(found.status, Status::infeasible) << "seed " << seed;
    ++told;
    fewer += found.used.size() < problem.buffers.size() ? 1 : 0;
    const PlacementProblem part = part_of(problem, found.used, hardware_rules(problem));
    EXPECT_FALSE(testing::brute_force(part)) << "seed " << seed;
  }
  EXPECT_GT(told * 20, static_cast<int>(run.count));
  EXPECT_GT(fewer * 40, static_cast<int>(run.count));
}

TEST(RandomLearning, ExplanationsByItAreMinimal) {
  const auto engine = search::make_learning_engine({});
  const int wanted = static_cast<int>(testing::effort(150));
  int explained = 0;
  for (std::uint64_t seed = 1; explained < wanted; ++seed) {
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    const encoder::Explanation why = explain(problem, {.budget = {}, .engine = engine.get()});
    ASSERT_EQ(why.status == Status::feasible, testing::brute_force(problem).has_value()) << seed;
    if (why.status == Status::feasible) continue;
    ++explained;
    ASSERT_TRUE(why.minimal) << seed;
    EXPECT_FALSE(testing::brute_force(part_of(problem, why.buffers, why.rules))) << seed;
    for (const BufferIndex out : why.buffers) {
      std::vector<BufferIndex> rest = why.buffers;
      std::erase(rest, out);
      EXPECT_TRUE(testing::brute_force(part_of(problem, rest, why.rules))) << seed;
    }
    for (const HardwareRule& out : why.rules) {
      std::vector<HardwareRule> rest = why.rules;
      std::erase(rest, out);
      EXPECT_TRUE(testing::brute_force(part_of(problem, why.buffers, rest))) << seed;
    }
  }
}

// Most of these have 15 to 30 buffers.
TEST(RandomLearning, AgreesWithTheGeneralEngines) {
  Features features = Features::all();
  features.scale = 4;
  const auto learning = search::make_learning_engine({});
  const auto sat = encoder::make_sat_engine({});
  const auto smt = encoder::make_smt_engine({});
  std::vector<engine::PlacementEngine*> engines = {learning.get(), sat.get(), smt.get()};
  std::erase(engines, nullptr);  // smt, in a build without Z3
  const auto report = compare_engines(
      engines, testing::with_environment({.features = features,
                                          .count = 15,
                                          .goals = {Objective::fit, Objective::cost},
                                          .patience = std::chrono::milliseconds(1000)}));
  testing::expect_no_disagreement(report);
  EXPECT_LT(report.unsupported, report.asked / 2 + 1) << "too few answers were confirmed";
}

TEST(RandomLearning, ABoundOfAStoppedSearchIsABound) {
  int stopped = 0;
  Features features = Features::all();
  features.scale = 2;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const PlacementProblem problem = random_problem(random, features);
    engine::SearchParams search;
    search.goal = seed % 2 == 0   ? Objective::cost
                  : seed % 4 == 1 ? Objective::modes
                                  : Objective::switches;
    const auto best = search::make_learning_engine({})->solve(problem, search);
    search.budget.max_nodes = static_cast<std::int64_t>(1 + seed / 2 % 4);
    const auto early = search::make_learning_engine({})->solve(problem, search);
    if (early.status != Status::feasible || early.stop == StopReason::completed) continue;
    ++stopped;
    EXPECT_LE(early.bound, best.bound) << seed;
  }
  EXPECT_GT(stopped, 0);
}

TEST(RandomLearning, NoClauseExcludesAKnownPlacement) {
  // Guard: learned clauses are checked against a known placement.
  int guarded = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const PlacementProblem problem = flat_problem(random, 16, 50);
    const auto found = solve(problem, {.rests = false, .symmetry = false});
    if (found.status != Status::feasible) continue;
    search::LearningParams params{.rests = false, .symmetry = false, .guard = &*found.placement};
    for (const bool place : {false, true}) {
      params.place_search = place;
      const auto again = solve(problem, params, {}, seed);
      EXPECT_EQ(again.status, Status::feasible) << seed;
    }
    ++guarded;
  }
  EXPECT_GT(guarded, 20);
}

}  // namespace
}  // namespace tessera
