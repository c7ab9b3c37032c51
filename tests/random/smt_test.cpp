#include <gtest/gtest.h>

#include "agreement.h"
#include "encoder/smt_engine.h"

namespace tessera::testing {
namespace {

class RandomSmt : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!encoder::make_smt_engine({})) GTEST_SKIP() << "this build has no Z3";
  }
};

TEST_F(RandomSmt, AgreesWithTheOracle) {
  expect_agreement(*encoder::make_smt_engine({}),
                   {.features = Features::all(), .count = 1000, .must_support = true});
}

TEST_F(RandomSmt, FindsTheLeastCostTheFewestModesAndSwitches) {
  expect_agreement(*encoder::make_smt_engine({}),
                   {.features = Features::all(),
                    .count = 250,
                    .goals = {Objective::cost, Objective::modes, Objective::switches}});
}

TEST_F(RandomSmt, EveryTheoryGivesTheSameAnswer) {
  for (const encoder::SmtTheory theory :
       {encoder::SmtTheory::difference, encoder::SmtTheory::bitvector}) {
    SCOPED_TRACE(theory == encoder::SmtTheory::difference ? "difference" : "bitvector");
    expect_agreement(*encoder::make_smt_engine({.theory = theory}),
                     {.features = Features::all(), .count = 300});
  }
}

TEST_F(RandomSmt, NeedsNeitherSymmetryNorTheCut) {
  expect_agreement(*encoder::make_smt_engine({.break_symmetry = false, .load_cut = false}),
                   {.features = Features::all(), .count = 300});
}

TEST_F(RandomSmt, SessionsAnswerLikeAFreshSolve) {
  expect_session_agreement(*encoder::make_smt_engine({}),
                           {.features = Features::all(), .count = 300});
}

TEST_F(RandomSmt, LiveSolversAnswerLikeAFreshSolve) {
  expect_session_agreement(
      *encoder::make_smt_engine({.load_cut = false, .try_orders = false}),
      {.features = Features::all(), .count = 150, .memo = false, .layers = 20});
}

TEST_F(RandomSmt, SessionsTakeTurnsBetweenGoals) {
  expect_session_agreement(
      *encoder::make_smt_engine({}),
      {.features = Features::all(),
       .count = 300,
       .goals = {Objective::cost, Objective::fit, Objective::modes, Objective::switches}});
}

}  // namespace
}  // namespace tessera::testing
