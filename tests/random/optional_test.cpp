// Which optional buffers are placed: against trying every set of them, each by the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "io/placement_json.h"
#include "io/problem_yaml.h"
#include "optional_problems.h"
#include "search/choice/packing.h"
#include "search/choice/packing_proof.h"
#include "tessera/check.h"
#include "tessera/check_result.h"
#include "tessera/place.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/problem_text.h"
#include "tests/support/random.h"
#include "tests/support/random_problem.h"

namespace tessera::testing {
namespace {

std::string wrong_with(const PlacementProblem& problem, const std::string& engine) {
  PlaceParams params;
  params.engine = engine;
  params.minimize = Objective::benefit;
  params.limits.threads = 1;
  const PlacementResult result = place(problem, params);
  const std::optional<Benefit> best = most_benefit(problem);
  if (result.status == Status::unknown) return "gave up: " + result.reason;
  if ((result.status == Status::feasible) != best.has_value()) return "another status";
  if (!best) return {};
  if (result.benefit != *best || result.benefit_bound != *best || !result.proven_optimal)
    return "benefit " + std::to_string(result.benefit) + ", at most " +
           std::to_string(result.benefit_bound) + ", but the oracle has " + std::to_string(*best);
  // The checker is not its own witness.
  std::vector<char> out(problem.buffers.size(), 0);
  for (const BufferIndex b : result.placement->left_out) {
    out[b] = 1;
    if (!problem.buffers[b].optional) return "leaves out what is not optional";
  }
  Placement in{.places = {}, .modes = result.placement->modes, .left_out = {}};
  Benefit benefit = 0;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (out[b] != 0) continue;
    in.places.push_back(result.placement->places[b]);
    benefit += problem.buffers[b].benefit;
  }
  if (benefit != *best) return "the buffers that are in are worth " + std::to_string(benefit);
  const PlacementProblem rest = rest_of(problem, out);
  if (!rest.buffers.empty() && !keeps_every_rule(rest, in)) return "a wrong placement";
  // What is written is read back, and found right.
  const PlacementResult again =
      io::read_placement_json(io::write_placement_json(problem, result), "r.json", problem);
  const ResultVerdict verdict = check_result(problem, again, {});
  if (!verdict.wrong.empty()) return verdict.wrong.front().message;
  return {};
}

TEST(RandomOptional, TheLargestBenefitIsThatOfTheBestSet) {
  const std::uint64_t first = setting("TESSERA_RANDOM_SEED", 1);
  const std::size_t count = effort(setting("TESSERA_RANDOM_COUNT", 1000));
  std::size_t asked = 0;
  std::size_t chosen = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Random random(seed);
    Features features = seed % 2 == 0 ? Features::all_with_parts() : Features::plain();
    features.alignment = true;
    PlacementProblem problem = random_problem(random, features);
    make_optional(problem, random);
    if (!validate(problem).empty()) continue;
    ++asked;
    const std::string engine = seed % 4 == 1 ? "canonical" : "auto";
    const std::string wrong = wrong_with(problem, engine);
    ASSERT_EQ(wrong, "") << "seed " << seed << '\n' << io::write_problem_yaml(problem);
    const std::optional<Benefit> best = most_benefit(problem);
    if (best && *best > 0 && *best < benefit_of(problem, {})) ++chosen;
    // The same question, in the words of a file.
    ASSERT_EQ(io::write_problem_yaml(
                  io::read_problem_yaml(io::write_problem_yaml(problem), "p.yaml", {}).problem),
              io::write_problem_yaml(problem));
  }
  EXPECT_GT(asked, count * 9 / 10);
  EXPECT_GT(chosen, count / 10);  // a choice, and not all or nothing
}

/// Damaged lists of what is left out are wrong, whatever else is right.
TEST(RandomOptional, WhatIsLeftOutIsChecked) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 10});
  for (const char* id : {"a", "b", "c", "d"}) {
    problem.buffers.push_back({.id = id, .live = {{0, 2}}, .size = 5});
    problem.buffers.back().optional = *id != 'a';
    if (*id > 'b') problem.buffers.back().group = "g";
  }
  const auto rules = [&](std::vector<BufferIndex> left_out) {
    Placement placement{
        .places = {{0, 0}, {0, 5}, {0, 5}, {0, 5}}, .modes = {}, .left_out = std::move(left_out)};
    std::vector<Rule> broken;
    for (const Violation& wrong : check(problem, placement)) broken.push_back(wrong.rule);
    return broken;
  };
  EXPECT_EQ(rules({2, 3}), std::vector<Rule>{});
  EXPECT_EQ(rules({1, 2}), (std::vector<Rule>{Rule::left_out}));     // half of a group
  EXPECT_EQ(rules({0, 2, 3}), (std::vector<Rule>{Rule::left_out}));  // not optional
  EXPECT_EQ(rules({3, 2}), (std::vector<Rule>{Rule::left_out}));     // in no order
  EXPECT_EQ(rules({2, 3, 4}), (std::vector<Rule>{Rule::left_out}));  // there is none
  EXPECT_EQ(rules({}).front(), Rule::overlap);
}

/// Sums of zeros and ones against every one of them.
TEST(RandomOptional, PackingsAreTheBest) {
  const std::uint64_t first = setting("TESSERA_RANDOM_SEED", 1);
  const std::size_t count = effort(setting("TESSERA_RANDOM_COUNT", 5000));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Random random(seed);
    search::PackingProblem packing;
    const auto things = static_cast<std::uint32_t>(random.between(1, 10));
    const std::int64_t largest = random.chance(20) ? std::int64_t{1} << 40U : 9;
    for (std::uint32_t k = 0; k < things; ++k) packing.worth.push_back(random.between(0, largest));
    const bool twins = random.chance(40);
    for (std::uint32_t k = 1; twins && k < things; k += 2) packing.worth[k] = packing.worth[k - 1];
    for (std::int64_t r = random.between(0, 6); r > 0; --r) {
      search::PackingRow row;
      for (std::uint32_t k = 0; k < things; ++k)
        if (random.chance(60)) row.terms.emplace_back(k, random.between(1, 12));
      if (twins) {  // every other thing is like the one before it
        std::vector<std::pair<std::uint32_t, std::int64_t>> both;
        for (const auto& [k, amount] : row.terms) {
          if (k % 2 == 1) continue;
          both.emplace_back(k, amount);
          if (k + 1 < things) both.emplace_back(k + 1, amount);
        }
        row.terms = std::move(both);
      }
      row.capacity = random.between(0, 30);
      if (!row.terms.empty()) packing.rows.push_back(row);
    }
    Benefit best = 0;
    for (std::uint32_t set = 0; set < 1U << things; ++set) {
      const bool fits =
          std::all_of(packing.rows.begin(), packing.rows.end(), [&](const search::PackingRow& row) {
            std::int64_t sum = 0;
            for (const auto& [thing, amount] : row.terms)
              sum += (set >> thing & 1U) != 0 ? amount : 0;
            return sum <= row.capacity;
          });
      Benefit worth = 0;
      for (std::uint32_t k = 0; k < things; ++k)
        worth += (set >> k & 1U) != 0 ? packing.worth[k] : 0;
      if (fits) best = std::max(best, worth);
    }
    const search::PackingResult answer = search::best_packing(packing, -1, {});
    ASSERT_EQ(answer.worth, best) << "seed " << seed;
    ASSERT_EQ(answer.bound, best) << "seed " << seed;
    Benefit worth = 0;
    for (std::uint32_t k = 0; k < things; ++k) worth += answer.in[k] != 0 ? packing.worth[k] : 0;
    ASSERT_EQ(worth, best) << "seed " << seed;
    // Nothing is better than the best.
    ASSERT_TRUE(search::best_packing(packing, best, {}).in.empty()) << "seed " << seed;
    // Why: a tree for the best, and none for less.
    ASSERT_TRUE(search::prove_packing(packing, best, {})) << "seed " << seed;
    ASSERT_FALSE(best > 0 && search::prove_packing(packing, best - 1, {})) << "seed " << seed;
    // Cut short, it still says what is true.
    Budget budget;
    budget.max_nodes = random.between(0, 3);
    const search::PackingResult cut = search::best_packing(packing, -1, budget);
    ASSERT_GE(cut.bound, best) << "seed " << seed;
    ASSERT_LE(cut.worth, best) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tessera::testing
