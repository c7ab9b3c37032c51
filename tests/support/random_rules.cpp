#include "tests/support/random_rules.h"

#include <array>
#include <string>
#include <utility>

#include "model/derived.h"
#include "model/rules.h"
#include "tests/support/brute_force.h"

namespace tessera::testing {
namespace {

class RuleMaker {
 public:
  RuleMaker(Random& random, const PlacementProblem& problem) : random_(random), problem_(problem) {
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m)
      if (has_modes(problem.memories[m])) moded_.push_back(m);
  }

  RuleNode condition(int depth) {
    if (depth > 0 && random_.chance(45)) {
      RuleNode node{.op = random_.chance(35)   ? RuleOp::no
                          : random_.chance(40) ? RuleOp::all
                                               : RuleOp::any};
      const int count = node.op == RuleOp::no ? 1 : random_.chance(30) ? 3 : 2;
      for (int k = 0; k < count; ++k) node.of.push_back(condition(depth - 1));
      return node;
    }
    if (!moded_.empty() && random_.chance(45)) return mode();
    if (problem_.memories.size() > 1 && random_.chance(25))
      return {.op = RuleOp::in_memory,
              .buffer = buffer(),
              .memory = random_.below(problem_.memories.size())};
    return comparison();
  }

 private:
  BufferIndex buffer() { return random_.below(problem_.buffers.size()); }
  static RuleNode number(std::int64_t value) { return {.op = RuleOp::number, .number = value}; }
  static RuleNode pair(RuleOp op, RuleNode a, RuleNode b) {
    RuleNode node{.op = op};
    node.of.push_back(std::move(a));
    node.of.push_back(std::move(b));
    return node;
  }

  RuleNode mode() {
    const MemoryIndex m = random_.pick(moded_);
    const std::vector<Mode> modes = all_modes(problem_.memories[m]);
    return {.op = RuleOp::in_mode,
            .memory = m,
            .mode = random_.pick(modes).name,
            .next = random_.chance(40)};
  }

  RuleNode comparison() {
    if (random_.chance(20)) {
      RuleNode node{.op = RuleOp::one_of};
      node.of.push_back(term(2));
      for (int k = 0; k < 3; ++k) node.of.push_back(number(random_.between(0, 6)));
      return node;
    }
    constexpr std::array ops{RuleOp::equal, RuleOp::not_equal, RuleOp::less, RuleOp::at_most};
    const RuleOp op = ops[random_.below(ops.size())];
    RuleNode left = term(2);
    RuleNode right = random_.chance(60) ? number(random_.between(0, 8)) : term(1);
    return pair(op, std::move(left), std::move(right));
  }

  RuleNode term(int depth) {
    const auto property = [&]() -> RuleNode {
      const int kind = static_cast<int>(random_.below(10));
      return {.op = kind < 6   ? RuleOp::offset
                    : kind < 9 ? RuleOp::bank
                               : RuleOp::size,
              .buffer = buffer()};
    };
    if (depth == 0 || random_.chance(35)) return property();
    if (random_.chance(40))
      return pair(RuleOp::modulo, term(depth - 1), number(random_.between(1, 5)));
    if (random_.chance(20))
      return pair(RuleOp::times, number(random_.between(-2, 3)), term(depth - 1));
    return pair(random_.chance(60) ? RuleOp::minus : RuleOp::plus, term(depth - 1), property());
  }

  Random& random_;
  const PlacementProblem& problem_;
  std::vector<MemoryIndex> moded_;
};

}  // namespace

void add_random_rules(Random& random, PlacementProblem& problem) {
  RuleMaker maker(random, problem);
  const int count = static_cast<int>(random.between(1, 3));
  for (int k = 0; k < count; ++k) {
    ConditionRule rule{.name = "r" + std::to_string(k), .that = maker.condition(2), .steps = {}};
    if (about_modes(rule.that) && random.chance(40)) {
      const Step first = random.between(0, 3);
      rule.steps = {{first, first + random.between(1, 4)}};
    }
    problem.rules.push_back(std::move(rule));
  }
}

}  // namespace tessera::testing
