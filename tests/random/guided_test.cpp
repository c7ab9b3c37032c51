// The guided search is incomplete: its results are compared with brute force, and undecided ones
// are counted.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <utility>

#include "agreement.h"
#include "model/random.h"
#include "placer/switches.h"
#include "search/guided/engine.h"

namespace tessera::testing {
namespace {

AgreementReport asked(const search::GuidedParams& params, AgreementParams how) {
  how.may_give_up = true;
  how.patience = std::chrono::milliseconds(2000);
  how.stop_after = 1;
  const auto engine = search::make_guided_engine(params);
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
  asked({}, {.features = Features::all(),
             .count = 2000,
             .goals = {Objective::fit, Objective::cost, Objective::modes}});
}

/// Returns to a random level, or leaves the choice to the search.
class Anywhere final : public search::guided::RetreatChooser {
 public:
  std::optional<std::size_t> choose(const search::guided::Impasse& impasse) override {
    const auto at = static_cast<std::size_t>(
        random_.between(0, static_cast<std::int64_t>(impasse.retreats.size())));
    ++asked;
    EXPECT_GT(impasse.retreats.size(), 0U);
    for (std::size_t k = 1; k < impasse.retreats.size(); ++k)
      EXPECT_LT(impasse.retreats[k].level, impasse.retreats[k - 1].level);
    EXPECT_EQ(impasse.decisions.size(), static_cast<std::size_t>(impasse.retreats[0].level));
    if (at == impasse.retreats.size()) return std::nullopt;
    return at;
  }
  int asked = 0;

 private:
  Random random_{7};
};

TEST(RandomGuided, WhoeverSaysHowFarToGoBackChangesNoAnswer) {
  Anywhere anywhere;
  for (const bool learn : {true, false}) {
    search::GuidedParams params{.learn = learn};
    asked(params, {.features = Features::all(), .count = 1000, .seed = 11'000});
    params.chooser = &anywhere;
    // Tiny problems have few impasses if the solver detects them early.
    params.sections = params.candidates = params.restarts = false;
    asked(params, {.features = Features::all(), .count = 1000, .seed = 12'000});
    asked(params, {.features = Features::one_address_space(), .count = 1000, .seed = 13'000});
    asked(params, {.features = Features::plain(), .count = 1000, .seed = 14'000});
  }
  std::cout << "  impasses: " << anywhere.asked << '\n';
  EXPECT_GT(anywhere.asked, 0);
}

TEST(RandomGuided, NoPartChangesAnAnswer) {
  for (const placer::Switch& part : placer::switches_of("guided")) {
    if (part.rule == nullptr) continue;
    SCOPED_TRACE(part.name);
    placer::EngineParams without;
    part.rule(without) = false;
    search::GuidedParams params = without.guided;
    asked(params, {.features = Features::all(), .count = 500, .seed = 7000});
    params.learn = false;
    asked(params, {.features = Features::one_address_space(), .count = 500, .seed = 9000});
    params.stuck_after = 1;  // so that small trees have stuck subtrees
    asked(params, {.features = Features::one_address_space(), .count = 500, .seed = 9000});
  }
}

}  // namespace
}  // namespace tessera::testing
