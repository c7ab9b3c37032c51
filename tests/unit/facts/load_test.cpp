#include "facts/load.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "model/derived.h"
#include "model/size_layer.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/random_problem.h"

namespace tessera::facts {
namespace {

TEST(LoadTest, CountsWhatIsAliveAtTheFullestStep) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 100, .alignment = 10});
  problem.buffers = {{.id = "a", .live = {{0, 2}, {4, 5}}, .size = 1},
                     {.id = "b", .live = {{1, 3}}, .size = 1},
                     {.id = "c", .live = {{2, 5}}, .size = 1}};
  LoadTest load(problem);
  EXPECT_EQ(load.excess({40, 40, 40}), 0);
  EXPECT_EQ(load.first_excess({50, 50, 50}), 0);
  EXPECT_EQ(load.excess({50, 51, 20}), 10);       // 50 + 60 at step 1
  EXPECT_GT(load.first_excess({10, 50, 60}), 0);  // 50 + 60 at step 2
  EXPECT_EQ(load.excess({70, 10, 70}), 40);       // 70 + 70 at step 4
}

TEST(LoadTest, ReservedRangesThatOverlapAreTakenOnce) {
  PlacementProblem problem;
  problem.memories.push_back(
      {.name = "sram", .capacity = 100, .reserved = {{50, 70}, {10, 30}, {20, 40}, {55, 60}}});
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 1},
                     {.id = "b", .live = {{0, 2}}, .size = 1}};
  LoadTest load(problem);  // [10, 40) and [50, 70) leave 50 bytes
  EXPECT_EQ(load.excess({25, 25}), 0);
  EXPECT_EQ(load.excess({25, 26}), 1);
}

TEST(LoadTest, SeveralMemoriesWithoutALimitHaveRoomForEverything) {
  PlacementProblem problem;
  for (const char* name : {"a", "b", "c", "d", "e"}) problem.memories.push_back({.name = name});
  problem.buffers = {{.id = "x", .live = {{0, 1}}, .size = 1}};
  EXPECT_EQ(LoadTest(problem).excess({Size{1} << 50U}), 0);
}

/// Compared with the definition: the maximum over steps of the live buffers' sizes.
TEST(LoadTest, EqualsTheLoadOfTheFullestStep) {
  std::mt19937 random(11);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  for (int round = 0; round < 500; ++round) {
    PlacementProblem problem;
    problem.memories.push_back({.name = "near", .capacity = below(60), .alignment = 1 + below(3)});
    problem.memories.push_back({.name = "far", .capacity = below(60)});
    std::vector<Size> sizes;
    for (int b = 0; b < 1 + below(9); ++b) {
      Buffer buffer{.id = std::to_string(b), .size = 1};
      for (Step step = below(4); step < 12; step += 1 + below(5)) {
        const Step begin = step;
        step += 1 + below(4);
        buffer.live.push_back({begin, step});
      }
      if (below(2) == 0) buffer.memories = {static_cast<MemoryIndex>(below(2))};
      problem.buffers.push_back(buffer);
      sizes.push_back(1 + below(40));
    }
    const Size granule = problem.memories.front().alignment;
    const auto room = [&](MemoryIndex m) {
      return m == 0 ? align_up(problem.memories[0].capacity, granule)
                    : problem.memories[1].capacity;
    };
    Size worst = 0;
    for (Step step = 0; step < horizon(problem); ++step) {
      Size all = -room(0) - room(1);
      std::vector<Size> tied = {-room(0), -room(1)};
      for (BufferIndex b = 0; b < sizes.size(); ++b) {
        const Buffer& buffer = problem.buffers[b];
        if (!live_at(buffer, step)) continue;
        all += sizes[b];
        if (buffer.memories == std::vector<MemoryIndex>{0}) tied[0] += align_up(sizes[b], granule);
        if (buffer.memories == std::vector<MemoryIndex>{1}) tied[1] += sizes[b];
      }
      worst = std::max({worst, all, tied[0], tied[1]});
    }
    LoadTest load(problem);
    EXPECT_EQ(load.excess(sizes), worst) << round;
    EXPECT_EQ(load.first_excess(sizes) > 0, worst > 0) << round;
  }
}

/// With all features: if a placement exists, no load is too large.
TEST(LoadTest, NeverRefutesWhatHasAPlacement) {
  int refuted = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    testing::Random random(seed);
    const PlacementProblem problem = testing::random_problem(random, testing::Features::all());
    if (LoadTest(problem).excess(size_layer(problem).sizes) == 0) continue;
    ++refuted;
    EXPECT_FALSE(testing::brute_force(problem)) << seed;
  }
  EXPECT_GT(refuted, 300);
}

TEST(LoadTest, ManyBuffersTakeNoTimeThatGrowsFasterThanThey) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 1000});
  constexpr int many = 200'000;
  for (int b = 0; b < many; ++b)
    problem.buffers.push_back({.id = std::to_string(b), .live = {{b, b + 1000}}, .size = 1});
  const std::clock_t start = std::clock();
  LoadTest load(problem);
  EXPECT_EQ(load.excess(std::vector<Size>(many, 2)), 1000);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2.0 * testing::slowness);
}

}  // namespace
}  // namespace tessera::facts
