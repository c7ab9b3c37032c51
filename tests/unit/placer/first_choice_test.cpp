#include "placer/first_choice.h"

#include <gtest/gtest.h>

#include "engine/forest.h"
#include "model/random.h"
#include "tessera/place.h"

namespace tessera::placer {
namespace {

PlacementProblem two_and_one() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 16});
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 4},
                     {.id = "b", .live = {{0, 4}}, .size = 8},
                     {.id = "c", .live = {{3, 4}}, .size = 4}};
  return problem;
}

float feature(const ShapeFeatures& shape, std::string_view name) {
  for (std::size_t k = 0; k < shape_features.size(); ++k)
    if (shape_features[k] == name) return shape[k];
  ADD_FAILURE() << name;
  return 0;
}

TEST(FirstChoice, AShapeIsWhatItsNamesSay) {
  const auto shape = shape_of(two_and_one());
  ASSERT_TRUE(shape);
  // Slices 0-2 (12 bytes, 2 buffers), 2-3 (8, 1), 3-4 (12, 2).
  EXPECT_FLOAT_EQ(feature(*shape, "crowd"), 2.0F / 3);
  EXPECT_FLOAT_EQ(feature(*shape, "slack"), 0.25F);
  EXPECT_FLOAT_EQ(feature(*shape, "flatness"), 11.0F / 16);
  EXPECT_FLOAT_EQ(feature(*shape, "flat_slices"), 32.0F / 48);
  EXPECT_FLOAT_EQ(feature(*shape, "full"), 0);
  EXPECT_FLOAT_EQ(feature(*shape, "largest"), 0.5F);
  EXPECT_FLOAT_EQ(feature(*shape, "sizes"), 2.0F / 3);
  EXPECT_FLOAT_EQ(feature(*shape, "life"), 7.0F / 12);
  EXPECT_FLOAT_EQ(feature(*shape, "slices"), 1);
  EXPECT_FLOAT_EQ(feature(*shape, "units"), 2);  // 16 bytes in units of 4
}

TEST(FirstChoice, WhatNobodyTrainedForHasNoShape) {
  PlacementProblem problem = two_and_one();
  problem.memories.push_back({.name = "other", .capacity = 16});
  EXPECT_FALSE(shape_of(problem));
  EXPECT_FALSE(learning_goes_first(problem));
  problem = two_and_one();
  problem.memories[0].capacity = unbounded;
  EXPECT_FALSE(shape_of(problem));
  problem = two_and_one();
  problem.buffers[0].live = {{0, 1}, {3, 4}};
  EXPECT_FALSE(shape_of(problem));
}

/// A memory that is full at every step; buffers that end are replaced by others of the same total
/// size.
PlacementProblem full_at_every_step(std::uint64_t seed) {
  Random random(seed);
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 64});
  struct Alive {
    Step since;
    Size size;
  };
  std::vector<Alive> alive;
  Size free = 64;
  Step step = 0;
  while (problem.buffers.size() < 60) {
    for (; free > 0; free -= alive.back().size)
      alive.push_back({step, std::min(free, random.between(1, 12))});
    ++step;
    for (int k = 0; k < 2; ++k) {
      const auto at = static_cast<std::ptrdiff_t>(
          random.between(0, static_cast<std::int64_t>(alive.size()) - 1));
      const Alive gone = alive[static_cast<std::size_t>(at)];
      alive.erase(alive.begin() + at);
      problem.buffers.push_back({.id = "b" + std::to_string(problem.buffers.size()),
                                 .live = {{gone.since, step}},
                                 .size = gone.size});
      free += gone.size;
    }
  }
  return problem;
}

TEST(FirstChoice, AFlatLoadIsForTheLearningEngine) {
  int learning = 0;
  int first = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PlacementProblem problem = full_at_every_step(seed);
    if (!learning_goes_first(problem)) continue;
    ++first;
    const PlacementResult found = place(problem, {});
    EXPECT_NE(found.status, Status::unknown);
    learning += found.engine == "learning" ? 1 : 0;
  }
  EXPECT_GT(first, 5);
  EXPECT_GT(learning, 0);
}

/// For either first engine, and whether the other engine joins in turns or in a thread.
TEST(FirstChoice, OneThreadAndTwoGiveTheSameAnswer) {
  int by_learning = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const PlacementProblem problem = full_at_every_step(seed);
    PlaceParams params;
    params.limits.threads = 1;
    const PlacementResult one = place(problem, params);
    params.limits.threads = 2;
    const PlacementResult two = place(problem, params);
    EXPECT_EQ(one.status, two.status) << seed;
    if (one.status != Status::feasible || two.status != Status::feasible) continue;
    EXPECT_EQ(one.engine, two.engine) << seed;
    for (std::size_t b = 0; b < problem.buffers.size(); ++b)
      EXPECT_EQ(one.placement->places[b].offset, two.placement->places[b].offset) << seed;
    by_learning += one.engine == "learning" ? 1 : 0;
  }
  EXPECT_GT(by_learning, 0);
}

}  // namespace
}  // namespace tessera::placer
