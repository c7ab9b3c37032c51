// Ejection: placements stay right and never become higher, a window leaves alone what is outside of
// it, and threads change nothing.

#include "search/placement/boxing/ejection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "search/placement/boxing/ejection_window.h"
#include "search/placement/boxing/engine.h"
#include "search/placement/boxing/first_fit.h"
#include "search/placement/boxing/slices.h"
#include "tests/support/effort.h"
#include "tests/unit/search/boxing/support.h"

namespace tessera::testing {
namespace {

using namespace tessera::search::boxing;

/// Long traces with few alive, and everything a job may ask for besides fragments.
PlacementProblem trace_of(std::uint64_t seed, std::int64_t count) {
  PlacementProblem problem = random_trace(seed, count, 10 + static_cast<std::int64_t>(seed % 30));
  Random random(seed + 1);
  if (seed % 3 == 1) problem.memories[0].reserved = {{100, 164}, {900, 1500}};
  if (seed % 4 == 2) {
    for (Buffer& buffer : problem.buffers) buffer.alignment = Size{1} << random.between(0, 6);
  }
  if (seed % 5 == 3) {
    problem.buffers[0].offset = 1536;  // keeps the rules above
    for (std::size_t b = 1; b < problem.buffers.size(); b += 7)
      problem.buffers[b].window = AddressRange{300, 200'000};
  }
  return problem;
}

/// First fit in the order of birth: far from the lowest.
std::vector<Offset> high_placement(const Instance& instance) {
  FirstFit fit(instance);
  std::vector<Offset> offsets;
  const std::vector<Offset> equal(instance.jobs.size(), 0);
  EXPECT_NE(fit.place(by_offset(equal), no_height, {}, offsets), no_height);
  return offsets;
}

TEST(Ejection, LowersAndNeverBreaks) {
  const int count = static_cast<int>(effort(60));
  int lowered = 0;
  for (int k = 0; k < count; ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    const PlacementProblem problem = trace_of(seed, 300);
    const Instance instance = instance_of(problem);
    std::vector<Offset> offsets = high_placement(instance);
    Size before = height_of(instance, offsets);
    const Size first = before;
    Ejection ejection(instance);
    for (int run = 0; run < 4; ++run) {  // it goes on where it ended
      Size last = before;
      const Size after = ejection.run(
          offsets, {.target = 0, .patience = 100'000, .seed = seed, .lowered = [&](Size height) {
                      EXPECT_LT(height, last) << "seed " << seed;
                      last = height;
                    }});
      EXPECT_EQ(after, last) << "seed " << seed;
      EXPECT_LE(after, before) << "seed " << seed;
      EXPECT_GE(after, instance.lower_bound) << "seed " << seed;
      EXPECT_EQ(after, height_of(instance, offsets)) << "seed " << seed;
      EXPECT_EQ(wrong(problem, placement_of(problem, instance, offsets)), "") << "seed " << seed;
      before = after;
    }
    if (before < first) ++lowered;
  }
  EXPECT_GE(lowered * 10, count * 8);
}

TEST(Ejection, StopsAtTheTarget) {
  const PlacementProblem problem = trace_of(12, 400);
  const Instance instance = instance_of(problem);
  std::vector<Offset> offsets = high_placement(instance);
  const std::vector<Offset> before = offsets;
  Ejection ejection(instance);
  const Size height = height_of(instance, offsets);
  EXPECT_EQ(ejection.run(offsets, {.target = height, .patience = 100'000}), height);
  EXPECT_EQ(offsets, before);
  EXPECT_EQ(ejection.work(), 0);
}

TEST(Ejection, ThreadsChangeNothing) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const PlacementProblem problem = trace_of(seed, 2000);  // several windows
    const Instance instance = instance_of(problem);
    const std::vector<Offset> start = high_placement(instance);
    std::vector<Offset> alone = start;
    Ejection(instance).run(alone, {.patience = 300'000, .threads = 1, .seed = seed});
    for (const int threads : {2, 5}) {
      std::vector<Offset> together = start;
      Ejection(instance).run(together, {.patience = 300'000, .threads = threads, .seed = seed});
      EXPECT_EQ(alone, together) << "seed " << seed;
    }
  }
}

TEST(Ejection, AnExhaustedBudgetLeavesThePlacement) {
  const PlacementProblem problem = trace_of(5, 500);
  const Instance instance = instance_of(problem);
  std::vector<Offset> offsets = high_placement(instance);
  const std::vector<Offset> before = offsets;
  EjectionParams params{.patience = 1'000'000};
  params.budget.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(Ejection(instance).run(offsets, params), height_of(instance, before));
  EXPECT_EQ(offsets, before);
}

/// Which places are in the slices, one per job.
std::vector<Offset> places_in(const Slices& slices, std::size_t jobs) {
  std::vector<Offset> found(jobs, -1);
  for (SliceIndex s = slices.from(); s < slices.to(); ++s) {
    EXPECT_TRUE(std::is_sorted(slices.at(s).begin(), slices.at(s).end(),
                               [](const Lying& a, const Lying& b) { return a.begin < b.begin; }));
    for (const Lying& lying : slices.at(s)) {
      if (lying.job == nobody_moves) continue;
      Offset& place = found[static_cast<std::size_t>(lying.job)];
      EXPECT_TRUE(place == -1 || place == lying.begin);
      place = lying.begin;
    }
  }
  return found;
}

TEST(EjectionWindow, TouchesNothingOutside) {
  int settled = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const PlacementProblem problem = trace_of(seed, 400);
    const Instance instance = instance_of(problem);
    const SliceTimes times(instance);
    ASSERT_GE(times.count(), 8);
    const std::vector<Offset> offsets = high_placement(instance);
    const std::vector<float> ones(offsets.size(), 1);
    Slices slices(times);
    slices.fill(instance, offsets, ones);
    EXPECT_EQ(places_in(slices, offsets.size()), offsets);

    WindowTask task{.from = times.count() / 4, .to = times.count() / 4 * 3, .pool = {}};
    task.target = height_of(instance, offsets) - 1;
    task.most_work = 50'000;
    task.seed = seed;
    task.anew = seed % 2 == 1;
    const auto inside = [&](std::size_t j) {
      return instance.jobs[j].lower >= times.first(task.from) &&
             instance.jobs[j].upper <= times.first(task.to);
    };
    for (std::size_t j = 0; j < offsets.size(); ++j) {
      if (!inside(j) || offsets[j] + instance.jobs[j].size <= task.target * 9 / 10) continue;
      task.pool.push_back(static_cast<JobIndex>(j));
      slices.take(instance.jobs[j], static_cast<JobIndex>(j), offsets[j]);
    }
    const std::vector<Offset> given = places_in(slices, offsets.size());
    EjectionWindow window(instance, times, ones, ones);
    WindowResult result(times);
    window.run(task, slices, ones, {}, result);
    EXPECT_EQ(places_in(slices, offsets.size()), given) << "seed " << seed;  // a copy was changed

    result.slices.swap_into(slices);
    std::vector<Offset> after = places_in(slices, offsets.size());
    for (std::size_t j = 0; j < offsets.size(); ++j) {
      if (!inside(j)) {
        EXPECT_EQ(after[j], offsets[j]) << "seed " << seed;
      } else if (after[j] >= 0 && after[j] != offsets[j]) {
        EXPECT_LE(after[j] + instance.jobs[j].size, task.target) << "seed " << seed;
      }
      const bool out =
          std::count(result.pool.begin(), result.pool.end(), static_cast<JobIndex>(j)) > 0;
      EXPECT_EQ(out, after[j] < 0) << "seed " << seed;
    }
    if (!result.pool.empty()) continue;
    ++settled;
    EXPECT_EQ(wrong(problem, placement_of(problem, instance, after)), "") << "seed " << seed;
  }
  EXPECT_GE(settled, 5);
}

TEST(Box, EjectionLowersDenseTraces) {
  // Lives much shorter than the trace, sizes over three decades.
  Random random(3);
  std::vector<Buffer> buffers;
  for (int b = 0; b < 3000; ++b) {
    Buffer buffer;
    const Step lower = random.between(0, 3000);
    buffer.live = {{lower, lower + random.between(1, 300)}};
    buffer.size =
        static_cast<Size>(std::exp2(4 + static_cast<double>(random.between(0, 1000)) / 100));
    buffers.push_back(buffer);
  }
  const PlacementProblem problem = problem_of(std::move(buffers));
  search::BoxingParams params;
  params.max_rounds = 24;
  params.threads = 2;
  params.eject = false;
  const search::BoxingResult without = search::box(problem, params);
  params.eject = true;
  const search::BoxingResult with = search::box(problem, params);
  ASSERT_TRUE(with.placement);
  EXPECT_EQ(wrong(problem, *with.placement), "");
  EXPECT_LT(with.heights[0], without.heights[0]);
}

}  // namespace
}  // namespace tessera::testing
