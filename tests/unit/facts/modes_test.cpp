#include "facts/modes.h"

#include <gtest/gtest.h>

#include <numeric>

#include "model/derived.h"
#include "tessera/check.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/engine_agreement.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

namespace tessera::facts {
namespace {

std::int64_t total(const std::vector<std::int64_t>& switches) {
  return std::accumulate(switches.begin(), switches.end(), std::int64_t{0});
}

/// The fewest switches of all schedules that the checker accepts; nothing if there is none.
std::optional<std::int64_t> fewest(const PlacementProblem& problem, Placement placement,
                                   std::optional<Step> cycle) {
  std::vector<std::vector<Mode>> modes;
  for (const Memory& memory : problem.memories)
    modes.push_back(has_modes(memory) ? testing::all_modes(memory) : std::vector<Mode>{});
  const auto steps = static_cast<std::size_t>(horizon(problem));
  std::vector<std::vector<std::size_t>> chosen(modes.size());
  placement.modes.assign(modes.size(), {});
  for (std::size_t m = 0; m < modes.size(); ++m)
    if (!modes[m].empty()) chosen[m].assign(steps, 0);
  std::optional<std::int64_t> best;
  for (;;) {
    for (std::size_t m = 0; m < modes.size(); ++m) {
      placement.modes[m].clear();
      for (const std::size_t k : chosen[m]) placement.modes[m].push_back(modes[m][k].name);
    }
    if (check(problem, placement, 1).empty()) {
      const std::int64_t switches = total(mode_switches(placement.modes, cycle));
      if (!best || switches < *best) best = switches;
    }
    // The next combination.
    bool more = false;
    for (std::size_t m = 0; m < modes.size() && !more; ++m)
      for (std::size_t t = 0; t < chosen[m].size() && !more; ++t) {
        more = ++chosen[m][t] < modes[m].size();
        if (!more) chosen[m][t] = 0;
      }
    if (!more) return best;
  }
}

/// A memory of one bank whose modes A, B, C allow what the steps ask for.
PlacementProblem asking(const std::vector<Mode>& modes, const std::vector<Role>& asked) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 8, .modes = modes});
  for (std::size_t t = 0; t < asked.size(); ++t) {
    Buffer buffer{.id = "b" + std::to_string(t),
                  .live = {{static_cast<Step>(t), static_cast<Step>(t + 1)}},
                  .size = 8};
    if (asked[t] == Role::read || asked[t] == Role::read_write)
      buffer.read = {static_cast<Step>(t)};
    if (asked[t] == Role::write || asked[t] == Role::read_write)
      buffer.write = {static_cast<Step>(t)};
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

std::vector<BufferPlace> at_zero(const PlacementProblem& problem) {
  return std::vector<BufferPlace>(problem.buffers.size());
}

// In a line A C B and B C B both switch twice; around a cycle only the second one does.
TEST(Modes, ACycleEndsWhereItBegins) {
  const PlacementProblem problem =
      asking({{"A", {Role::read}}, {"B", {Role::read_write}}, {"C", {Role::write}}},
             {Role::read, Role::write, Role::read_write});
  PlacementProblem strict = problem;  // nothing but C can write at step 1
  strict.memories[0].modes[1].roles = {Role::read};
  strict.buffers[2].write.clear();
  const auto modes = resolve_modes(strict, at_zero(strict), 3);
  ASSERT_TRUE(modes);
  EXPECT_EQ((*modes)[0][0], (*modes)[0][2]);
  EXPECT_EQ(total(mode_switches(*modes, 3)), 2);
}

TEST(Modes, StaysWhereItCan) {
  const PlacementProblem problem = asking({{"A", {Role::read}}, {"B", {Role::read_write}}},
                                          {Role::read, Role::write, Role::read, Role::read_write});
  const auto modes = resolve_modes(problem, at_zero(problem));
  ASSERT_TRUE(modes);
  EXPECT_EQ((*modes)[0], (std::vector<std::string>{"B", "B", "B", "B"}));
  EXPECT_EQ(total(mode_switches(*modes, std::nullopt)), 0);
}

TEST(Modes, SaysWhereThereIsNone) {
  const PlacementProblem problem = asking({{"A", {Role::read}}}, {Role::read, Role::write});
  EXPECT_FALSE(resolve_modes(problem, at_zero(problem)));
  EXPECT_FALSE(resolve_modes(problem, at_zero(problem), 2));
}

// The window of a gap may lie in one bank only: the other one may be off then.
TEST(Modes, AGapLeavesABankAlone) {
  PlacementProblem problem;
  Memory memory{.name = "m", .capacity = 8};
  memory.banks = {{"b0", 4, {}}, {"b1", 4, {}}};
  memory.modes = {{"both", {Role::hold, Role::hold}}, {"half", {Role::hold, Role::off}}};
  problem.memories = {memory};
  problem.buffers.push_back({.id = "a",
                             .live = {{0, 2}},
                             .size = 8,
                             .gaps = {{.steps = {1, 2}, .window = AddressRange{0, 4}}}});
  problem.memories[0].modes.erase(problem.memories[0].modes.begin());
  EXPECT_FALSE(resolve_modes(problem, at_zero(problem)));
  problem.buffers[0].gaps[0].steps = {0, 2};
  const auto modes = resolve_modes(problem, at_zero(problem));
  ASSERT_TRUE(modes);
  EXPECT_EQ((*modes)[0], (std::vector<std::string>{"half", "half"}));
}

TEST(Modes, TwoPassesOfACycleSwitchTogether) {
  const ModeSchedule modes = {{"A", "B", "A", "B"}, {}};
  EXPECT_EQ(mode_switches(modes, 2), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(mode_switches({{"A", "A", "B", "B"}}, 2), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(mode_switches({{"A", "A", "B", "B"}}, std::nullopt),
            (std::vector<std::int64_t>{0, 0, 1, 0}));
}

TEST(Modes, NoScheduleSwitchesLess) {
  testing::Features features = testing::Features::all();
  int compared = 0;
  int switching = 0;
  const testing::RandomRun run = testing::from_environment({1, 2500});
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    testing::Random random(seed);
    const PlacementProblem problem = testing::random_problem(random, features);
    const Step steps = horizon(problem);
    double schedules = 1;
    bool some = false;
    for (const Memory& memory : problem.memories) {
      if (!has_modes(memory)) continue;
      some = true;
      for (Step t = 0; t < steps; ++t)
        schedules *= static_cast<double>(testing::all_modes(memory).size());
    }
    if (!some || steps == 0 || schedules > 3000) continue;
    const auto found = testing::brute_force(problem);
    if (!found) continue;
    std::vector<std::optional<Step>> cycles = {std::nullopt, steps};
    if (steps % 2 == 0) cycles.emplace_back(steps / 2);
    for (const auto& cycle : cycles) {
      Placement placement = found->placement;
      const auto settled = resolve_modes(problem, placement.places, cycle);
      ASSERT_TRUE(settled) << testing::to_yaml(problem);
      placement.modes = *settled;
      ASSERT_TRUE(check(problem, placement).empty()) << testing::to_yaml(problem);
      const std::int64_t switches = total(mode_switches(*settled, cycle));
      ASSERT_EQ(switches, fewest(problem, placement, cycle).value())
          << (cycle ? "cycle of " + std::to_string(*cycle) : "line") << '\n'
          << testing::to_yaml(problem);
      ++compared;
      switching += switches > 0 ? 1 : 0;
    }
  }
  if (run.count < 1000) return;
  EXPECT_GT(compared, 100);
  EXPECT_GT(switching, 10);
}

}  // namespace
}  // namespace tessera::facts
