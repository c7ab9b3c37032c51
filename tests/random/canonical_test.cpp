#include "search/placement/canonical.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

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

using Switch = bool CanonicalParams::*;
constexpr std::pair<const char*, Switch> switches[] = {
    {"section_inference", &CanonicalParams::section_inference},
    {"dominance", &CanonicalParams::dominance},
    {"decomposition", &CanonicalParams::decomposition},
    {"hatless", &CanonicalParams::hatless},
    {"monotonic_floor", &CanonicalParams::monotonic_floor},
    {"unallocated_floor", &CanonicalParams::unallocated_floor},
    {"one_machine", &CanonicalParams::one_machine},
    {"failed_states", &CanonicalParams::failed_states},
    {"local_choice", &CanonicalParams::local_choice},
    {"subset_sums", &CanonicalParams::subset_sums},
    {"symmetry", &CanonicalParams::symmetry},
    {"restarts", &CanonicalParams::restarts}};

TEST(RandomCanonical, NoRuleChangesTheAnswer) {
  for (const auto& [name, rule] : switches) {
    SCOPED_TRACE(std::string("without ") + name);
    CanonicalParams params;
    params.*rule = false;
    expect_agreement(*make_canonical_engine(params),
                     {.features = Features::one_address_space(), .count = 1000});
  }
}

TEST(RandomCanonical, EachRuleAloneIsSound) {
  CanonicalParams none;
  for (const auto& [name, rule] : switches) none.*rule = false;
  for (const auto& [name, rule] : switches) {
    SCOPED_TRACE(std::string("with nothing but ") + name);
    CanonicalParams params = none;
    params.*rule = true;
    expect_agreement(*make_canonical_engine(params),
                     {.features = Features::one_address_space(), .count = 500});
  }
}

TEST(RandomCanonical, EveryOrderIsComplete) {
  for (int k = 0; k < canonical_order_count; ++k) {
    SCOPED_TRACE("order " + std::to_string(k));
    expect_agreement(*make_canonical_engine({.orders = {static_cast<CanonicalOrder>(k)}}),
                     {.features = Features::one_address_space(), .count = 500});
  }
}

TEST(RandomCanonical, SessionsAnswerLikeAFreshSolve) {
  expect_session_agreement(*make_canonical_engine(),
                           {.features = Features::one_address_space(), .count = 2000});
}

}  // namespace
}  // namespace tessera::testing
