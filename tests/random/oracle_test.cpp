// The oracle, the literal rules and the checker are independent implementations; they have to
// agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "model/derived.h"
#include "tessera/check.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/engine_agreement.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

namespace tessera::testing {
namespace {

RandomRun run(std::size_t count) {
  return from_environment({.count = count});
}

std::size_t distinct_modes(const Placement& placement) {
  std::size_t used = 0;
  for (const auto& modes : placement.modes) {
    used += std::set<std::string>(modes.begin(), modes.end()).size();
  }
  return used;
}

std::int64_t changes_of_modes(const Placement& placement) {
  std::int64_t changes = 0;
  for (const auto& modes : placement.modes)
    for (std::size_t t = 1; t < modes.size(); ++t)
      if (modes[t] != modes[t - 1]) ++changes;
  return changes;
}

std::string first_violation(const PlacementProblem& problem, const Placement& placement) {
  const std::vector<Violation> violations = check(problem, placement);
  return violations.empty() ? "" : violations.front().message;
}

Placement random_placement(Random& random, const PlacementProblem& problem) {
  Placement placement;
  for (const Buffer& buffer : problem.buffers) {
    const MemoryIndex m = random.chance(5) ? random.below(problem.memories.size())
                                           : random.pick(allowed_memories(problem, buffer));
    const Size room = std::max<Size>(1, problem.memories[m].capacity - buffer.size);
    placement.places.push_back({m, random.between(random.chance(5) ? -1 : 0, room)});
  }
  for (const Memory& memory : problem.memories) {
    std::vector<std::string>& names = placement.modes.emplace_back();
    const std::vector<Mode> modes = all_modes(memory);
    for (Step t = 0; t < horizon(problem) && !modes.empty(); ++t) {
      names.push_back(random.pick(modes).name);
    }
  }
  return placement;
}

/// A valid placement with one change: most of these violate exactly one rule.
void damage(Random& random, const PlacementProblem& problem, Placement& placement) {
  BufferPlace& place = placement.places[random.below(placement.places.size())];
  const MemoryIndex m = random.below(problem.memories.size());
  switch (random.below(4)) {
    case 0:
      place.offset += random.chance(50) ? 1 : -1;
      break;
    case 1:
      std::swap(place, placement.places[random.below(placement.places.size())]);
      break;
    case 2:
      place.memory = m;
      break;
    default:
      if (!placement.modes[m].empty()) {
        placement.modes[m][random.below(placement.modes[m].size())] =
            random.pick(all_modes(problem.memories[m])).name;
      }
  }
}

TEST(RandomOracle, ProblemsAreWellFormedAndHalfOfThemCanBeSolved) {
  const auto [seed, count] = run(2000);
  for (const Features& features :
       {Features::plain(), Features::one_address_space(), Features::all()}) {
    std::size_t feasible = 0;
    for (std::size_t k = 0; k < count; ++k) {
      Random random(seed + k);
      const PlacementProblem problem = random_problem(random, features);
      const std::vector<Defect> defects = validate(problem);
      ASSERT_TRUE(defects.empty()) << "seed " << seed + k << ": " << defects.front().message;
      feasible += brute_force(problem) ? 1U : 0U;
    }
    if (count < 1000) continue;
    EXPECT_GT(feasible, count * 35 / 100);
    EXPECT_LT(feasible, count * 75 / 100);
  }
}

TEST(RandomOracle, EveryPlacementPassesTheChecker) {
  const auto [seed, count] = run(10'000);
  for (std::size_t k = 0; k < count; ++k) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed + k));
    Random random(seed + k);
    const PlacementProblem problem = random_problem(random, Features::all());
    bool found = false;
    for (const OracleGoal goal : {OracleGoal::any, OracleGoal::height, OracleGoal::cost,
                                  OracleGoal::modes, OracleGoal::switches}) {
      const std::optional<OracleAnswer> answer = brute_force(problem, goal);
      if (goal == OracleGoal::any) found = answer.has_value();
      ASSERT_EQ(answer.has_value(), found) << to_yaml(problem);
      if (!answer) continue;
      const Placement& placement = answer->placement;
      ASSERT_EQ(first_violation(problem, placement), "") << to_yaml(problem);
      ASSERT_TRUE(keeps_every_rule(problem, placement)) << to_yaml(problem);
      if (goal == OracleGoal::cost) {
        ASSERT_EQ(soft_cost(problem, placement), answer->value) << to_yaml(problem);
      }
      if (goal == OracleGoal::modes) {
        ASSERT_EQ(distinct_modes(placement), static_cast<std::size_t>(answer->value));
      }
      if (goal == OracleGoal::switches) {
        ASSERT_EQ(changes_of_modes(placement), answer->value) << to_yaml(problem);
      }
      if (goal == OracleGoal::height) {
        Size sum = 0;
        for (const Size height : heights(problem, placement)) sum += height;
        ASSERT_EQ(sum, answer->value) << to_yaml(problem);
      }
    }
  }
}

TEST(RandomOracle, RandomAndDamagedPlacementsAreJudgedAlike) {
  const auto [seed, count] = run(10'000);
  std::size_t right = 0;
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < count; ++k) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed + k));
    Random random(seed + k);
    const PlacementProblem problem = random_problem(random, Features::all());
    std::vector<Placement> placements;
    for (int i = 0; i < 3; ++i) placements.push_back(random_placement(random, problem));
    if (const auto answer = brute_force(problem)) {
      for (int i = 0; i < 6; ++i) {
        placements.push_back(answer->placement);
        for (std::size_t n = 1 + random.below(2); n > 0; --n) {
          damage(random, problem, placements.back());
        }
      }
    }
    for (const Placement& placement : placements) {
      const bool expected = keeps_every_rule(problem, placement);
      const std::string violation = first_violation(problem, placement);
      ASSERT_EQ(violation.empty(), expected) << violation << '\n'
                                             << to_text(problem, placement) << '\n'
                                             << to_yaml(problem);
      ASSERT_EQ(soft_cost(problem, placement), cost_by_pairs(problem, placement));
      ++(expected ? right : wrong);
    }
  }
  if (count < 1000) return;
  EXPECT_GT(right, count / 10);
  EXPECT_GT(wrong, count);
}

/// The first buffers of a problem with their rules.
PlacementProblem head_of(PlacementProblem problem, std::size_t count) {
  problem.buffers.resize(std::min(count, problem.buffers.size()));
  for (Relation& relation : problem.relations) {
    std::erase_if(relation.buffers, [&](BufferIndex b) { return b >= problem.buffers.size(); });
  }
  std::erase_if(problem.relations, [](const Relation& r) { return r.buffers.size() < 2; });
  return problem;
}

/// Enumerates every placement like an odometer.
class Odometer {
 public:
  explicit Odometer(const PlacementProblem& problem) : problem_(problem) {
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
      std::size_t places = 0;
      for (const Memory& memory : problem.memories) {
        places += static_cast<std::size_t>(memory.capacity);
      }
      digits_.push_back(places);
    }
    for (const Memory& memory : problem.memories) {
      modes_.push_back(all_modes(memory));
      if (modes_.back().empty()) continue;
      for (Step t = 0; t < horizon(problem); ++t) digits_.push_back(modes_.back().size());
    }
    values_.assign(digits_.size(), 0);
  }

  [[nodiscard]] double combinations() const {
    double product = 1;
    for (const std::size_t digit : digits_) product *= static_cast<double>(digit);
    return product;
  }

  bool advance() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (++values_[i] < digits_[i]) return true;
      values_[i] = 0;
    }
    return false;
  }

  [[nodiscard]] Placement placement() const {
    Placement result;
    std::size_t next = 0;
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      auto offset = static_cast<Offset>(values_[next++]);
      MemoryIndex m = 0;
      while (offset >= problem_.memories[m].capacity) offset -= problem_.memories[m++].capacity;
      result.places.push_back({m, offset});
    }
    for (const std::vector<Mode>& modes : modes_) {
      std::vector<std::string>& names = result.modes.emplace_back();
      for (Step t = 0; t < horizon(problem_) && !modes.empty(); ++t) {
        names.push_back(modes[values_[next++]].name);
      }
    }
    return result;
  }

 private:
  const PlacementProblem& problem_;
  std::vector<std::size_t> digits_;
  std::vector<std::size_t> values_;
  std::vector<std::vector<Mode>> modes_;
};

TEST(RandomOracle, MissesNothingThatCountingThroughAllPlacementsFinds) {
  const auto [seed, count] = run(1000);
  std::size_t counted = 0;
  for (std::size_t k = 0; k < count; ++k) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed + k));
    Random random(seed + k);
    const PlacementProblem problem = head_of(random_problem(random, Features::all()), 3);
    Odometer odometer(problem);
    if (odometer.combinations() > 20'000) continue;
    ++counted;
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t height = none;
    std::int64_t cost = none;
    std::int64_t modes = none;
    std::int64_t switches = none;
    do {
      const Placement placement = odometer.placement();
      if (!check(problem, placement, 1).empty()) continue;
      Size sum = 0;
      for (const Size each : heights(problem, placement)) sum += each;
      height = std::min(height, sum);
      cost = std::min(cost, soft_cost(problem, placement));
      modes = std::min(modes, static_cast<std::int64_t>(distinct_modes(placement)));
      switches = std::min(switches, changes_of_modes(placement));
    } while (odometer.advance());
    const auto value = [&](OracleGoal goal) {
      const auto answer = brute_force(problem, goal);
      return answer ? answer->value : none;
    };
    ASSERT_EQ(value(OracleGoal::height), height) << to_yaml(problem);
    ASSERT_EQ(value(OracleGoal::cost), cost) << to_yaml(problem);
    ASSERT_EQ(value(OracleGoal::modes), modes) << to_yaml(problem);
    ASSERT_EQ(value(OracleGoal::switches), switches) << to_yaml(problem);
  }
  if (count < 1000) return;
  EXPECT_GT(counted, count / 5);
}

TEST(RandomOracle, OtherUnitsDoNotChangeTheAnswer) {
  const auto [seed, count] = run(2000);
  for (std::size_t k = 0; k < count; ++k) {
    Random random(seed + k);
    const PlacementProblem problem = random_problem(random, Features::one_address_space());
    for (const auto& [granule, spread] :
         {std::pair<Size, Step>{2, 1}, {3, 3}, {(Size{1} << 40) + 3, Step{1} << 33}}) {
      const PlacementProblem large = magnified(problem, granule, spread);
      ASSERT_TRUE(validate(large).empty()) << validate(large).front().message;
      if (granule > 2) continue;
      ASSERT_EQ(brute_force(problem).has_value(), brute_force(large).has_value())
          << "seed " << seed + k << '\n'
          << to_yaml(problem);
    }
  }
}

}  // namespace
}  // namespace tessera::testing
