#include <gtest/gtest.h>

#include "agreement.h"
#include "encoder/sat_engine.h"

namespace tessera::testing {
namespace {

TEST(RandomSat, AgreesWithTheOracle) {
  expect_agreement(*make_sat_engine({}),
                   {.features = Features::all(), .count = 1000, .must_support = true});
}

TEST(RandomSat, FindsTheLeastCostAndTheFewestModes) {
  expect_agreement(*make_sat_engine({}),
                   {.features = Features::all(), .count = 300, .goals = {Goal::cost, Goal::modes}});
}

TEST(RandomSat, SessionsAnswerLikeAFreshSolve) {
  expect_session_agreement(*make_sat_engine({}), {.features = Features::all(), .count = 500});
}

}  // namespace
}  // namespace tessera::testing
