#include "placer/repack.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/check.h"
#include "tessera/place.h"
#include "tessera/session.h"
#include "tessera/validate.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

namespace tessera::placer {
namespace {

PlacementProblem three_buffers() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 64});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 3});
  problem.buffers.push_back({.id = "b", .live = {{1, 3}}, .size = 4, .alignment = 4});
  problem.buffers.push_back({.id = "c", .live = {{2, 4}}, .size = 5});
  return problem;
}

TEST(Repack, KeepsTheOrderAndPushesTogether) {
  const PlacementProblem problem = three_buffers();
  Repack repack(problem);
  ASSERT_TRUE(repack.usable());
  SizeLayer layer = size_layer(problem);
  EXPECT_FALSE(repack.with(layer)) << "no order yet";
  repack.follow({.places = {{0, 40}, {0, 20}, {0, 60}}});
  layer.sizes = {7, 6, 2};
  const auto placed = repack.with(layer);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->places[1].offset, 0);
  EXPECT_EQ(placed->places[0].offset, 6);
  EXPECT_EQ(placed->places[2].offset, 6) << "c does not live together with a";
  layer.capacities = {12};
  EXPECT_FALSE(repack.with(layer));
  layer.capacities = {13};
  EXPECT_TRUE(repack.with(layer));
}

TEST(Repack, LeavesTheRestToOthers) {
  PlacementProblem problem = three_buffers();
  problem.buffers[0].window = AddressRange{0, 8};
  EXPECT_FALSE(Repack(problem).usable());
  problem = three_buffers();
  problem.relations.push_back({RelationKind::disjoint, {0, 2}, 0});
  EXPECT_FALSE(Repack(problem).usable());
  problem = three_buffers();
  problem.memories.push_back({.name = "n", .capacity = 64});
  EXPECT_FALSE(Repack(problem).usable());
  problem = three_buffers();
  problem.memories[0].reserved = {{0, 8}};
  EXPECT_FALSE(Repack(problem).usable());
}

TEST(Repack, SumsThatAreTooLargeAreForValidate) {
  const PlacementProblem problem = three_buffers();
  const Repack repack(problem);
  SizeLayer layer = size_layer(problem);
  EXPECT_TRUE(repack.surely_valid(layer));
  layer.sizes = {max_address, max_address, max_address};
  EXPECT_FALSE(repack.surely_valid(layer));
}

/// Its placements pass the checker, and its valid layers are valid.
TEST(Repack, IsRightWheneverItAnswers) {
  int answered = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    testing::Random random(seed);
    const PlacementProblem problem = testing::random_problem(random, testing::Features::all());
    Repack repack(problem);
    const PlacementResult first = place(problem, {});
    if (!repack.usable() || first.status != Status::feasible) continue;
    repack.follow(*first.placement);
    for (int k = 0; k < 5; ++k) {
      SizeLayer layer = size_layer(problem);
      for (Size& size : layer.sizes) size = std::max<Size>(1, size + random.between(-2, 1));
      PlacementProblem now = problem;
      replace_sizes(now, layer);
      if (!repack.surely_valid(layer)) continue;
      ASSERT_TRUE(validate(now).empty()) << seed;
      const auto placed = repack.with(layer);
      if (!placed) continue;
      ++answered;
      ASSERT_TRUE(check(now, *placed, 1).empty()) << seed << '\n' << testing::to_yaml(now);
    }
  }
  EXPECT_GT(answered, 20);
}

TEST(Repack, ASessionAnswersFromItsOrder) {
  Session session(three_buffers());
  ASSERT_EQ(session.place().status, Status::feasible);
  session.set_sizes(std::vector<Size>{9, 9, 9});
  const PlacementResult larger = session.place();
  EXPECT_EQ(larger.status, Status::feasible);
  EXPECT_EQ(larger.engine, "session") << "nothing was searched";
}

}  // namespace
}  // namespace tessera::placer
