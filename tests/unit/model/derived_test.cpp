#include "model/derived.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/relations.h"
#include "tessera/check.h"
#include "tessera/placement.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Segments, OfAnUninterruptedLife) {
  const Buffer buffer{.id = "a", .live = {{2, 5}}, .size = 4};
  EXPECT_THAT(segments(buffer), ElementsAre(Segment{{2, 5}, {0, 4}}));
}

TEST(Segments, GapsCutAndNarrow) {
  const Buffer buffer{.id = "a",
                      .live = {{0, 10}, {20, 22}},
                      .size = 8,
                      .gaps = {{{0, 1}, std::nullopt},
                               {{3, 5}, AddressRange{2, 4}},
                               {{5, 6}, std::nullopt},
                               {{20, 22}, AddressRange{0, 8}}}};
  EXPECT_THAT(segments(buffer), ElementsAre(Segment{{1, 3}, {0, 8}}, Segment{{3, 5}, {2, 4}},
                                            Segment{{6, 10}, {0, 8}}, Segment{{20, 22}, {0, 8}}));
}

TEST(Segments, OfALifeThatIsAllGap) {
  const Buffer buffer{.id = "a", .live = {{0, 3}}, .size = 8, .gaps = {{{0, 3}, std::nullopt}}};
  EXPECT_THAT(segments(buffer), IsEmpty());
}

TEST(Coexist, LooksAtStepsThatAreOccupied) {
  const Buffer a{.id = "a", .live = {{0, 4}}, .size = 1};
  const Buffer touching{.id = "b", .live = {{4, 6}}, .size = 1};
  const Buffer twice{.id = "c", .live = {{3, 5}, {7, 9}}, .size = 1};
  const Buffer paused{.id = "d", .live = {{0, 9}}, .size = 1, .gaps = {{{0, 4}, std::nullopt}}};
  EXPECT_FALSE(coexist(a, touching));
  EXPECT_TRUE(coexist(a, twice));
  EXPECT_TRUE(coexist(twice, touching));
  EXPECT_FALSE(coexist(a, paused));
  EXPECT_FALSE(coexist(paused, a));
  EXPECT_TRUE(coexist(twice, paused));
}

TEST(LiveAt, KnowsTheEnds) {
  const Buffer buffer{.id = "a", .live = {{1, 3}, {5, 6}}, .size = 1};
  std::vector<Step> live;
  for (Step t = -1; t < 8; ++t) {
    if (live_at(buffer, t)) live.push_back(t);
  }
  EXPECT_THAT(live, ElementsAre(1, 2, 5));
}

TEST(Horizon, IsTheLastEnd) {
  PlacementProblem problem;
  EXPECT_EQ(horizon(problem), 0);
  problem.buffers.push_back({.id = "a", .live = {{0, 2}, {7, 9}}, .size = 1});
  problem.buffers.push_back({.id = "b", .live = {{3, 8}}, .size = 1});
  EXPECT_EQ(horizon(problem), 9);
}

TEST(EffectiveAlignment, IsTheLeastCommonMultiple) {
  EXPECT_EQ(effective_alignment({.alignment = 4}, {.alignment = 6}), 12);
  EXPECT_EQ(effective_alignment({.alignment = 8}, {.alignment = 4}), 8);
}

TEST(AllowedMemories, AreAllWhereNoneIsNamed) {
  PlacementProblem problem;
  problem.memories.resize(3);
  EXPECT_THAT(allowed_memories(problem, {}), ElementsAre(0, 1, 2));
  EXPECT_THAT(allowed_memories(problem, {.memories = {2, 0}}), ElementsAre(0, 2));
}

TEST(BankRanges, LieOneAfterTheOther) {
  Memory memory{.name = "m", .capacity = 12};
  EXPECT_THAT(bank_ranges(memory), ElementsAre(AddressRange{0, 12}));
  memory.banks = {{"b0", 4, {}}, {"b1", 2, {}}, {"b2", 6, {}}};
  EXPECT_THAT(bank_ranges(memory),
              ElementsAre(AddressRange{0, 4}, AddressRange{4, 6}, AddressRange{6, 12}));
}

TEST(ModeRoles, OfATable) {
  const Memory memory{.name = "m", .modes = {{"x", {Role::read}}, {"y", {Role::off}}}};
  EXPECT_THAT(mode_roles(memory, "y"), ElementsAre(Role::off));
  EXPECT_THAT(mode_roles(memory, "z"), IsEmpty());
  EXPECT_TRUE(has_modes(memory));
  EXPECT_FALSE(has_modes({}));
}

TEST(ModeRoles, PerBankUnderstandsWhatItNames) {
  const Memory memory{
      .name = "m",
      .capacity = 2,
      .banks = {{"b0", 1, {Role::read, Role::read_write}}, {"b1", 1, {Role::write, Role::off}}},
      .modes_per_bank = true};
  EXPECT_TRUE(has_modes(memory));
  const std::vector<Role> roles = {Role::read_write, Role::off};
  EXPECT_EQ(per_bank_mode_name(roles), "read_write|off");
  EXPECT_EQ(mode_roles(memory, "read_write|off"), roles);
  // A role the bank does not support, too few, too many, no words.
  for (const char* const wrong :
       {"write|off", "read", "read|off|off", "read|", "|", "", "read|nonsense", "read off"}) {
    EXPECT_THAT(mode_roles(memory, wrong), IsEmpty()) << wrong;
  }
}

TEST(Names, OfEverythingReadBack) {
  for (int k = 0; k <= static_cast<int>(Role::off); ++k) {
    EXPECT_EQ(role_from(to_string(static_cast<Role>(k))), static_cast<Role>(k));
  }
  for (const RelationKind kind : relation_kinds()) {
    EXPECT_EQ(relation_kind_from(to_string(kind)), kind);
  }
  EXPECT_EQ(to_string(Role::read_write), "read_write");
  EXPECT_EQ(to_string(RelationKind::different_memories), "different_memories");
  EXPECT_EQ(to_string(Rule::shape), "shape");
  EXPECT_EQ(to_string(Rule::mode_off), "mode_off");
  EXPECT_EQ(to_string(Rule::disjoint), "disjoint");
  EXPECT_EQ(to_string(Status::unknown), "unknown");
  EXPECT_EQ(to_string(StopReason::node_limit), "node_limit");
  EXPECT_FALSE(role_from("readwrite"));
  EXPECT_FALSE(relation_kind_from(""));
}

TEST(Access, FollowsTheContract) {
  for (int k = 0; k <= static_cast<int>(Role::off); ++k) {
    const auto role = static_cast<Role>(k);
    const bool both = role == Role::read_write;
    EXPECT_EQ(may_read(role, BufferKind::activation),
              both || role == Role::read || role == Role::data);
    EXPECT_EQ(may_read(role, BufferKind::weight),
              both || role == Role::read || role == Role::weight);
    EXPECT_EQ(may_write(role, BufferKind::activation),
              both || role == Role::write || role == Role::data);
    EXPECT_EQ(may_write(role, BufferKind::weight), both || role == Role::write);
  }
}

TEST(ExemptPairs, ComeFromTwoRelationsOnceEach) {
  PlacementProblem problem;
  problem.relations = {{RelationKind::may_overlap, {3, 1, 2}, 0},
                       {RelationKind::disjoint, {0, 1}, 0},
                       {RelationKind::same_offset, {2, 1}, 0},
                       {RelationKind::same_offset, {0, 3}, 0}};
  EXPECT_THAT(exempt_pairs(problem), ElementsAre(Pair(0, 3), Pair(1, 2), Pair(1, 3), Pair(2, 3)));
}

TEST(Ranges, AreHalfOpen) {
  EXPECT_TRUE(overlaps(StepRange{0, 3}, StepRange{2, 5}));
  EXPECT_FALSE(overlaps(StepRange{0, 3}, StepRange{3, 5}));
  EXPECT_FALSE(overlaps(AddressRange{4, 8}, AddressRange{0, 4}));
  EXPECT_TRUE((AddressRange{0, 8}.contains({4, 8})));
  EXPECT_FALSE((AddressRange{0, 8}.contains({4, 9})));
  EXPECT_EQ((AddressRange{1, 3}.at(10)), (AddressRange{11, 13}));
}

TEST(Arithmetic, NeverWraps) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(checked_add(most, 1), std::nullopt);
  EXPECT_EQ(checked_add(most - 1, 1), most);
  EXPECT_EQ(checked_mul(most / 2, 3), std::nullopt);
  EXPECT_EQ(align_up(0, 8), 0);
  EXPECT_EQ(align_up(9, 8), 16);
  EXPECT_EQ(align_down(9, 8), 8);
}

}  // namespace
}  // namespace tessera
