// Problems too large for brute force, where advanced rules take effect: the engines share no code,
// so two of them rarely have the same fault.
#include <gtest/gtest.h>

#include "agreement.h"
#include "encoder/sat_engine.h"
#include "search/learning/engine.h"
#include "search/placement/canonical.h"

namespace tessera::testing {
namespace {

void expect_engines_agree(Features features, int scale, std::size_t count,
                          std::vector<Objective> goals = {Objective::fit}) {
  features.scale = scale;
  const auto canonical = search::make_canonical_engine();
  const auto learning = search::make_learning_engine({});
  const auto sat = encoder::make_sat_engine({});
  const AgreementParams params = with_environment({.features = features,
                                                   .count = count,
                                                   .goals = std::move(goals),
                                                   .patience = std::chrono::milliseconds(1000)});
  const AgreementReport report =
      compare_engines({canonical.get(), learning.get(), sat.get()}, params);
  expect_no_disagreement(report);
  EXPECT_LT(report.unsupported, report.asked / 2 + 1) << "too few answers were confirmed";
}

TEST(RandomEngines, AgreeOnSizesAndLifetimes) {
  expect_engines_agree(Features::plain(), 3, 200);
}

TEST(RandomEngines, AgreeInOneAddressSpace) {
  expect_engines_agree(Features::one_address_space(), 3, 300);
}

TEST(RandomEngines, AgreeOnEverything) {
  expect_engines_agree(Features::all(), 2, 200, {Objective::fit, Objective::cost});
}

}  // namespace
}  // namespace tessera::testing
