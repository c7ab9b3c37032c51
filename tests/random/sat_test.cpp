#include <gtest/gtest.h>

#include "agreement.h"
#include "encoder/sat_engine.h"

namespace tessera::testing {
namespace {

TEST(RandomSat, AgreesWithTheOracle) {
  expect_agreement(*encoder::make_sat_engine({}),
                   {.features = Features::all(), .count = 1000, .must_support = true});
}

TEST(RandomSat, FindsTheLeastCostTheFewestModesAndSwitches) {
  expect_agreement(*encoder::make_sat_engine({}),
                   {.features = Features::all(),
                    .count = 250,
                    .goals = {Objective::cost, Objective::modes, Objective::switches}});
}

TEST(RandomSat, EveryEncodingGivesTheSameAnswer) {
  for (const encoder::OffsetEncoding encoding :
       {encoder::OffsetEncoding::order, encoder::OffsetEncoding::binary,
        encoder::OffsetEncoding::chains}) {
    SCOPED_TRACE(static_cast<int>(encoding));
    // Order encodings are large for large domains, which only magnified() creates.
    expect_agreement(*encoder::make_sat_engine({.encoding = encoding}),
                     {.features = Features::all(),
                      .count = 500,
                      .goals = {Objective::fit, Objective::cost},
                      .magnify = encoding != encoder::OffsetEncoding::order});
  }
}

TEST(RandomSat, NeedsNeitherSymmetryNorTheCut) {
  expect_agreement(*encoder::make_sat_engine({.break_symmetry = false, .load_cut = false}),
                   {.features = Features::all(), .count = 500});
}

TEST(RandomSat, SessionsAnswerLikeAFreshSolve) {
  expect_session_agreement(*encoder::make_sat_engine({}),
                           {.features = Features::all(), .count = 700});
}

TEST(RandomSat, LiveSolversAnswerLikeAFreshSolve) {
  expect_session_agreement(
      *encoder::make_sat_engine({.load_cut = false, .try_orders = false}),
      {.features = Features::all(), .count = 700, .memo = false, .layers = 12});
  // Enough queries to retire groups of lemmas.
  expect_session_agreement(
      *encoder::make_sat_engine({.load_cut = false, .try_orders = false}),
      {.features = Features::all(), .count = 600, .seed = 5000, .memo = false, .layers = 100});
}

TEST(RandomSat, SessionsTakeTurnsBetweenGoals) {
  expect_session_agreement(
      *encoder::make_sat_engine({}),
      {.features = Features::all(),
       .count = 700,
       .goals = {Objective::cost, Objective::fit, Objective::modes, Objective::switches}});
}

}  // namespace
}  // namespace tessera::testing
