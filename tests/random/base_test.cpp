// Memories whose base is no multiple of the alignments: place() against brute force, which
// enumerates addresses, for every objective and every engine that supports the problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <string>

#include "agreement.h"
#include "model/derived.h"
#include "proof/check_proof.h"
#include "tessera/check.h"
#include "tessera/engines.h"
#include "tessera/explain.h"
#include "tessera/place.h"
#include "tests/support/brute_force.h"
#include "tests/support/problem_text.h"

namespace tessera::testing {
namespace {

/// Bases and alignments with few common factors, and capacities increased accordingly.
PlacementProblem with_bases(std::uint64_t seed, const Features& features) {
  Random random(seed);
  PlacementProblem problem = random_problem(random, features);
  for (Buffer& buffer : problem.buffers)
    if (random.chance(60)) buffer.alignment = random.pick(std::vector<Size>{2, 3, 4, 8});
  for (Memory& memory : problem.memories) {
    if (random.chance(85)) memory.base = random.between(1, 25);
    const Size more = random.between(0, 4);
    memory.capacity += more;
    if (!memory.banks.empty()) memory.banks.back().size += more;
  }
  return problem;
}

struct Tally {
  int unaligned = 0, tied = 0, refused = 0, feasible = 0, infeasible = 0, least = 0;
};

std::ostream& operator<<(std::ostream& out, const Tally& tally) {
  return out << tally.unaligned << " with a base off the alignments, " << tally.tied
             << " tied to memories, " << tally.refused << " refused, " << tally.feasible
             << " feasible, " << tally.infeasible << " infeasible, " << tally.least
             << " proved least\n";
}

std::int64_t value_of(const PlacementResult& result, Objective what) {
  if (what == Objective::cost) return result.cost;
  std::size_t used = 0;
  if (what == Objective::switches) {
    for (const auto& modes : result.placement->modes)
      for (std::size_t t = 1; t < modes.size(); ++t) used += modes[t] != modes[t - 1] ? 1U : 0U;
    return static_cast<std::int64_t>(used);
  }
  for (const auto& modes : result.placement->modes)
    used += std::set<std::string>(modes.begin(), modes.end()).size();
  return static_cast<std::int64_t>(used);
}

/// In descending order.
std::vector<Size> falling(std::vector<Size> heights) {
  std::sort(heights.rbegin(), heights.rend());
  return heights;
}

/// A message if the result differs from the oracle's.
std::optional<std::string> wrong(const PlacementProblem& problem, const PlaceParams& params,
                                 Tally& tally) {
  const OracleGoal goal = params.minimize == Objective::height     ? OracleGoal::heights
                          : params.minimize == Objective::cost     ? OracleGoal::cost
                          : params.minimize == Objective::modes    ? OracleGoal::modes
                          : params.minimize == Objective::switches ? OracleGoal::switches
                                                                   : OracleGoal::any;
  PlacementResult result;
  try {
    result = place(problem, params);
  } catch (const BadInput& refused) {
    if (std::string(refused.what()).find("bases with different remainders") == std::string::npos)
      return std::string("refused: ") + refused.what();
    ++tally.refused;  // more than 256 choices of memories
    return std::nullopt;
  }
  for (const Stat& stat : result.stats) tally.tied += stat.name == "ties_of_memories" ? 1 : 0;
  const auto best = brute_force(problem, goal);
  if (result.status == Status::unknown) return "gave up: " + result.reason;
  if ((result.status == Status::feasible) != best.has_value())
    return result.engine + " says " + std::string(to_string(result.status));
  if (!best) {
    ++tally.infeasible;
    return std::nullopt;
  }
  ++tally.feasible;
  if (!keeps_every_rule(problem, *result.placement)) return "a wrong placement by " + result.engine;
  if (result.heights != heights(problem, *result.placement)) return "wrong heights";
  if (result.lower_bound > result.height) return "a bound above its height";
  const auto lowest = brute_force(problem, OracleGoal::top);
  if (result.lower_bound > lowest->value)
    return "lower bound " + std::to_string(result.lower_bound) + ", but " +
           std::to_string(lowest->value) + " can be reached";
  if (params.minimize == Objective::fit) return std::nullopt;
  const bool proved =
      params.minimize == Objective::height ? result.proven_minimum : result.proven_optimal;
  if (proved) ++tally.least;
  if (params.minimize == Objective::height) {
    const std::vector<Size> least = falling(heights(problem, best->placement));
    if (falling(result.heights) != least)
      return "the largest height is " + std::to_string(result.height) +
             ", in the least placement " + std::to_string(least.front());
  } else if (value_of(result, *params.minimize) != best->value) {
    return "reached " + std::to_string(value_of(result, *params.minimize)) + " instead of " +
           std::to_string(best->value);
  }
  if (!proved) return "reached the least, unproved";
  return std::nullopt;
}

void expect_right(const Features& features, Objective what, std::size_t count) {
  const RandomRun run = from_environment({.count = count});
  Tally tally;
  for (std::size_t k = 0; k < run.count; ++k) {
    const PlacementProblem problem = with_bases(run.seed + k, features);
    if (!has_unaligned_base(problem)) continue;
    ++tally.unaligned;
    const PlaceParams params{.minimize = what,
                             .limits = {.timeout = std::chrono::seconds(20), .threads = 1}};
    const auto told = wrong(problem, params, tally);
    ASSERT_FALSE(told) << "seed " << run.seed + k << ": " << *told << '\n' << to_yaml(problem);
  }
  std::cout << tally;
  if (run.count < 30) return;
  EXPECT_GT(tally.unaligned, static_cast<int>(run.count / 2));
  EXPECT_GT(tally.feasible, 0);
  EXPECT_LE(tally.refused, tally.unaligned / 200);
  EXPECT_GT(tally.infeasible, 0);
}

TEST(RandomBase, Fits) {
  expect_right(Features::all(), Objective::fit, 1000);
}

TEST(RandomBase, FitsWithParts) {
  expect_right(Features::all_with_parts(), Objective::fit, 500);
}

TEST(RandomBase, FindsTheLeastHeight) {
  expect_right(Features::one_address_space(), Objective::height, 500);
}

TEST(RandomBase, FindsTheLeastHeightsOfSeveralMemories) {
  expect_right(Features::all(), Objective::height, 400);
}

TEST(RandomBase, FindsTheLeastCost) {
  expect_right(Features::all(), Objective::cost, 300);
}

TEST(RandomBase, FindsTheFewestModes) {
  expect_right(Features::all(), Objective::modes, 300);
}

TEST(RandomBase, FindsTheFewestSwitches) {
  expect_right(Features::all(), Objective::switches, 200);
}

/// Infeasible problems are explained; others have nothing to explain.
TEST(RandomBase, IsExplained) {
  const RandomRun run = from_environment({.count = 300});
  int told = 0;
  for (std::size_t k = 0; k < run.count; ++k) {
    const PlacementProblem problem = with_bases(run.seed + k, Features::all());
    if (!has_unaligned_base(problem)) continue;
    Explanation why;
    try {
      why = explain(problem, {.limits = {.timeout = std::chrono::seconds(20)}});
    } catch (const BadInput&) {
      continue;
    }
    ++told;
    ASSERT_EQ(why.status == Status::infeasible, !brute_force(problem).has_value())
        << "seed " << run.seed + k << '\n'
        << why.text << to_yaml(problem);
  }
  std::cout << told << " explanations\n";
}

TEST(RandomBase, EveryEngineThatTakesIt) {
  const RandomRun run = from_environment({.count = 150});
  int answered = 0;
  for (std::size_t k = 0; k < run.count; ++k) {
    Features features = k % 2 == 0 ? Features::one_address_space() : Features::plain();
    features.alignment = true;
    const PlacementProblem problem = with_bases(run.seed + k, features);
    if (!has_unaligned_base(problem)) continue;
    const auto expected = brute_force(problem);
    for (const EngineInfo& engine : engine_list()) {
      PlacementResult result;
      try {
        result =
            place(problem, {.engine = std::string(engine.name),
                            .limits = {.timeout = std::chrono::milliseconds(700), .threads = 1}});
      } catch (const BadInput&) {
        continue;
      }
      if (result.status == Status::unknown) continue;
      ++answered;
      ASSERT_EQ(result.status == Status::feasible, expected.has_value())
          << engine.name << ", seed " << run.seed + k << '\n'
          << to_yaml(problem);
      if (result.placement) {
        ASSERT_TRUE(keeps_every_rule(problem, *result.placement))
            << engine.name << ", seed " << run.seed + k << '\n'
            << to_yaml(problem);
      }
    }
  }
  std::cout << answered << " answers like brute force\n";
  if (run.count >= 30) {
    EXPECT_GT(answered, 50);
  }
}

/// The checker against an independent implementation of the rules, for every place.
TEST(RandomBase, TheCheckerCountsFromTheBase) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 24, .base = 5});
  problem.buffers.push_back({.id = "b", .live = {{0, 1}}, .size = 4, .alignment = 8});
  for (Offset at = 0; at <= 20; ++at) {
    Placement placement;
    placement.places = {{0, at}};
    placement.modes.resize(1);
    EXPECT_EQ(check(problem, placement).empty(), (5 + at) % 8 == 0) << at;
    EXPECT_EQ(keeps_every_rule(problem, placement), (5 + at) % 8 == 0) << at;
  }
}

/// A fixed offset in memories that shift by different distances: each choice is solved separately.
TEST(RandomBase, AFixedOffsetWithAChoiceOfMemories) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 16, .base = 1});
  problem.memories.push_back({.name = "n", .capacity = 16, .base = 6});
  problem.buffers.push_back({.id = "a", .live = {{0, 1}}, .size = 4, .offset = 3});
  problem.buffers.push_back({.id = "b", .live = {{0, 1}}, .size = 13, .alignment = 4});
  // b lies in m at 3, where a would be as well, or in n at 2.
  const PlacementResult result = place(problem, {.minimize = Objective::height});
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_TRUE(keeps_every_rule(problem, *result.placement));
  EXPECT_EQ(result.height, 15);
  EXPECT_TRUE(result.lower_bound <= 15 && result.lower_bound > 0);
}

/// By the rules of certificates, which count from 0, this problem would be infeasible.
TEST(RandomBase, NoCertificateSpeaksOfIt) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 9, .base = 7});
  problem.buffers.push_back({.id = "a", .live = {{0, 1}}, .size = 4, .alignment = 8});
  problem.buffers.push_back({.id = "b", .live = {{0, 1}}, .size = 4, .alignment = 4});
  const PlacementResult result = place(problem, {});
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_EQ(result.placement->places[0].offset % 8, 1);
  const proof::ProofPart part =
      proof::check_proof_of(problem, {}, "cut",
                            "step 0\ngrain 4\nmemory 0 m\nbuffer 0 a\nbuffer 1 b\n"
                            "asked 8 available 9\n");
  EXPECT_FALSE(part.accepted);
  EXPECT_NE(part.reason.find("base"), std::string::npos) << part.reason;
}

TEST(RandomBase, AnExplanationCountsTheCapacityFromTheBase) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 10, .base = 0x1001});
  problem.buffers.push_back({.id = "a", .live = {{0, 1}}, .size = 2, .alignment = 8});
  problem.buffers.push_back({.id = "b", .live = {{0, 1}}, .size = 1, .alignment = 8});
  const Explanation told = explain(problem);
  ASSERT_EQ(told.status, Status::infeasible);
  ASSERT_TRUE(told.smallest_capacity);
  // a at 7, b at 15.
  EXPECT_EQ(*told.smallest_capacity, 16);
  EXPECT_NE(told.text.find("0x1000"), std::string::npos) << told.text;
}

}  // namespace
}  // namespace tessera::testing
