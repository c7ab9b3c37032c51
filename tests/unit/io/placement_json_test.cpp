#include "io/placement_json.h"

#include <cmath>

#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

PlacementProblem problem() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram",
                              .capacity = 8,
                              .banks = {{"b0", 4, {}}, {"b1", 4, {}}},
                              .modes = {{"m0", {Role::read, Role::write}},
                                        {"m1", {Role::write, Role::read}},
                                        {"m2", {Role::off, Role::off}}}});
  problem.memories.push_back({.name = "l2", .capacity = 64});
  problem.buffers.push_back({.id = "a \"1\"", .live = {{0, 2}}, .size = 4});
  problem.buffers.push_back({.id = "b", .live = {{0, 1}, {2, 3}}, .size = 8});
  return problem;
}

PlacementResult result() {
  PlacementResult result;
  result.status = Status::feasible;
  result.placement = Placement{{{0, 4}, {1, 0}}, {{"m0", "m1", "m0"}, {}}};
  result.heights = {8, 8};
  result.lower_bounds = {4, 8};
  result.height = 8;
  result.lower_bound = 8;
  result.proven_minimum = true;
  result.cost = 3;
  result.cost_bound = 2;
  result.engine = "canonical";
  result.seconds = 0.125;
  result.seed = 18446744073709551615U;
  result.stats = {
      {"nodes", std::int64_t{-7}}, {"ratio", 2.0}, {"order", std::string("by \\ size")}};
  return result;
}

TEST(PlacementJson, WritesTheKeysOfTheContract) {
  EXPECT_EQ(write_placement_json(problem(), result()),
            R"({"tessera": "placement/1",
 "status": "feasible",
 "stop": "completed",
 "height": 8,
 "lower_bound": 8,
 "proven_minimum": true,
 "heights": {"sram": 8, "l2": 8},
 "lower_bounds": {"sram": 4, "l2": 8},
 "cost": 3,
 "cost_bound": 2,
 "proven_optimal": false,
 "engine": "canonical",
 "seconds": 0.125,
 "seed": 18446744073709551615,
 "buffers": [
  {"id": "a \"1\"", "memory": "sram", "offset": 4, "size": 4, "live": [[0, 2]]},
  {"id": "b", "memory": "l2", "offset": 0, "size": 8, "live": [[0, 1], [2, 3]]}
 ],
 "modes": {"sram": ["m0", "m1", "m0"], "l2": []},
 "unused_modes": {"sram": ["m2"], "l2": []},
 "stats": {"nodes": -7, "ratio": 2.0, "order": "by \\ size"}}
)");
}

TEST(PlacementJson, ReadsBackWhatItWrote) {
  const PlacementResult before = result();
  const PlacementResult after =
      read_placement_json(write_placement_json(problem(), before), "t.json", problem());
  EXPECT_EQ(after.status, before.status);
  EXPECT_EQ(after.stop, before.stop);
  ASSERT_TRUE(after.placement);
  EXPECT_EQ(after.placement->places, before.placement->places);
  EXPECT_EQ(after.placement->modes, before.placement->modes);
  EXPECT_EQ(after.heights, before.heights);
  EXPECT_EQ(after.lower_bounds, before.lower_bounds);
  EXPECT_EQ(after.height, before.height);
  EXPECT_EQ(after.lower_bound, before.lower_bound);
  EXPECT_EQ(after.proven_minimum, before.proven_minimum);
  EXPECT_EQ(after.cost, before.cost);
  EXPECT_EQ(after.cost_bound, before.cost_bound);
  EXPECT_EQ(after.proven_optimal, before.proven_optimal);
  EXPECT_EQ(after.engine, before.engine);
  EXPECT_EQ(after.seconds, before.seconds);
  EXPECT_EQ(after.seed, before.seed);
  ASSERT_EQ(after.stats.size(), 3U);
  EXPECT_EQ(after.stats[0].value, before.stats[0].value);
  EXPECT_EQ(after.stats[1].value, before.stats[1].value) << "2.0 stays a fraction";
  EXPECT_EQ(after.stats[2].value, before.stats[2].value);
}

TEST(PlacementJson, AnswersWithoutPlacement) {
  PlacementResult none;
  none.status = Status::infeasible;
  none.reason = "The load at step 3 is 80, the capacity 64.";
  const std::string text = write_placement_json(problem(), none);
  EXPECT_THAT(text, HasSubstr("\"reason\": \"The load at step 3"));
  EXPECT_THAT(text, Not(HasSubstr("\"buffers\"")));
  const PlacementResult again = read_placement_json(text, "t.json", problem());
  EXPECT_EQ(again.status, Status::infeasible);
  EXPECT_EQ(again.reason, none.reason);
  EXPECT_FALSE(again.placement);
}

TEST(PlacementJson, TakesKeysInAnyOrderAndWithLittleInThem) {
  const PlacementResult read = read_placement_json(
      R"({"buffers": [{"offset": 0, "id": "b", "memory": "l2"}, {"memory": "sram", "id": "a \"1\"", "offset": -4}],
          "status": "feasible", "tessera": "placement/1"})",
      "t.json", problem());
  ASSERT_TRUE(read.placement);
  EXPECT_THAT(read.placement->places, ElementsAre(BufferPlace{0, -4}, BufferPlace{1, 0}))
      << "in the problem's order; that -4 is wrong is the checker's to say";
}

TEST(PlacementJson, TheMemoryMayBeLeftOutWhereThereIsOne) {
  PlacementProblem one = problem();
  one.memories.pop_back();
  one.buffers.pop_back();
  const PlacementResult read = read_placement_json(
      R"({"tessera": "placement/1", "status": "feasible", "height": 8, "buffers": [{"id": "a \"1\"", "offset": 4}]})",
      "t.json", one);
  EXPECT_EQ(read.placement->places[0], (BufferPlace{0, 4}));
  EXPECT_THAT(read.heights, ElementsAre(8));
}

TEST(PlacementJson, NumbersJsonHasNoWordForBecomeNull) {
  PlacementResult odd = result();
  odd.stats = {{"ratio", std::nan("")}};
  EXPECT_THAT(write_placement_json(problem(), odd), HasSubstr("\"ratio\": null"));
}

}  // namespace
}  // namespace tessera::io
