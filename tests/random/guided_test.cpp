// The guided search is not complete: what it says is compared with brute force, and how often it
// says nothing is counted.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <utility>

#include "agreement.h"
#include "search/guided/engine.h"

namespace tessera::testing {
namespace {

AgreementReport asked(const GuidedParams& params, AgreementParams how) {
  how.may_give_up = true;
  how.patience = std::chrono::milliseconds(2000);
  how.stop_after = 1;
  const auto engine = make_guided_engine(params);
  const AgreementReport report = compare_with_oracle(*engine, with_environment(std::move(how)));
  expect_no_disagreement(report);
  std::cout << "  given up: " << report.given_up << '\n';
  return report;
}

TEST(RandomGuided, AgreesWithTheOracle) {
  const AgreementReport report =
      asked({}, {.features = Features::one_address_space(), .count = 10'000, .must_support = true});
  EXPECT_LT(report.given_up * 10, report.asked);
}

TEST(RandomGuided, AgreesOnTightProblemsOfSizesAndLifetimes) {
  const AgreementReport report =
      asked({}, {.features = Features::plain(), .count = 5000, .must_support = true});
  EXPECT_LT(report.given_up * 10, report.asked);
}

TEST(RandomGuided, AgreesOnTheWholeModel) {
  const AgreementReport report =
      asked({}, {.features = Features::all(), .count = 10'000, .must_support = true});
  EXPECT_LT(report.given_up * 10, report.asked);
}

TEST(RandomGuided, HonoursWhatItDoesNotSupport) {
  asked(
      {},
      {.features = Features::all(), .count = 2000, .goals = {Goal::fit, Goal::cost, Goal::modes}});
}

TEST(RandomGuided, NoPartChangesAnAnswer) {
  const std::pair<const char*, bool GuidedParams::*> switches[] = {
      {"phases", &GuidedParams::phases},     {"candidates", &GuidedParams::candidates},
      {"directed", &GuidedParams::directed}, {"promote", &GuidedParams::promote},
      {"stuck", &GuidedParams::stuck},       {"widen", &GuidedParams::widen},
      {"restarts", &GuidedParams::restarts}, {"learn", &GuidedParams::learn},
      {"sections", &GuidedParams::sections}};
  for (const auto& [name, member] : switches) {
    SCOPED_TRACE(name);
    GuidedParams params;
    params.*member = false;
    asked(params, {.features = Features::all(), .count = 500, .seed = 7000});
    params.learn = false;
    asked(params, {.features = Features::one_address_space(), .count = 500, .seed = 9000});
    params.stuck_after = 1;  // so that small trees have stuck subtrees
    asked(params, {.features = Features::one_address_space(), .count = 500, .seed = 9000});
  }
}

}  // namespace
}  // namespace tessera::testing
