// Rules about modes and about relations, each violated separately.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/check.h"
#include "tests/unit/model/support.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using testing::expect_right;
using ::testing::IsEmpty;
using testing::only;

using Buffers = std::vector<BufferIndex>;
using Names = std::vector<std::string>;

/// The three banks and two modes of the patent's example, and a memory without banks.
PlacementProblem banked() {
  PlacementProblem problem;
  problem.memories.push_back(
      {.name = "sram", .capacity = 12, .banks = {{"b0", 4, {}}, {"b1", 4, {}}, {"b2", 4, {}}}});
  problem.memories.push_back({.name = "dram", .capacity = 16});
  problem.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 4});
  problem.buffers.push_back({.id = "b", .live = {{0, 3}}, .size = 4});
  return problem;
}

PlacementProblem moded() {
  PlacementProblem problem = banked();
  problem.memories[0].modes = {{"m0", {Role::read, Role::read, Role::write}},
                               {"m1", {Role::write, Role::write, Role::read}},
                               {"rest", {Role::hold, Role::off, Role::weight}}};
  return problem;
}

Placement at(Offset a, Offset b, Names modes = {}) {
  return {.places = {{0, a}, {0, b}}, .modes = {std::move(modes), {}}};
}

TEST(CheckModes, AModeForEveryStep) {
  expect_right(moded(), at(0, 8, {"m0", "m1", "m0"}));
  for (const Names& names : {Names{}, Names{"m0", "m1"}, Names{"m0", "m1", "m0", "m0"}}) {
    const Violation wrong = only(moded(), at(0, 8, names));
    EXPECT_EQ(wrong.rule, Rule::shape);
    EXPECT_EQ(wrong.memory, 0U);
  }
  EXPECT_EQ(only(moded(), at(0, 8, {"m0"})).message,
            "The placement has 1 mode(s) for memory 'sram', but 3 are needed: one for each step.");
  // No entry at all says the same as an empty one.
  Placement none = at(0, 8);
  none.modes.clear();
  EXPECT_EQ(only(moded(), none).rule, Rule::shape);
  expect_right(banked(), none);
}

TEST(CheckModes, NoModesWhereThereAreNone) {
  EXPECT_EQ(only(banked(), at(0, 8, {"m0", "m0", "m0"})).message,
            "The placement has 3 mode(s) for memory 'sram', but 0 are needed.");
  Placement placement = at(0, 8);
  placement.modes.resize(3);
  EXPECT_EQ(only(banked(), placement).message,
            "The placement has modes for 3 memories, but there are 2.");
}

TEST(CheckModes, KnownNames) {
  const Violation wrong = only(moded(), at(0, 8, {"m0", "m7", "m8"}));
  EXPECT_EQ(wrong.rule, Rule::shape);
  EXPECT_EQ(wrong.step, 1);
  EXPECT_EQ(wrong.message,
            "Memory 'sram' is in mode 'm7' at step 1, which the memory does not have.");
}

TEST(CheckModes, Read) {
  PlacementProblem problem = moded();
  problem.buffers[0].read = {0, 2};
  expect_right(problem, at(0, 8, {"m0", "m1", "m0"}));
  const Violation wrong = only(problem, at(0, 8, {"m0", "m1", "m1"}));
  EXPECT_EQ(wrong.rule, Rule::mode_read);
  EXPECT_EQ(wrong.buffers, Buffers{0});
  EXPECT_EQ(wrong.memory, 0U);
  EXPECT_EQ(wrong.step, 2);
  EXPECT_EQ(wrong.bank, 0U);
  EXPECT_EQ(wrong.message,
            "Buffer 'a' at [0, 4) is read at step 2, but bank 'b0' of memory 'sram' is 'write' in "
            "mode 'm1' then.");
}

TEST(CheckModes, Write) {
  PlacementProblem problem = moded();
  problem.buffers[1].write = {1};
  expect_right(problem, at(0, 8, {"m0", "m0", "m0"}));
  const Violation wrong = only(problem, at(0, 8, {"m0", "m1", "m0"}));
  EXPECT_EQ(wrong.rule, Rule::mode_write);
  EXPECT_EQ(wrong.buffers, Buffers{1});
  EXPECT_EQ(wrong.step, 1);
  EXPECT_EQ(wrong.bank, 2U);
  EXPECT_EQ(wrong.message,
            "Buffer 'b' at [8, 12) is written at step 1, but bank 'b2' of memory 'sram' is 'read' "
            "in mode 'm1' then.");
}

TEST(CheckModes, EveryBankItLiesInCounts) {
  PlacementProblem problem = moded();
  problem.buffers[0].read = {1};
  expect_right(problem, at(2, 8, {"m0", "m0", "m0"}));
  problem.buffers[0].live = {{1, 2}};
  problem.buffers[1].live = {{2, 3}};
  const Violation wrong = only(problem, at(6, 0, {"m0", "m0", "m0"}));  // banks b1 and b2
  EXPECT_EQ(wrong.rule, Rule::mode_read);
  EXPECT_EQ(wrong.bank, 2U);
}

TEST(CheckModes, ReadAndWriteAtOneStepNeedsBoth) {
  PlacementProblem problem = moded();
  problem.buffers[0].read = {1};
  problem.buffers[0].write = {1};
  EXPECT_EQ(only(problem, at(0, 8, {"m0", "m0", "m0"})).rule, Rule::mode_write);
  problem.memories[0].modes[0].roles[0] = Role::read_write;
  expect_right(problem, at(0, 8, {"m0", "m0", "m0"}));
}

TEST(CheckModes, AWeightMayBeReadFromAWeightBank) {
  PlacementProblem problem = moded();
  problem.buffers[1].read = {1};
  problem.memories[0].modes[2].roles[1] = Role::hold;
  EXPECT_EQ(only(problem, at(0, 8, {"m1", "rest", "m1"})).rule, Rule::mode_read);
  problem.buffers[1].kind = BufferKind::weight;
  expect_right(problem, at(0, 8, {"m1", "rest", "m1"}));
  problem.buffers[1].read.clear();
  problem.buffers[1].write = {1};
  EXPECT_EQ(only(problem, at(0, 8, {"m1", "rest", "m1"})).rule, Rule::mode_write);
}

TEST(CheckModes, Off) {
  const PlacementProblem problem = moded();
  expect_right(problem, at(0, 8, {"rest", "rest", "rest"}));
  const Violation wrong = only(problem, at(0, 7, {"m0", "rest", "rest"}));
  EXPECT_EQ(wrong.rule, Rule::mode_off);
  EXPECT_EQ(wrong.buffers, Buffers{1});
  EXPECT_EQ(wrong.step, 1);
  EXPECT_EQ(wrong.bank, 1U);
  EXPECT_EQ(wrong.message,
            "Buffer 'b' at [7, 11) is kept at step 1, but bank 'b1' of memory 'sram' is 'off' in "
            "mode 'rest' then.");
}

TEST(CheckModes, OffLooksAtWhatIsOccupiedThen) {
  PlacementProblem problem = moded();
  const Placement placement = at(0, 7, {"m0", "rest", "m0"});
  EXPECT_EQ(only(problem, placement).rule, Rule::mode_off);
  problem.buffers[1].gaps = {{{1, 2}, AddressRange{1, 4}}};
  expect_right(problem, placement);
  problem.buffers[1].gaps = {{{1, 2}, AddressRange{0, 1}}};
  EXPECT_EQ(only(problem, placement).rule, Rule::mode_off);
  problem.buffers[1].gaps = {{{1, 2}, std::nullopt}};
  expect_right(problem, placement);
}

TEST(CheckModes, AnAccessClaimsTheWholeBufferEvenInAGap) {
  PlacementProblem problem = moded();
  problem.buffers[1].gaps = {{{1, 2}, AddressRange{2, 4}}};
  problem.buffers[1].read = {1};
  EXPECT_EQ(only(problem, at(0, 6, {"m0", "m1", "m0"})).bank, 1U);
}

TEST(CheckModes, PerBank) {
  PlacementProblem problem = banked();
  problem.memories[0].modes_per_bank = true;
  problem.memories[0].banks[0].roles = {Role::read, Role::write};
  problem.memories[0].banks[1].roles = {Role::off};
  problem.memories[0].banks[2].roles = {Role::hold, Role::read_write};
  problem.buffers[0].read = {0};
  problem.buffers[0].write = {1};
  expect_right(problem, at(0, 8, {"read|off|hold", "write|off|hold", "read|off|read_write"}));
  const Violation wrong =
      only(problem, at(0, 8, {"read|off|hold", "read|off|hold", "read|off|hold"}));
  EXPECT_EQ(wrong.rule, Rule::mode_write);
  EXPECT_EQ(wrong.step, 1);
  const Violation unknown =
      only(problem, at(0, 8, {"read|off|hold", "write|hold|hold", "read|off|hold"}));
  EXPECT_EQ(unknown.rule, Rule::shape);
  EXPECT_EQ(unknown.step, 1);
}

TEST(CheckModes, AMemoryWithoutBanksIsOneBank) {
  PlacementProblem problem = banked();
  problem.memories[0].banks.clear();
  problem.memories[0].modes = {{"in", {Role::write}}, {"out", {Role::read}}};
  problem.buffers[0].write = {0};
  problem.buffers[0].read = {2};
  expect_right(problem, at(0, 8, {"in", "in", "out"}));
  EXPECT_EQ(only(problem, at(0, 8, {"in", "in", "in"})).message,
            "Buffer 'a' at [0, 4) is read at step 2, but memory 'sram' is 'write' in mode 'in' "
            "then.");
}

TEST(UnusedModes, AreNamedInTheOrderOfTheTable) {
  EXPECT_THAT(unused_modes(moded(), at(0, 8, {"m1", "m1", "m1"})),
              ElementsAre(Names{"m0", "rest"}, Names{}));
  EXPECT_THAT(unused_modes(moded(), at(0, 8, {"m1", "rest", "m0"})),
              ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(UnusedModes, AreCombinationsWhereBanksChoose) {
  PlacementProblem problem = banked();
  Memory& memory = problem.memories[0];
  memory.modes_per_bank = true;
  memory.banks[0].roles = {Role::read, Role::write};
  memory.banks[1].roles = {Role::hold};
  memory.banks[2].roles = {Role::read, Role::off};
  EXPECT_THAT(unused_modes(problem, at(0, 8, {"read|hold|read", "write|hold|read"})),
              ElementsAre(Names{"read|hold|off", "write|hold|off"}, Names{}));
  for (Bank& bank : memory.banks)  // 5 x 5 x 5 are too many to list
    bank.roles = {Role::read, Role::write, Role::read_write, Role::hold, Role::off};
  EXPECT_THAT(unused_modes(problem, at(0, 8, {"hold|hold|hold"})),
              ElementsAre(IsEmpty(), IsEmpty()));
}

PlacementProblem related(RelationKind kind, Buffers buffers = {0, 1}) {
  PlacementProblem problem = banked();
  problem.buffers.push_back({.id = "c", .live = {{5, 6}}, .size = 2});
  problem.relations = {{kind, std::move(buffers), 0}};
  return problem;
}

Placement three(BufferPlace a, BufferPlace b, BufferPlace c) {
  return {.places = {a, b, c}};
}

TEST(CheckRelations, SameBank) {
  const PlacementProblem problem = related(RelationKind::same_bank, {0, 2});
  expect_right(problem, three({0, 4}, {0, 8}, {0, 5}));
  const Violation other = only(problem, three({0, 4}, {0, 8}, {0, 8}));
  EXPECT_EQ(other.rule, Rule::same_bank);
  EXPECT_EQ(other.buffers, (Buffers{0, 2}));
  EXPECT_EQ(other.relation, 0U);
  EXPECT_EQ(other.message,
            "Buffer 'a' at [4, 8) of memory 'sram' lies in bank 'b1' of memory 'sram' and 'c' at "
            "[8, 10) of memory 'sram' in bank 'b2' of memory 'sram', but must be in the same bank "
            "(relation 0, same_bank).");
  const Violation crossing = only(problem, three({0, 4}, {0, 8}, {0, 3}));
  EXPECT_EQ(crossing.rule, Rule::same_bank);
  EXPECT_EQ(crossing.buffers, Buffers{2});
  EXPECT_EQ(crossing.bank, 0U);
  // Bank 0 of another memory is another bank.
  EXPECT_EQ(only(problem, three({0, 0}, {0, 8}, {1, 0})).rule, Rule::same_bank);
  expect_right(problem, three({1, 4}, {0, 8}, {1, 9}));
}

TEST(CheckRelations, DifferentBanks) {
  const PlacementProblem problem = related(RelationKind::different_banks, {0, 2});
  expect_right(problem, three({0, 4}, {0, 8}, {0, 8}));
  expect_right(problem, three({0, 4}, {0, 8}, {1, 4}));
  const Violation wrong = only(problem, three({0, 2}, {0, 8}, {0, 7}));
  EXPECT_EQ(wrong.rule, Rule::different_banks);
  EXPECT_EQ(wrong.buffers, (Buffers{0, 2}));
  EXPECT_EQ(wrong.bank, 1U);
  EXPECT_EQ(wrong.message,
            "Buffers 'a' at [2, 6) of memory 'sram' and 'c' at [7, 9) of memory 'sram' both touch "
            "bank 'b1' of memory 'sram', but must not share a bank (relation 0, different_banks).");
  // A memory without banks is one bank.
  EXPECT_EQ(only(problem, three({1, 0}, {0, 8}, {1, 8})).rule, Rule::different_banks);
}

TEST(CheckRelations, SameMemory) {
  const PlacementProblem problem = related(RelationKind::same_memory, {0, 2});
  expect_right(problem, three({1, 0}, {0, 8}, {1, 0}));
  const Violation wrong = only(problem, three({1, 0}, {0, 8}, {0, 0}));
  EXPECT_EQ(wrong.rule, Rule::same_memory);
  EXPECT_EQ(wrong.buffers, (Buffers{0, 2}));
  EXPECT_EQ(wrong.message,
            "Buffers 'a' at [0, 4) of memory 'dram' and 'c' at [0, 2) of memory 'sram' must be in "
            "one memory (relation 0, same_memory).");
}

TEST(CheckRelations, DifferentMemories) {
  const PlacementProblem problem = related(RelationKind::different_memories, {0, 2});
  expect_right(problem, three({1, 0}, {0, 8}, {0, 0}));
  const Violation wrong = only(problem, three({1, 0}, {0, 8}, {1, 8}));
  EXPECT_EQ(wrong.rule, Rule::different_memories);
  EXPECT_EQ(wrong.buffers, (Buffers{0, 2}));
}

TEST(CheckRelations, Adjacent) {
  const PlacementProblem problem = related(RelationKind::adjacent, {2, 0, 1});
  expect_right(problem, three({0, 2}, {0, 6}, {0, 0}));
  const Violation wrong = only(problem, three({0, 2}, {0, 7}, {0, 0}));
  EXPECT_EQ(wrong.rule, Rule::adjacent);
  EXPECT_EQ(wrong.buffers, (Buffers{0, 1}));
  EXPECT_EQ(wrong.message,
            "Buffer 'b' at [7, 11) of memory 'sram' must start where 'a' at [2, 6) of memory "
            "'sram' ends (relation 0, adjacent).");
  EXPECT_EQ(only(problem, three({0, 2}, {0, 6}, {1, 0})).buffers, (Buffers{2, 0}));
}

TEST(CheckRelations, SameOffset) {
  const PlacementProblem problem = related(RelationKind::same_offset, {0, 1, 2});
  expect_right(problem, three({0, 3}, {0, 3}, {0, 3}));  // a and b are live together
  const Violation wrong = only(problem, three({0, 3}, {0, 3}, {1, 3}));
  EXPECT_EQ(wrong.rule, Rule::same_offset);
  EXPECT_EQ(wrong.buffers, (Buffers{0, 2}));
  EXPECT_EQ(only(problem, three({0, 3}, {0, 4}, {0, 3})).buffers, (Buffers{0, 1}));
}

TEST(CheckRelations, Disjoint) {
  const PlacementProblem problem = related(RelationKind::disjoint, {0, 2});
  expect_right(problem, three({0, 0}, {0, 8}, {0, 4}));
  expect_right(problem, three({0, 0}, {0, 8}, {1, 0}));
  const Violation wrong = only(problem, three({0, 0}, {0, 8}, {0, 3}));
  EXPECT_EQ(wrong.rule, Rule::disjoint);
  EXPECT_EQ(wrong.buffers, (Buffers{0, 2}));
  EXPECT_EQ(wrong.message,
            "Buffers 'a' at [0, 4) of memory 'sram' and 'c' at [3, 5) of memory 'sram' share the "
            "addresses [3, 4), but must never share an address (relation 0, disjoint).");
}

TEST(CheckRelations, DisjointHoldsForExemptPairsToo) {
  PlacementProblem problem = related(RelationKind::disjoint, {0, 1});
  problem.relations.push_back({RelationKind::may_overlap, {0, 1}, 0});
  EXPECT_EQ(only(problem, three({0, 0}, {0, 3}, {0, 0})).rule, Rule::disjoint);
}

}  // namespace
}  // namespace tessera
