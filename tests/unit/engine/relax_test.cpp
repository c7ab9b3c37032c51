#include "engine/relax.h"

#include <gtest/gtest.h>

#include "tessera/check.h"
#include "tessera/validate.h"

namespace tessera::engine {
namespace {

/// Two banks; one is read while the other is written.
PlacementProblem two_banks() {
  PlacementProblem problem;
  Memory memory;
  memory.name = "m";
  memory.capacity = 8;
  memory.banks = {{"b0", 4, {}}, {"b1", 4, {}}};
  memory.modes = {{"ping", {Role::read, Role::write}}, {"pong", {Role::write, Role::read}}};
  problem.memories.push_back(memory);
  problem.buffers.push_back({.id = "in", .live = {{0, 2}}, .size = 4, .read = {0}});
  problem.buffers.push_back({.id = "out", .live = {{0, 2}}, .size = 4, .read = {1}, .write = {0}});
  return problem;
}

TEST(Relax, LeavesOutWhatIsAboutBanks) {
  PlacementProblem problem = two_banks();
  problem.relations.push_back({RelationKind::different_banks, {0, 1}, 0});
  problem.relations.push_back({RelationKind::disjoint, {0, 1}, 0});
  ASSERT_TRUE(validate(problem).empty());
  EXPECT_TRUE(has_bank_rules(problem));
  const PlacementProblem simple = relaxed(problem);
  EXPECT_TRUE(validate(simple).empty());
  EXPECT_FALSE(has_bank_rules(simple));
  ASSERT_EQ(simple.relations.size(), 1U);
  EXPECT_EQ(simple.relations[0].kind, RelationKind::disjoint);
}

TEST(Relax, KeepsBordersThatMustNotBeCrossed) {
  PlacementProblem problem = two_banks();
  problem.memories[0].straddle = false;
  const PlacementProblem simple = relaxed(problem);
  EXPECT_TRUE(validate(simple).empty());
  EXPECT_EQ(simple.memories[0].banks.size(), 2U);
  EXPECT_TRUE(simple.memories[0].modes.empty());
}

TEST(Lift, ChoosesTheModeOfEveryStep) {
  const PlacementProblem problem = two_banks();
  const Placement placement{.places = {{0, 0}, {0, 4}}, .modes = {{}}};
  const auto lifted = lift(problem, placement);
  ASSERT_TRUE(lifted.has_value());
  EXPECT_EQ(lifted->modes[0], (std::vector<std::string>{"ping", "pong"}));
  EXPECT_TRUE(check(problem, *lifted).empty());
}

TEST(Lift, RefusesWhatNoModeAllows) {
  PlacementProblem problem = two_banks();
  problem.buffers[1].write.clear();
  problem.buffers[1].read = {0};  // both banks read at step 0
  EXPECT_FALSE(lift(problem, {.places = {{0, 0}, {0, 4}}, .modes = {{}}}).has_value());
}

TEST(Lift, CombinesTheRolesOfBanksOfTheirOwn) {
  PlacementProblem problem = two_banks();
  problem.memories[0].modes.clear();
  problem.memories[0].modes_per_bank = true;
  for (Bank& bank : problem.memories[0].banks) bank.roles = {Role::off, Role::read, Role::write};
  ASSERT_TRUE(validate(problem).empty());
  const auto lifted = lift(problem, {.places = {{0, 0}, {0, 4}}, .modes = {{}}});
  ASSERT_TRUE(lifted.has_value());
  EXPECT_EQ(lifted->modes[0][0], "read|write");
}

/// Places two buffers at 0 and 4, for every query.
class TwoPlaces final : public PlacementEngine {
 public:
  [[nodiscard]] std::string_view name() const override { return "two"; }
  [[nodiscard]] facts::FeatureSet features() const override { return {}; }
  [[nodiscard]] SearchResult solve(const PlacementProblem& problem,
                                   const SearchParams& params) override {
    static_cast<void>(params);
    EXPECT_FALSE(has_bank_rules(problem));
    SearchResult found;
    found.status = Status::feasible;
    found.placement = Placement{.places = {{0, 0}, {0, 4}}, .modes = {{}}};
    return found;
  }
};

TEST(RelaxingEngine, LiftsWhatItsInnerOnePlacesOrGivesUp) {
  const auto engine = make_relaxing_engine(std::make_unique<TwoPlaces>());
  EXPECT_TRUE(engine->features().contains(facts::Feature::modes));
  EXPECT_FALSE(engine->features().contains(facts::Feature::adjacent));
  PlacementProblem problem = two_banks();
  const auto session = engine->open(problem);
  for (const SearchResult& found :
       {engine->solve(problem, {}), session->solve(size_layer(problem), {})}) {
    ASSERT_EQ(found.status, Status::feasible);
    EXPECT_TRUE(check(problem, *found.placement).empty());
  }
  problem.buffers[1].write.clear();
  problem.buffers[1].read = {0};  // both banks read at step 0
  const SearchResult none = engine->solve(problem, {});
  EXPECT_EQ(none.status, Status::unknown);
  EXPECT_FALSE(none.placement.has_value());
  EXPECT_FALSE(none.reason.empty());
}

}  // namespace
}  // namespace tessera::engine
