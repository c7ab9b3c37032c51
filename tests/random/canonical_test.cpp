#include "search/placement/canonical.h"

#include <gtest/gtest.h>

#include "agreement.h"

namespace tessera::testing {
namespace {

TEST(RandomCanonical, AgreesWithTheOracle) {
  expect_agreement(
      *make_canonical_engine(),
      {.features = Features::one_address_space(), .count = 10'000, .must_support = true});
}

TEST(RandomCanonical, AgreesOnTightProblemsOfSizesAndLifetimes) {
  expect_agreement(*make_canonical_engine(),
                   {.features = Features::plain(), .count = 2000, .must_support = true});
}

TEST(RandomCanonical, HonoursWhatItDoesNotSupport) {
  expect_agreement(
      *make_canonical_engine(),
      {.features = Features::all(), .count = 2000, .goals = {Goal::fit, Goal::cost, Goal::modes}});
}

TEST(RandomCanonical, SessionsAnswerLikeAFreshSolve) {
  expect_session_agreement(*make_canonical_engine(),
                           {.features = Features::one_address_space(), .count = 2000});
}

}  // namespace
}  // namespace tessera::testing
