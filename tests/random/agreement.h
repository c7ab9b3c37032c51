// GoogleTest wrapper of engine_agreement.h: one line of statistics, and for each disagreement the
// problem and the command that repeats it.
//
//   TEST(RandomCanonical, AgreesWithTheOracle) {
//     expect_agreement(*make_canonical_engine(), {.features = Features::one_address_space()});
//   }
#pragma once

#include <errno.h>  // program_invocation_short_name
#include <gtest/gtest.h>

#include <iostream>

#include "tests/support/engine_agreement.h"

namespace tessera::testing {

inline void expect_no_disagreement(const AgreementReport& report) {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test->test_suite_name()) + "." + test->name();
  std::cout << name << ": " << report.asked << " questions, " << report.feasible << " feasible, "
            << report.infeasible << " infeasible, " << report.unsupported << " unsupported; engine "
            << report.engine_seconds << " s, oracle " << report.oracle_seconds << " s\n";
  for (const Disagreement& each : report.disagreements) {
    ADD_FAILURE() << each.message << "\nrepeat with: TESSERA_RANDOM_SEED=" << each.seed
                  << " TESSERA_RANDOM_COUNT=1 " << program_invocation_short_name
                  << " --gtest_filter=" << name << "\nthe problem, shrunk:\n"
                  << each.problem_yaml;
  }
}

[[nodiscard]] inline AgreementParams with_environment(AgreementParams params) {
  const RandomRun run = from_environment({params.seed, params.count});
  params.seed = run.seed;
  params.count = run.count;
  return params;
}

inline void expect_agreement(engine::PlacementEngine& engine, const AgreementParams& params) {
  expect_no_disagreement(compare_with_oracle(engine, with_environment(params)));
}

inline void expect_session_agreement(engine::PlacementEngine& engine,
                                     const AgreementParams& params) {
  const AgreementReport report = compare_sessions_with_oracle(engine, with_environment(params));
  EXPECT_GT(report.asked, 0U) << "the engine opened no session";
  expect_no_disagreement(report);
}

}  // namespace tessera::testing
