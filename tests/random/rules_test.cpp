// Random problems with random rules: every engine that takes them, `auto`, sessions, explanations
// and the text of the rules, against brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <stdexcept>

#include "agreement.h"
#include "all_engines.h"
#include "encoder/explain.h"
#include "encoder/rule_forms.h"
#include "engine/session.h"
#include "io/problem_yaml.h"
#include "model/optional.h"
#include "model/size_layer.h"
#include "tessera/check.h"
#include "tessera/place.h"
#include "tessera/session.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/random_rules.h"

namespace tessera::testing {
namespace {

PlacementProblem random_ruled_problem(std::uint64_t seed) {
  Random random(seed);
  Features features = random.chance(20) ? Features::all_with_parts() : Features::all();
  PlacementProblem problem = random_problem(random, features);
  add_random_rules(random, problem);
  EXPECT_TRUE(validate(problem).empty()) << seed << ": " << validate(problem).front().message;
  return problem;
}

Objective goal_of(std::uint64_t seed) {
  return seed % 4 == 2   ? Objective::cost
         : seed % 8 == 3 ? Objective::modes
         : seed % 8 == 7 ? Objective::switches
                         : Objective::fit;
}

OracleGoal oracle_goal(Objective goal) {
  return goal == Objective::cost       ? OracleGoal::cost
         : goal == Objective::modes    ? OracleGoal::modes
         : goal == Objective::switches ? OracleGoal::switches
                                       : OracleGoal::any;
}

TEST(RandomRules, EnginesAgreeWithBruteForce) {
  const RandomRun run = from_environment({1, 500});
  AllEngines engines;
  std::size_t too_large = 0;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    try {
      const auto wrong = engines.wrong(random_ruled_problem(seed), goal_of(seed));
      ASSERT_FALSE(wrong) << "seed " << seed << ", " << *wrong;
    } catch (const std::length_error&) {
      ++too_large;
    }
  }
  std::cout << engines.answered() << " answered like brute force; " << too_large
            << " too large for the oracle\n";
  EXPECT_LE(too_large, 1 + run.count / 50);
}

TEST(RandomRules, AutoAgreesWithBruteForce) {
  const RandomRun run = from_environment({100'000, 300});
  std::map<std::string, int> by;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    const PlacementProblem problem = random_ruled_problem(seed);
    const bool height = seed % 5 == 4;
    const Objective goal = height ? Objective::height : goal_of(seed);
    std::optional<OracleAnswer> expected;
    try {
      expected = brute_force(problem, height ? OracleGoal::heights : oracle_goal(goal));
    } catch (const std::length_error&) {
      ++by["too large for the oracle"];
      continue;
    }
    PlacementResult result;
    try {
      result = place(problem, {.minimize = goal});
    } catch (const BadInput& refused) {
      ++by["refused"];
      EXPECT_NE(std::string(refused.what()).find("ule"), std::string::npos) << refused.what();
      continue;
    }
    ++by[result.engine];
    ASSERT_EQ(result.status, expected ? Status::feasible : Status::infeasible)
        << "seed " << seed << ' ' << result.engine << ' ' << result.reason << '\n'
        << to_yaml(problem);
    if (!expected) continue;
    ASSERT_TRUE(keeps_every_rule(problem, *result.placement)) << seed << '\n' << to_yaml(problem);
    if (encoder::unsupported_rule(problem)) {  // no solver finds or proves the optimum
      ++by["not proved"];
      ASSERT_GE(result.cost, goal == Objective::cost ? expected->value : 0) << seed;
      ASSERT_LE(result.cost_bound, goal == Objective::cost ? expected->value : result.cost) << seed;
      continue;
    }
    if (goal == Objective::modes || goal == Objective::switches) {
      ASSERT_EQ(result.objectives.front().value, expected->value) << seed << '\n'
                                                                  << to_yaml(problem);
    }
    if (goal == Objective::cost) {
      ASSERT_EQ(result.cost, expected->value) << seed << ' ' << result.engine << '\n'
                                              << to_yaml(problem);
    }
    if (height) {
      std::vector<Size> falling = result.heights;
      std::sort(falling.rbegin(), falling.rend());
      std::int64_t value = 0;
      for (const Size each : falling) value = 1000 * value + each;
      ASSERT_EQ(value, expected->value) << seed << '\n' << to_yaml(problem);
    }
  }
  for (const auto& [engine, count] : by) std::cout << engine << ' ' << count << "  ";
  std::cout << '\n';
  EXPECT_LE(by["too large for the oracle"], static_cast<int>(1 + run.count / 50));
}

/// Rules ignore buffers that are left out.
TEST(RandomRules, TheLargestBenefitAgreesWithBruteForce) {
  const RandomRun run = from_environment({500'000, 60});
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    PlacementProblem problem = random_ruled_problem(seed);
    if (encoder::unsupported_rule(problem)) continue;
    Random random(seed);
    std::vector<BufferIndex> optional;
    for (BufferIndex b = 0; b < problem.buffers.size() && optional.size() < 3; ++b)
      if (random.chance(50)) optional.push_back(b);
    if (optional.empty() || optional.size() == problem.buffers.size()) continue;
    for (const BufferIndex b : optional) {
      problem.buffers[b].optional = true;
      problem.buffers[b].benefit = random.between(1, 4) * 1000;
    }
    std::optional<Benefit> best;
    for (std::size_t out = 0; out < std::size_t{1} << optional.size(); ++out) {
      std::vector<BufferIndex> left_out;
      Benefit benefit = whole_benefit(problem);
      for (std::size_t i = 0; i < optional.size(); ++i)
        if ((out >> i & 1) != 0) {
          left_out.push_back(optional[i]);
          benefit -= problem.buffers[optional[i]].benefit;
        }
      if (best && benefit <= *best) continue;
      if (brute_force(chosen(problem, left_out).problem)) best = benefit;
    }
    const PlacementResult result = place(problem, {.minimize = Objective::benefit});
    ASSERT_EQ(result.status, best ? Status::feasible : Status::infeasible) << seed << '\n'
                                                                           << to_yaml(problem);
    if (!best) continue;
    ASSERT_EQ(result.benefit, *best) << seed << '\n' << to_yaml(problem);
    ASSERT_TRUE(result.proven_optimal) << seed;
    ASSERT_TRUE(check(problem, *result.placement).empty()) << seed;
  }
}

/// The checker and the oracle agree about damaged placements, and the text of a problem reads back.
TEST(RandomRules, CheckerAndTextAgreeWithTheOracle) {
  const RandomRun run = from_environment({200'000, 1000});
  std::size_t right = 0;
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    PlacementProblem problem = random_ruled_problem(seed);
    const std::string text = io::write_problem_yaml(problem);
    const PlacementProblem again = io::read_problem_yaml(text, "again.yaml").problem;
    const std::vector<ConditionRule> rules = std::move(problem.rules);
    problem.rules.clear();
    const auto found = brute_force(problem);
    problem.rules = rules;
    if (!found) continue;
    Random random(seed);
    for (int change = 0; change < 4; ++change) {
      Placement placement = found->placement;
      for (auto& names : placement.modes)
        if (!names.empty() && change > 0)
          std::swap(names[random.below(names.size())], names[random.below(names.size())]);
      if (change > 1) {
        BufferPlace& place = placement.places[random.below(placement.places.size())];
        place.offset = std::max<Offset>(0, place.offset + random.between(-2, 2));
      }
      const bool expected = keeps_every_rule(problem, placement);
      ++(expected ? right : wrong);
      const auto violations = check(problem, placement);
      ASSERT_EQ(violations.empty(), expected)
          << seed << '\n'
          << to_yaml(problem) << (violations.empty() ? "" : violations.front().message);
      ASSERT_EQ(check(again, placement).empty(), expected) << seed << '\n' << text;
    }
  }
  EXPECT_GT(right, 0U);
  EXPECT_GT(wrong, 0U);
}

/// Sizes and capacities of the next query: usually small steps in one direction, as in a search
/// for a tile.
SizeLayer next_layer(Random& random, const PlacementProblem& problem, SizeLayer layer) {
  const int direction = random.chance(50) ? 1 : -1;
  for (BufferIndex b = 0; b < layer.sizes.size(); ++b)
    if (problem.buffers[b].parts.empty() && problem.buffers[b].gaps.empty() && random.chance(40))
      layer.sizes[b] = std::clamp<Size>(layer.sizes[b] + direction * random.between(0, 2), 1, 12);
  for (MemoryIndex m = 0; m < layer.capacities.size(); ++m)
    if (problem.memories[m].banks.empty() && random.chance(30))
      layer.capacities[m] = std::clamp<Size>(layer.capacities[m] + random.between(-2, 2), 1, 24);
  return layer;
}

/// A session of one of the engines, or of `auto`.
class AnySession {
 public:
  AnySession(std::uint64_t seed, const PlacementProblem& problem) {
    const std::array makers{
        +[] { return encoder::make_sat_engine({}); },
        +[] { return encoder::make_sat_engine({.load_cut = false, .try_orders = false}); },
        +[] { return encoder::make_smt_engine({}); },
        +[] { return encoder::make_smt_engine({.load_cut = false, .try_orders = false}); },
        +[] { return search::make_learning_engine({}); },
        +[] { return search::make_canonical_engine(); }};
    if (seed % 7 < makers.size()) engine_ = makers[seed % 7]();
    if (engine_ && engine_->unsupported(problem, Objective::fit)) engine_.reset();
    if (!engine_)
      auto_.emplace(problem);
    else
      session_ = seed % 2 == 0 ? engine::open_session(*engine_, problem) : engine_->open(problem);
  }

  engine::SearchResult solve(const SizeLayer& layer) {
    if (session_) return session_->solve(layer, {});
    auto_->set_sizes(layer.sizes);
    for (MemoryIndex m = 0; m < layer.capacities.size(); ++m)
      if (auto_->problem().memories[m].banks.empty()) auto_->set_capacity(m, layer.capacities[m]);
    const PlacementResult found = auto_->place();
    engine::SearchResult result;
    result.status = found.status;
    result.placement = found.placement;
    return result;
  }
  [[nodiscard]] std::string name() const { return engine_ ? std::string(engine_->name()) : "auto"; }

 private:
  std::unique_ptr<engine::PlacementEngine> engine_;
  std::unique_ptr<engine::PlacementSession> session_;
  std::optional<Session> auto_;
};

/// With rules in two of three problems.
TEST(RandomRules, SessionsAgreeWithBruteForce) {
  const RandomRun run = from_environment({300'000, 90});
  std::map<std::string, int> queries;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    PlacementProblem problem = random_ruled_problem(seed);
    if (seed % 3 == 0 || encoder::unsupported_rule(problem)) problem.rules.clear();
    AnySession session(seed, problem);
    Random random(seed);
    SizeLayer layer = size_layer(problem);
    SizeLayer earlier = layer;
    for (int query = 0; query < 8; ++query) {
      const SizeLayer last = layer;
      layer = random.chance(20) ? earlier : next_layer(random, problem, layer);
      earlier = last;
      const PlacementProblem now = with_layer(problem, layer);
      if (!validate(now).empty()) continue;
      const engine::SearchResult result = session.solve(layer);
      std::optional<OracleAnswer> expected;
      try {
        expected = brute_force(now);
      } catch (const std::length_error&) {  // too large: compare with another solver
        ++queries["without the oracle"];
        const auto other =
            seed % 2 == 0 ? encoder::make_smt_engine({})
                          : encoder::make_sat_engine({.encoding = encoder::OffsetEncoding::order});
        ASSERT_EQ(result.status, other->solve(now, {}).status) << seed << ' ' << query;
        continue;
      }
      ++queries[session.name()];
      ASSERT_EQ(result.status, expected ? Status::feasible : Status::infeasible)
          << seed << ' ' << query << ' ' << session.name() << '\n'
          << to_yaml(now);
      if (expected) {
        ASSERT_TRUE(keeps_every_rule(now, *result.placement)) << seed;
      }
    }
  }
  for (const auto& [engine, count] : queries) std::cout << engine << ' ' << count << "  ";
  std::cout << "queries\n";
}

/// If only the rules make a problem infeasible, the explanation names one of them.
TEST(RandomRules, ExplanationsNameTheRules) {
  const RandomRun run = from_environment({400'000, 150});
  std::size_t explained = 0;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    PlacementProblem problem = random_ruled_problem(seed);
    if (brute_force(problem)) continue;
    PlacementProblem without = problem;
    without.rules.clear();
    if (!brute_force(without)) continue;
    if (encoder::unsupported_rule(problem)) continue;
    const encoder::Explanation why = encoder::explain(problem, {});
    std::vector<std::string> named;
    for (const encoder::HardwareRule& rule : why.rules)
      named.push_back(encoder::describe(problem, rule));
    ASSERT_EQ(why.status, Status::infeasible) << seed << '\n' << to_yaml(problem);
    ++explained;
    ASSERT_TRUE(std::ranges::any_of(
        named, [](const std::string& rule) { return rule.starts_with("the rule r"); }))
        << seed << '\n'
        << why.text << to_yaml(problem);
    // Without the rules that it names, the rest may be feasible or not; with only them it is not.
    PlacementProblem only = problem;
    std::erase_if(only.rules, [&](const ConditionRule& rule) {
      return std::ranges::none_of(named, [&](const std::string& text) {
        return text.starts_with("the rule " + rule.name + ": " + to_string(problem, rule.that));
      });
    });
    ASSERT_FALSE(brute_force(only)) << seed << '\n' << why.text << to_yaml(problem);
  }
  std::cout << explained << " explained\n";
}

}  // namespace
}  // namespace tessera::testing
