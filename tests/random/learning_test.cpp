#include <gtest/gtest.h>

#include <string>
#include <utility>

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

using Switch = bool LearningParams::*;
constexpr std::pair<const char*, Switch> switches[] = {
    {"triangles", &LearningParams::triangles},
    {"overload", &LearningParams::overload},
    {"edge_finding", &LearningParams::edge_finding},
    {"energy", &LearningParams::energy},
    {"not_first", &LearningParams::not_first},
    {"generalise", &LearningParams::generalise},
    {"minimise", &LearningParams::minimise},
    {"order_search", &LearningParams::order_search},
    {"place_search", &LearningParams::place_search},
    {"symmetry", &LearningParams::symmetry},
    {"reduce", &LearningParams::reduce},
    {"restarts", &LearningParams::restarts}};

TEST(RandomLearning, NoRuleChangesTheAnswer) {
  for (const auto& [name, rule] : switches) {
    SCOPED_TRACE(std::string("without ") + name);
    LearningParams params;
    params.*rule = false;
    expect_agreement(*make_learning_engine(params), {.features = Features::all(), .count = 500});
  }
}

TEST(RandomLearning, EachRuleAloneIsSound) {
  LearningParams none;
  for (const auto& [name, rule] : switches) none.*rule = false;
  for (const auto& [name, rule] : switches) {
    SCOPED_TRACE(std::string("with nothing but ") + name);
    LearningParams params = none;
    params.*rule = true;
    expect_agreement(*make_learning_engine(params), {.features = Features::all(), .count = 300});
  }
}

TEST(RandomLearning, SessionsAnswerLikeAFreshSolve) {
  expect_session_agreement(*make_learning_engine({}), {.features = Features::all(), .count = 2000});
}

}  // namespace
}  // namespace tessera::testing
