// Compares the learning engine with the oracle: every feature, every objective, every switch.
#include "tests/random/agreement.h"

#include <gtest/gtest.h>

#include "search/learning/engine.h"

namespace tessera::search {
namespace {

using testing::AgreementParams;
using testing::expect_agreement;
using testing::Features;

AgreementParams question(const Features& features, std::vector<Objective> goals,
                         std::uint64_t seed) {
  AgreementParams params;
  params.features = features;
  params.count = 300;
  params.seed = seed;
  params.goals = std::move(goals);
  params.must_support = true;
  return params;
}

TEST(LearningAgreement, OnlyLifetimesAndSizes) {
  const auto engine = make_learning_engine({});
  expect_agreement(*engine, question(Features::plain(), {Objective::fit}, 1));
}

TEST(LearningAgreement, OneAddressSpace) {
  const auto engine = make_learning_engine({});
  expect_agreement(*engine, question(Features::one_address_space(), {Objective::fit}, 2));
}

TEST(LearningAgreement, TheWholeModelAndEveryGoal) {
  const auto engine = make_learning_engine({});
  expect_agreement(
      *engine, question(Features::all(), {Objective::fit, Objective::cost, Objective::modes}, 3));
}

}  // namespace
}  // namespace tessera::search
