// The baselines against brute force, and against an engine of ours where brute force ends.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <vector>

#include "agreement.h"
#include "baselines/engines.h"
#include "search/learning/engine.h"

namespace tessera::testing {
namespace {

/// What the baselines take.
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

void expect_like_brute_force(const std::unique_ptr<PlacementEngine>& engine, std::size_t count) {
  if (!engine) GTEST_SKIP() << "this build has no such engine";
  const auto ask = [&](const Features& features, bool must_support, std::size_t share) {
    const AgreementReport report = compare_with_oracle(
        *engine,
        with_environment(
            {.features = features,
             .count = count / share,
             .magnify =
                 false,  // trying one value after the other takes as long as there are values
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
  expect_like_brute_force(make_ilp_engine(), 300);
}

TEST(RandomBaselines, CpAgreesWithTheOracle) {
  expect_like_brute_force(make_cp_engine(), 1000);
}

TEST(RandomBaselines, AgreeOnProblemsOfFifteenToThirtyBuffers) {
  const auto ilp = make_ilp_engine();
  const auto cp = make_cp_engine();
  const auto learning = make_learning_engine({});
  std::vector<PlacementEngine*> engines = {learning.get(), ilp.get(), cp.get()};
  std::erase(engines, nullptr);
  Features features = positions();
  features.scale = 4;
  expect_no_disagreement(compare_engines(
      engines,
      with_environment(
          {.features = features, .count = 40, .patience = std::chrono::milliseconds(300)})));
}

}  // namespace
}  // namespace tessera::testing
