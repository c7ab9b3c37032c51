// Budgets that end while an engine is still encoding the problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>

#include "placer/make_engine.h"
#include "search/placement/bounds.h"
#include "tessera/check.h"
#include "tessera/errors.h"
#include "tessera/explain.h"
#include "tessera/export.h"
#include "tessera/generate.h"
#include "tessera/place.h"
#include "tests/support/effort.h"

namespace tessera::placer {
namespace {

/// Processor seconds: other programs do not count.
double work_so_far() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Ends the budget at a given poll, independent of time.
class EndsAfter final : public MemoryWatch {
 public:
  explicit EndsAfter(int questions) : left_(questions), asked_(work_so_far()) {}
  bool exceeded() override {
    longest_ = longest_unasked();
    asked_ = work_so_far();
    return --left_ < 0;
  }
  Size left() override { return max_address; }
  [[nodiscard]] int too_many() const { return left_ < 0 ? -left_ : 0; }
  /// The most work between two polls, or since the last one.
  [[nodiscard]] double longest_unasked() const {
    return std::max(longest_, work_so_far() - asked_);
  }

 private:
  int left_;
  double asked_;
  double longest_ = 0;
};

class HasLeft final : public MemoryWatch {
 public:
  explicit HasLeft(Size bytes) : bytes_(bytes) {}
  bool exceeded() override { return false; }
  Size left() override { return bytes_; }

 private:
  Size bytes_;
};

PlacementProblem large(const std::string& engine) {
  // Some reject more buffers than these.
  const bool baseline = engine == "ilp" || engine == "cp";
  const bool pairs = engine == "learning" || engine == "guided";
  return generate({.kind = "packable",
                   .buffers = baseline ? 1'500
                              : pairs  ? 4'000
                                       : 20'000,
                   .seed = 9});
}

class EngineLimits : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!make_engine(GetParam())) GTEST_SKIP() << "this build has no such engine";
  }
};

TEST_P(EngineLimits, WhatIsOverBeforeItBeginsBuildsNothing) {
  const PlacementProblem problem = large(GetParam());
  engine::SearchParams params;
  params.budget.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const double before = work_so_far();
  const engine::SearchResult found = make_engine(GetParam())->solve(problem, params);
  EXPECT_LT(work_so_far() - before, 0.5 * testing::slowness);
  EXPECT_EQ(found.status, Status::unknown);
  EXPECT_EQ(found.stop, StopReason::time_limit);
}

TEST_P(EngineLimits, BuildingLooksAtTheBudget) {
  const PlacementProblem problem = large(GetParam());
  // The first few polls come before the encoding, later ones during it.
  for (const int looks : {5, 20, 80}) {
    EndsAfter watch(looks);
    engine::SearchParams params;
    params.budget.memory = &watch;
    const double before = work_so_far();
    const engine::SearchResult found = make_engine(GetParam())->solve(problem, params);
    EXPECT_LT(work_so_far() - before, 1.0 * testing::slowness) << looks;
    if (found.status == Status::feasible) {  // some need no more polls than this
      EXPECT_TRUE(check(problem, *found.placement, 1).empty());
      continue;
    }
    EXPECT_EQ(found.status, Status::unknown);
    EXPECT_EQ(found.stop, StopReason::memory_limit) << looks;
    EXPECT_LT(watch.too_many(), 100) << looks;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EngineLimits,
                         ::testing::Values("canonical", "learning", "sat", "smt", "guided", "ilp",
                                           "cp", "boxing", "greedy"),
                         [](const auto& each) { return each.param; });

TEST(EngineEstimates, WhatWouldTakeTooMuchMemoryIsNotBegun) {
  for (const std::string engine : {"canonical", "learning", "sat", "smt", "guided", "ilp", "cp"}) {
    if (!make_engine(engine)) continue;  // a build without its library
    const PlacementProblem problem = large(engine);
    HasLeft watch(Size{16} << 20U);
    engine::SearchParams params;
    params.budget.memory = &watch;
    const double before = work_so_far();
    const engine::SearchResult found = make_engine(engine)->solve(problem, params);
    EXPECT_LT(work_so_far() - before, 1.0 * testing::slowness) << engine;
    EXPECT_EQ(found.status, Status::unknown) << engine;
    EXPECT_EQ(found.stop, StopReason::memory_limit) << engine;
    EXPECT_NE(found.reason.find("more memory than is available"), std::string::npos)
        << found.reason;
  }
}

TEST(EngineEstimates, SmallProblemsAreNotKeptFromAnyEngine) {
  const PlacementProblem problem = generate({.kind = "packable", .buffers = 30, .seed = 9});
  for (const std::string engine : {"canonical", "learning", "sat", "smt", "guided", "ilp", "cp"}) {
    if (!make_engine(engine)) continue;  // a build without its library
    HasLeft watch(Size{16} << 20U);
    engine::SearchParams params;
    params.budget.memory = &watch;
    params.budget.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    const engine::SearchResult found = make_engine(engine)->solve(problem, params);
    EXPECT_NE(found.stop, StopReason::memory_limit) << engine;
  }
}

// Without memory for pairs, greedy placement works without them.
TEST(EngineEstimates, GreedyPlacementNeedsNoPairs) {
  PlacementProblem problem = generate({.kind = "random", .buffers = 5'000, .seed = 9});
  problem.memories[0].capacity *= 4;
  HasLeft watch(Size{1} << 20U);
  engine::SearchParams params;
  params.budget.memory = &watch;
  const engine::SearchResult found = make_engine("greedy")->solve(problem, params);
  ASSERT_EQ(found.status, Status::feasible) << found.reason;
  EXPECT_TRUE(check(problem, *found.placement, 1).empty());
}

// Sums, sorting and numbering take as long as a search if there are very many buffers.
TEST(PlaceLimits, NoTimeIsNoTimeAtAnySize) {
  PlacementProblem problem = generate({.kind = "random", .buffers = 300'000, .seed = 9});
  for (const std::string engine : {"auto", "greedy", "boxing"}) {
    for (const Objective what : {Objective::fit, Objective::height}) {
      if (what == Objective::height && engine != "auto") continue;
      const double before = work_so_far();
      const PlacementResult found =
          place(problem, {.engine = engine,
                          .minimize = what,
                          .limits = {.timeout = std::chrono::milliseconds(0)}});
      EXPECT_LT(work_so_far() - before, 0.4 * testing::slowness)
          << engine;  // a tenth of it, plus validation
      EXPECT_EQ(found.status, Status::unknown) << engine;
      EXPECT_EQ(found.stop, StopReason::time_limit) << engine;
    }
  }
}

TEST(PlaceLimits, EveryPhaseOfManyBuffersLooksAtTheBudget) {
  const PlacementProblem problem = generate({.kind = "random", .buffers = 300'000, .seed = 9});
  for (const std::string engine : {"greedy", "boxing"}) {
    for (const int looks : {50, 400, 1000}) {
      EndsAfter watch(looks);
      engine::SearchParams params;
      params.budget.memory = &watch;
      const engine::SearchResult found = make_engine(engine)->solve(problem, params);
      EXPECT_LT(watch.longest_unasked(), 0.5 * testing::slowness) << engine << ' ' << looks;
      EXPECT_EQ(found.status, Status::unknown) << engine << ' ' << looks;
      EXPECT_EQ(found.stop, StopReason::memory_limit) << engine << ' ' << looks;
    }
  }
}

TEST(PlaceLimits, BoundsOfFewBuffersDoNotDependOnTheBudget) {
  Budget over;
  over.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  for (const int buffers : {100, 200'000}) {
    const PlacementProblem problem = generate({.kind = "packable", .buffers = buffers, .seed = 9});
    EXPECT_EQ(search::lower_bounds(problem, {.budget = over}).height,
              buffers == 100 ? problem.memories[0].capacity : 0);
  }
}

TEST(ExportLimits, ALimitEndsTheWritingOfAFormula) {
  const PlacementProblem problem = generate({.kind = "packable", .buffers = 20'000, .seed = 9});
  for (const std::string format : {"dimacs", "smt2"}) {
    const double before = work_so_far();
    EXPECT_EQ(write_formula(problem, format, [](std::string_view) {},
                            {.timeout = std::chrono::milliseconds(100)}),
              StopReason::time_limit);
    EXPECT_LT(work_so_far() - before, 0.5 * testing::slowness) << format;
    EXPECT_EQ(write_formula(problem, format, [](std::string_view) {}, {.memory = Size{16} << 20U}),
              StopReason::memory_limit);
    EXPECT_LT(work_so_far() - before, 1.0 * testing::slowness) << format;
  }
}

TEST(ExportLimits, ATextComesInPieces) {
  const PlacementProblem problem = generate({.kind = "packable", .buffers = 200, .seed = 9});
  for (const std::string format : {"dimacs", "smt2"}) {
    std::size_t pieces = 0;
    std::size_t largest = 0;
    EXPECT_FALSE(write_formula(problem, format, [&](std::string_view piece) {
      ++pieces;
      largest = std::max(largest, piece.size());
    }));
    EXPECT_GT(pieces, 2U);
    EXPECT_LE(largest, std::size_t{1} << 16U);
    EXPECT_THROW(static_cast<void>(write_formula(
                     problem, format, [](std::string_view) { throw OutputError("full"); })),
                 OutputError);
  }
}

// Freeing the encoding has to be fast as well.
TEST(LearningLimits, MillionsOfPairsAreLeftBehindInAMoment) {
  const PlacementProblem problem = generate({.kind = "random", .buffers = 3'000, .seed = 1});
  engine::SearchParams params;
  params.budget.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  const double before = work_so_far();
  const engine::SearchResult found = make_engine("learning")->solve(problem, params);
  EXPECT_LT(work_so_far() - before, 1.5 * testing::slowness);
  EXPECT_EQ(found.stop, StopReason::time_limit);
}

TEST(ExplainLimits, TheLoadOfOneStepSaysItAllAtAnySize) {
  PlacementProblem problem = generate({.kind = "random", .buffers = 100'000, .seed = 7});
  problem.memories[0].capacity /= 2;
  const double before = work_so_far();
  const Explanation why = explain(problem, {});
  EXPECT_LT(work_so_far() - before, 5.0 * testing::slowness);
  EXPECT_EQ(why.status, Status::infeasible);
  EXPECT_TRUE(why.minimal);
  Size asked = 0;
  Size least = max_address;
  for (const BufferIndex b : why.buffers) {
    asked += problem.buffers[b].size;
    least = std::min(least, problem.buffers[b].size);
  }
  EXPECT_EQ(asked, why.asked);
  EXPECT_GT(asked, problem.memories[0].capacity);
  EXPECT_LE(asked - least, problem.memories[0].capacity);
  EXPECT_EQ(why.smallest_capacity, asked);
}

TEST(ExplainLimits, ALimitEndsTheWritingDownOfConstraints) {
  const PlacementProblem problem = generate({.kind = "packable", .buffers = 20'000, .seed = 9});
  const double before = work_so_far();
  const Explanation why = explain(problem, {.limits = {.timeout = std::chrono::milliseconds(100)}});
  EXPECT_LT(work_so_far() - before, 1.0 * testing::slowness);
  EXPECT_EQ(why.status, Status::unknown);
  EXPECT_EQ(why.stop, StopReason::time_limit);
}

}  // namespace
}  // namespace tessera::placer
