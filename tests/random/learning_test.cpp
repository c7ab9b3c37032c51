#include <gtest/gtest.h>

#include "agreement.h"
#include "search/learning/engine.h"

namespace tessera::testing {
namespace {

TEST(RandomLearning, AgreesWithTheOracle) {
  expect_agreement(*make_learning_engine({}),
                   {.features = Features::all(), .count = 3000, .goals = {Goal::fit, Goal::cost}});
}

TEST(RandomLearning, AgreesInOneAddressSpace) {
  expect_agreement(*make_learning_engine({}),
                   {.features = Features::one_address_space(), .count = 3000});
}

TEST(RandomLearning, SessionsAnswerLikeAFreshSolve) {
  expect_session_agreement(*make_learning_engine({}), {.features = Features::all(), .count = 2000});
}

}  // namespace
}  // namespace tessera::testing
