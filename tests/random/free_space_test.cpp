// Alignments without a common factor, with buffers that hold each other up: in a memory without a
// capacity as well as in one that is large enough for what that takes.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "engine/engine.h"
#include "search/learning/engine.h"
#include "search/placement/canonical.h"
#include "tessera/check.h"
#include "tessera/place.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/problem_text.h"
#include "tests/support/random.h"

namespace tessera {
namespace {

constexpr Size roomy = 120;

void add_gap(testing::Random& random, Buffer& buffer) {
  const StepRange live = buffer.live[0];
  if (live.upper - live.lower < 2 || buffer.size < 2) return;
  const Step at = random.between(live.lower, live.upper - 1);
  const Offset begin = random.between(0, buffer.size - 1);
  buffer.gaps.push_back(
      {{at, at + 1}, AddressRange{begin, random.between(begin + 1, buffer.size)}});
}

PlacementProblem interlocking(testing::Random& random) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = roomy});
  if (random.chance(15)) problem.memories[0].reserved = {{0, random.between(1, 3)}};
  const int count = static_cast<int>(random.between(2, 3));
  for (int b = 0; b < count; ++b) {
    const Step lower = random.between(0, 2);
    Buffer buffer{.id = std::string(1, static_cast<char>('a' + b)),
                  .live = {{lower, random.between(lower + 1, 4)}},
                  .size = random.between(1, 9),
                  .alignment = random.pick(std::vector<Size>{1, 2, 3, 5, 7, 8, 9})};
    if (random.chance(60)) add_gap(random, buffer);
    if (random.chance(10)) buffer.window = AddressRange{random.between(0, 9), roomy};
    problem.buffers.push_back(std::move(buffer));
  }
  for (std::int64_t k = random.between(0, 2); k > 0; --k) {
    const auto kind = random.pick(std::vector<RelationKind>{
        RelationKind::adjacent, RelationKind::same_offset, RelationKind::disjoint,
        RelationKind::may_overlap, RelationKind::avoid_overlap});
    std::vector<BufferIndex> members = {0, 1};
    if (count == 3 && random.chance(40)) members = {1, 2};
    if (random.chance(50)) std::swap(members[0], members[1]);
    problem.relations.push_back({kind, members, kind == RelationKind::avoid_overlap ? 3 : 0});
  }
  return problem;
}

TEST(Room, WhatHoldsEachOtherUpIsFound) {
  std::vector<std::unique_ptr<engine::PlacementEngine>> engines;
  engines.push_back(search::make_canonical_engine());
  engines.push_back(search::make_learning_engine({}));
  engines.push_back(encoder::make_sat_engine({}));
  if (auto smt = encoder::make_smt_engine({})) engines.push_back(std::move(smt));
  const std::uint64_t first = testing::setting("TESSERA_RANDOM_SEED", 0);
  const std::uint64_t count = testing::setting("TESSERA_RANDOM_COUNT", testing::effort(600));
  int high = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    testing::Random random(seed);
    PlacementProblem problem = interlocking(random);
    if (!validate(problem).empty()) continue;
    const auto oracle = testing::brute_force(problem);
    for (const Size capacity : {roomy, unbounded}) {
      problem.memories[0].capacity = capacity;
      for (const auto& engine : engines) {
        if (engine->unsupported(problem, Objective::fit)) continue;
        const engine::SearchResult found = engine->solve(problem, {});
        SCOPED_TRACE(std::string(engine->name()) + ", seed " + std::to_string(seed) + "\n" +
                     testing::to_yaml(problem));
        // Without a capacity there may be a placement above what the oracle looks at.
        if (oracle || capacity == roomy) {
          ASSERT_EQ(found.status, oracle ? Status::feasible : Status::infeasible);
        }
        if (!found.placement) continue;
        ASSERT_TRUE(check(problem, *found.placement, 1).empty());
        if (heights(problem, *found.placement)[0] > 60) ++high;
      }
    }
  }
  EXPECT_GT(high, 0) << "no buffers were far up";
}

TEST(Room, TheLeastCostMayLieHigh) {
  // Offsets are multiples of 56, so that three of them apart end above all sizes and alignments.
  PlacementProblem problem;
  problem.memories.push_back({.name = "m"});
  for (int k = 0; k < 3; ++k) {
    for (const Size alignment : {8, 7})
      problem.buffers.push_back({.id = std::to_string(k) + "/" + std::to_string(alignment),
                                 .live = {{2 * k, 2 * k + 1}},
                                 .size = 1,
                                 .alignment = alignment});
    const auto last = problem.buffers.size();
    problem.relations.push_back({RelationKind::same_offset, {last - 2, last - 1}, 0});
  }
  problem.relations.push_back({RelationKind::avoid_overlap, {0, 2, 4}, 5});
  for (const std::string engine : {"auto", "learning", "sat", "smt"}) {
    if (engine == "smt" && !encoder::make_smt_engine({})) continue;  // a build without Z3
    PlaceParams params;
    params.engine = engine;
    params.minimize = Objective::cost;
    const PlacementResult found = place(problem, params);
    EXPECT_EQ(found.status, Status::feasible) << engine;
    EXPECT_TRUE(found.proven_optimal) << engine;
    EXPECT_EQ(found.cost, 0) << engine;
  }
}

}  // namespace
}  // namespace tessera
