#include <gtest/gtest.h>

#include "agreement.h"
#include "encoder/smt_engine.h"

namespace tessera::testing {
namespace {

TEST(RandomSmt, AgreesWithTheOracle) {
  expect_agreement(*make_smt_engine({}),
                   {.features = Features::all(), .count = 1000, .must_support = true});
}

TEST(RandomSmt, FindsTheLeastCostAndTheFewestModes) {
  expect_agreement(*make_smt_engine({}),
                   {.features = Features::all(), .count = 300, .goals = {Goal::cost, Goal::modes}});
}

TEST(RandomSmt, SessionsAnswerLikeAFreshSolve) {
  expect_session_agreement(*make_smt_engine({}), {.features = Features::all(), .count = 500});
}

}  // namespace
}  // namespace tessera::testing
