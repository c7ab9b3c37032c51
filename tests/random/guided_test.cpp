// The guided search is incomplete: its results are compared with brute force, and undecided ones
// are counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <utility>

#include "agreement.h"
#include "model/random.h"
#include "model/restricted.h"
#include "placer/switches.h"
#include "search/guided/engine.h"
#include "tessera/check.h"
#include "tessera/generate.h"
#include "tests/support/random_problem.h"

namespace tessera::testing {
namespace {

AgreementReport asked(const search::GuidedParams& params, AgreementParams how) {
  how.may_give_up = true;
  how.patience = std::chrono::milliseconds(2000);
  how.stop_after = 1;
  const auto engine = search::make_guided_engine(params);
  const AgreementReport report = compare_with_oracle(*engine, with_environment(std::move(how)));
  expect_no_disagreement(report);
  std::cout << "  given up: " << report.given_up << '\n';
  return report;
}

TEST(RandomGuided, AgreesWithTheOracle) {
  const AgreementReport report =
      asked({}, {.features = Features::one_address_space(), .count = 10'000, .must_support = true});
  EXPECT_LT(report.given_up * 10, report.asked);
}

TEST(RandomGuided, AgreesOnTightProblemsOfSizesAndLifetimes) {
  const AgreementReport report =
      asked({}, {.features = Features::plain(), .count = 5000, .must_support = true});
  EXPECT_LT(report.given_up * 10, report.asked);
}

TEST(RandomGuided, AgreesOnTheWholeModel) {
  const AgreementReport report =
      asked({}, {.features = Features::all(), .count = 10'000, .must_support = true});
  EXPECT_LT(report.given_up * 10, report.asked);
}

TEST(RandomGuided, HonoursWhatItDoesNotSupport) {
  asked({}, {.features = Features::all(),
             .count = 2000,
             .goals = {Objective::fit, Objective::cost, Objective::modes}});
}

/// Returns to a random level, or leaves the choice to the search.
class Anywhere final : public search::guided::RetreatChooser {
 public:
  std::optional<std::size_t> choose(const search::guided::Impasse& impasse) override {
    const auto at = static_cast<std::size_t>(
        random_.between(0, static_cast<std::int64_t>(impasse.retreats.size())));
    ++asked;
    EXPECT_GT(impasse.retreats.size(), 0U);
    for (std::size_t k = 1; k < impasse.retreats.size(); ++k)
      EXPECT_LT(impasse.retreats[k].level, impasse.retreats[k - 1].level);
    EXPECT_EQ(impasse.decisions.size(), static_cast<std::size_t>(impasse.retreats[0].level));
    if (at == impasse.retreats.size()) return std::nullopt;
    return at;
  }
  int asked = 0;

 private:
  Random random_{7};
};

TEST(RandomGuided, WhoeverSaysHowFarToGoBackChangesNoAnswer) {
  Anywhere anywhere;
  for (const bool learn : {true, false}) {
    search::GuidedParams params{.learn = learn};
    asked(params, {.features = Features::all(), .count = 1000, .seed = 11'000});
    params.chooser = &anywhere;
    // Tiny problems have few impasses if the solver detects them early.
    params.sections = params.restarts = false;
    params.strategy = search::GuidedStrategy::lifetime;
    asked(params, {.features = Features::all(), .count = 1000, .seed = 12'000});
    asked(params, {.features = Features::one_address_space(), .count = 1000, .seed = 13'000});
    asked(params, {.features = Features::plain(), .count = 1000, .seed = 14'000});
  }
  std::cout << "  impasses: " << anywhere.asked << '\n';
  EXPECT_GT(anywhere.asked, 0);
}

TEST(RandomGuided, NoPartChangesAnAnswer) {
  for (const placer::Switch& part : placer::switches_of("guided")) {
    if (part.rule == nullptr) continue;
    SCOPED_TRACE(part.name);
    placer::EngineParams without;
    part.rule(without) = false;
    search::GuidedParams params = without.guided;
    asked(params, {.features = Features::all(), .count = 500, .seed = 7000});
    params.learn = false;
    asked(params, {.features = Features::one_address_space(), .count = 500, .seed = 9000});
    params.stuck_after = 1;  // so that small trees have stuck subtrees
    asked(params, {.features = Features::one_address_space(), .count = 500, .seed = 9000});
  }
}

TEST(RandomGuided, NoStrategyChangesAnAnswer) {
  using search::GuidedStrategy;
  for (const GuidedStrategy strategy : {GuidedStrategy::lifetime, GuidedStrategy::size,
                                        GuidedStrategy::area, GuidedStrategy::lowest})
    for (const bool learn : {true, false}) {
      SCOPED_TRACE(static_cast<int>(strategy));
      search::GuidedParams params{.strategy = strategy, .restarts = learn, .learn = learn};
      asked(params, {.features = Features::all(), .count = 500, .seed = 21'000});
      params.sections = learn;
      asked(params, {.features = Features::one_address_space(), .count = 500, .seed = 22'000});
    }
}

/// Several problems one after the other are one problem with independent parts.
TEST(RandomGuided, ProblemsOneAfterTheOther) {
  const auto engine = search::make_guided_engine({});
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    PlacementProblem whole;
    bool feasible = true;
    bool infeasible = false;
    for (Step k = 0; k < 3; ++k) {
      PlacementProblem part = random_problem(random, Features::plain());
      part.memories.front().capacity = 12;
      for (Buffer& buffer : part.buffers) buffer.size = std::min<Size>(buffer.size, 12);
      const Status status = engine->solve(part, {}).status;
      feasible = feasible && status == Status::feasible;
      infeasible = infeasible || status == Status::infeasible;
      whole.memories = part.memories;
      for (Buffer buffer : part.buffers) {
        buffer.id = std::to_string(k) + buffer.id;
        for (StepRange& live : buffer.live) live = {live.lower + 1000 * k, live.upper + 1000 * k};
        whole.buffers.push_back(std::move(buffer));
      }
    }
    const engine::SearchResult found = engine->solve(whole, {});
    EXPECT_EQ(found.status == Status::feasible, feasible) << round;
    EXPECT_EQ(found.status == Status::infeasible, infeasible) << round;
    if (found.placement) {
      EXPECT_TRUE(check(whole, *found.placement).empty()) << round;
    }
    if (!infeasible) continue;
    const engine::SearchResult proof = engine->solve(restricted(whole, found.used).problem, {});
    EXPECT_EQ(proof.status, Status::infeasible) << round;
  }
}

/// A microbenchmark of the paper: more buffers than one part may have.
TEST(RandomGuided, TenThousandBuffersThatNeverOverlap) {
  const PlacementProblem problem =
      generate({.kind = "non-overlapping", .buffers = 10'000, .seed = 1});
  const auto engine = search::make_guided_engine({});
  ASSERT_FALSE(engine->unsupported(problem, Objective::fit));
  const engine::SearchResult found = engine->solve(problem, {});
  ASSERT_TRUE(found.placement);
  EXPECT_TRUE(check(problem, *found.placement).empty());
}

}  // namespace
}  // namespace tessera::testing
