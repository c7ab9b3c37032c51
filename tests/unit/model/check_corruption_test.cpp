// Valid placements with deliberate errors: the checker has to report exactly the violated rules and
// the buffers that violate them. The expected violations are computed here independently, address
// by address.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/derived.h"
#include "tessera/check.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/literal_rules.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

namespace tessera {
namespace {

using testing::Random;
using Who = std::vector<BufferIndex>;
/// Rule, buffers, and for rules about a step also step and bank.
using Finding = std::tuple<Rule, Who, std::optional<Step>, std::optional<std::size_t>>;
using Findings = std::set<Finding>;

class Expected {
 public:
  Expected(const PlacementProblem& problem, const Placement& placement)
      : problem_(problem), placement_(placement) {}

  Findings list() {
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      alone(b);
      modes(b);
      for (BufferIndex a = 0; a < b; ++a) overlap(a, b);
    }
    for (const Relation& relation : problem_.relations) between(relation);
    return std::move(found_);
  }

 private:
  void add(bool broken, Rule rule, Who who, std::optional<Step> step = {},
           std::optional<std::size_t> bank = {}) {
    if (broken) found_.emplace(rule, std::move(who), step, bank);
  }
  const BufferPlace& place(BufferIndex b) const { return placement_.places[b]; }
  const Memory& memory(BufferIndex b) const { return problem_.memories[place(b).memory]; }
  Offset end(BufferIndex b) const { return place(b).offset + problem_.buffers[b].size; }
  bool outside(BufferIndex b) const { return place(b).offset < 0 || end(b) > memory(b).capacity; }

  /// Restricted to addresses of the memory.
  std::set<std::size_t> banks(BufferIndex b, AddressRange range) const {
    std::set<std::size_t> result;
    for (Offset x = std::max<Offset>(0, range.begin); x < range.end; ++x) {
      if (x < memory(b).capacity) result.insert(testing::literal::bank_at(memory(b), x));
    }
    return result;
  }
  std::set<std::size_t> banks(BufferIndex b) const { return banks(b, {place(b).offset, end(b)}); }

  void alone(BufferIndex b) {
    const Buffer& buffer = problem_.buffers[b];
    const Offset offset = place(b).offset;
    const std::vector<MemoryIndex> allowed = allowed_memories(problem_, buffer);
    add(std::count(allowed.begin(), allowed.end(), place(b).memory) == 0, Rule::allowed_memory,
        {b});
    add(outside(b), Rule::bounds, {b});
    add(offset % buffer.alignment != 0 || offset % memory(b).alignment != 0, Rule::alignment, {b});
    add(buffer.offset && offset != *buffer.offset, Rule::fixed_offset, {b});
    add(buffer.window && (offset < buffer.window->begin || end(b) > buffer.window->end),
        Rule::window, {b});
    for (const AddressRange& range : memory(b).reserved) {
      add(offset < range.end && range.begin < end(b), Rule::reserved, {b});
    }
    const std::set<std::size_t> touched = banks(b);
    add(!memory(b).straddle && touched.size() > 1, Rule::straddle, {b}, {},
        touched.empty() ? 0 : *touched.begin());
  }

  void modes(BufferIndex b) {
    const Buffer& buffer = problem_.buffers[b];
    if (!has_modes(memory(b))) return;
    std::set<std::size_t> off_reported;
    for (Step t = 0; t < horizon(problem_); ++t) {
      const std::vector<Role> roles =
          mode_roles(memory(b), placement_.modes[place(b).memory][static_cast<std::size_t>(t)]);
      for (const std::size_t bank : banks(b)) {
        add(std::count(buffer.read.begin(), buffer.read.end(), t) > 0 &&
                !may_read(roles[bank], buffer.kind),
            Rule::mode_read, {b}, t, bank);
        add(std::count(buffer.write.begin(), buffer.write.end(), t) > 0 &&
                !may_write(roles[bank], buffer.kind),
            Rule::mode_write, {b}, t, bank);
      }
      const auto now = testing::literal::occupied(buffer, place(b).offset, t);
      if (now.empty()) continue;
      for (const std::size_t bank : banks(b, {*now.begin(), *now.rbegin() + 1})) {
        if (roles[bank] != Role::off || !off_reported.insert(bank).second) continue;
        add(true, Rule::mode_off, {b}, t, bank);
      }
    }
  }

  bool exempt(BufferIndex a, BufferIndex b) const {
    return std::any_of(
        problem_.relations.begin(), problem_.relations.end(), [&](const Relation& r) {
          return (r.kind == RelationKind::same_offset || r.kind == RelationKind::may_overlap) &&
                 std::count(r.buffers.begin(), r.buffers.end(), a) > 0 &&
                 std::count(r.buffers.begin(), r.buffers.end(), b) > 0;
        });
  }

  void overlap(BufferIndex a, BufferIndex b) {
    if (place(a).memory != place(b).memory || exempt(a, b)) return;
    for (Step t = 0; t < horizon(problem_); ++t) {
      const auto of_a = testing::literal::occupied(problem_.buffers[a], place(a).offset, t);
      const auto of_b = testing::literal::occupied(problem_.buffers[b], place(b).offset, t);
      if (std::none_of(of_a.begin(), of_a.end(),
                       [&](Offset address) { return of_b.contains(address); }))
        continue;
      add(true, Rule::overlap, {a, b}, t);
      return;
    }
  }

  /// require: two buffers.
  void between(const Relation& relation) {
    const BufferIndex a = relation.buffers[0];
    const BufferIndex b = relation.buffers[1];
    const Who sorted = {std::min(a, b), std::max(a, b)};
    const bool together = place(a).memory == place(b).memory;
    const bool touching = testing::literal::share_an_address(problem_, a, place(a), b, place(b));
    switch (relation.kind) {
      case RelationKind::same_bank:
        same_bank(a, b);
        break;
      case RelationKind::different_banks:
        for (const std::size_t bank : banks(a)) {
          if (!together || !banks(b).contains(bank)) continue;
          add(true, Rule::different_banks, sorted, {}, bank);
          break;
        }
        break;
      case RelationKind::same_memory:
        add(!together, Rule::same_memory, {a, b});
        break;
      case RelationKind::different_memories:
        add(together, Rule::different_memories, {a, b});
        break;
      case RelationKind::adjacent:
        add(!together || end(a) != place(b).offset, Rule::adjacent, {a, b});
        break;
      case RelationKind::same_offset:
        add(place(a) != place(b), Rule::same_offset, {a, b});
        break;
      case RelationKind::disjoint:
        add(touching, Rule::disjoint, sorted);
        break;
      case RelationKind::may_overlap:
      case RelationKind::avoid_overlap:
        break;
    }
  }

  void same_bank(BufferIndex a, BufferIndex b) {
    const std::set<std::size_t> of_a = banks(a);
    const std::set<std::size_t> of_b = banks(b);
    if (of_a.size() > 1) add(true, Rule::same_bank, {a}, {}, *of_a.begin());
    if (of_b.size() > 1) add(true, Rule::same_bank, {b}, {}, *of_b.begin());
    if (of_a.size() != 1 || of_b.size() != 1) return;
    add(place(a).memory != place(b).memory || of_a != of_b, Rule::same_bank, {a, b}, {},
        *of_a.begin());
  }

  const PlacementProblem& problem_;
  const Placement& placement_;
  Findings found_;
};

Findings reported(const PlacementProblem& problem, const Placement& placement) {
  Findings result;
  for (const Violation& violation : check(problem, placement)) {
    EXPECT_FALSE(violation.message.empty());
    for (const BufferIndex b : violation.buffers) {
      EXPECT_NE(violation.message.find("'" + problem.buffers[b].id + "'"), std::string::npos)
          << violation.message;
    }
    if (violation.step) {
      EXPECT_NE(violation.message.find("step " + std::to_string(*violation.step)),
                std::string::npos)
          << violation.message;
    }
    if (violation.bank && !problem.memories[*violation.memory].banks.empty()) {
      const Bank& bank = problem.memories[*violation.memory].banks[*violation.bank];
      EXPECT_NE(violation.message.find("'" + bank.name + "'"), std::string::npos)
          << violation.message;
    }
    result.emplace(violation.rule, violation.buffers, violation.step, violation.bank);
  }
  return result;
}

std::string words(const Findings& findings) {
  std::string result;
  for (const auto& [rule, who, step, bank] : findings) {
    result += std::string(to_string(rule)) + " of";
    for (const BufferIndex b : who) result += " " + std::string(1, static_cast<char>('a' + b));
    if (step) result += " at step " + std::to_string(*step);
    if (bank) result += " in bank " + std::to_string(*bank);
    result += "; ";
  }
  return result;
}

using Damage = void (*)(Random&, const PlacementProblem&, Placement&);

void swap_two(Random& random, const PlacementProblem&, Placement& placement) {
  std::swap(placement.places[random.below(placement.places.size())],
            placement.places[random.below(placement.places.size())]);
}
void shift_by_one(Random& random, const PlacementProblem&, Placement& placement) {
  placement.places[random.below(placement.places.size())].offset += random.chance(50) ? 1 : -1;
}
void move_far(Random& random, const PlacementProblem&, Placement& placement) {
  placement.places[random.below(placement.places.size())].offset = random.between(-3, 25);
}
void change_memory(Random& random, const PlacementProblem& problem, Placement& placement) {
  placement.places[random.below(placement.places.size())].memory =
      random.below(problem.memories.size());
}
void change_mode(Random& random, const PlacementProblem& problem, Placement& placement) {
  const MemoryIndex m = random.below(problem.memories.size());
  if (placement.modes[m].empty()) return;
  placement.modes[m][random.below(placement.modes[m].size())] =
      random.pick(testing::all_modes(problem.memories[m])).name;
}
void misalign(Random& random, const PlacementProblem& problem, Placement& placement) {
  const BufferIndex b = random.below(placement.places.size());
  const BufferPlace& place = placement.places[b];
  if (effective_alignment(problem.buffers[b], problem.memories[place.memory]) == 1) return;
  placement.places[b].offset += 1;
}

class Corruption : public ::testing::TestWithParam<std::pair<const char*, Damage>> {};

TEST_P(Corruption, IsNamedExactly) {
  std::map<Rule, int> seen;
  int damaged = 0;
  for (std::uint64_t seed = 1; seed <= testing::effort(4000); ++seed) {
    Random random(seed);
    PlacementProblem problem = random_problem(random, testing::Features::all());
    for (Relation& relation : problem.relations) relation.buffers.resize(2);
    const auto answer = testing::brute_force(problem);
    if (!answer) continue;
    ASSERT_EQ(reported(problem, answer->placement), Findings{}) << testing::to_yaml(problem);
    Placement placement = answer->placement;
    GetParam().second(random, problem, placement);
    const Findings expected = Expected(problem, placement).list();
    const Findings found = reported(problem, placement);
    ASSERT_EQ(words(found), words(expected))
        << "seed " << seed << ": " << testing::to_text(problem, placement) << '\n'
        << testing::to_yaml(problem);
    damaged += expected.empty() ? 0 : 1;
    for (const Finding& finding : expected) ++seen[std::get<Rule>(finding)];
  }
  EXPECT_GT(damaged, testing::sanitized || !testing::optimised ? 0 : 50);
  for (const auto& [rule, count] : seen) {
    RecordProperty(std::string(to_string(rule)), count);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Damage, Corruption,
    ::testing::Values(std::pair{"SwapTwo", &swap_two}, std::pair{"ShiftByOne", &shift_by_one},
                      std::pair{"MoveFar", &move_far}, std::pair{"ChangeMemory", &change_memory},
                      std::pair{"ChangeMode", &change_mode}, std::pair{"Misalign", &misalign}),
    [](const auto& each) { return each.param.first; });

TEST(CorruptionOfShape, DroppingOneOrAModeIsNamed) {
  for (std::uint64_t seed = 1; seed <= testing::effort(500); ++seed) {
    Random random(seed);
    const PlacementProblem problem = random_problem(random, testing::Features::all());
    const auto answer = testing::brute_force(problem);
    if (!answer) continue;
    Placement placement = answer->placement;
    placement.places.pop_back();
    ASSERT_EQ(check(problem, placement).size(), 1U);
    EXPECT_EQ(check(problem, placement).front().rule, Rule::shape);
    placement = answer->placement;
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      if (placement.modes[m].empty()) continue;
      placement.modes[m].pop_back();
      const std::vector<Violation> found = check(problem, placement);
      ASSERT_EQ(found.size(), 1U) << found.back().message;
      EXPECT_EQ(found.front().rule, Rule::shape);
      EXPECT_EQ(found.front().memory, m);
      placement = answer->placement;
    }
  }
}

}  // namespace
}  // namespace tessera
