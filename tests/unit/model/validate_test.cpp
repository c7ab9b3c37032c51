#include "tessera/validate.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "tessera/units.h"

namespace tessera {
namespace {

/// A valid problem with every feature.
PlacementProblem sound() {
  PlacementProblem problem;
  problem.memories.push_back(
      {.name = "sram",
       .capacity = 12,
       .alignment = 2,
       .banks = {{"b0", 4, {}}, {"b1", 8, {}}},
       .modes = {{"x0", {Role::read_write, Role::off}}, {"x1", {Role::hold, Role::read}}},
       .reserved = {{8, 10}}});
  problem.memories.push_back(
      {.name = "dram",
       .capacity = 16,
       .banks = {{"left", 8, {Role::read, Role::write}}, {"right", 8, {Role::read_write}}},
       .modes_per_bank = true});
  problem.memories.push_back({.name = "flat"});
  problem.buffers.push_back({.id = "a",
                             .live = {{0, 3}, {5, 8}},
                             .size = 4,
                             .alignment = 2,
                             .gaps = {{{1, 2}, std::nullopt}, {{2, 3}, AddressRange{0, 2}}},
                             .memories = {0, 2},
                             .read = {2, 5},
                             .write = {0, 5},
                             .offset = 4,
                             .hint = 0,
                             .window = AddressRange{0, 12}});
  problem.buffers.push_back({.id = "b", .live = {{1, 4}}, .size = 3});
  problem.buffers.push_back({.id = "c", .live = {{2, 6}}, .size = 1, .kind = BufferKind::weight});
  problem.relations.push_back({RelationKind::disjoint, {0, 1}, 0});
  problem.relations.push_back({RelationKind::avoid_overlap, {0, 1, 2}, 3});
  return problem;
}

TEST(Validate, FindsNothingWrongWithASoundProblem) {
  for (const Defect& defect : validate(sound())) ADD_FAILURE() << defect.message;
}

TEST(Validate, AcceptsNoBuffersAndWhatIsOnlyInfeasible) {
  PlacementProblem empty;
  empty.memories.push_back({.name = "sram", .capacity = 1});
  EXPECT_TRUE(validate(empty).empty());
  PlacementProblem problem = sound();
  problem.buffers[0].offset = 3;  // not a multiple of the alignment
  EXPECT_TRUE(validate(problem).empty());
  problem.buffers[0].offset = 1000;  // behind the end of the memory
  EXPECT_TRUE(validate(problem).empty());
  problem.buffers[1].size = 100;  // larger than any memory with banks
  EXPECT_TRUE(validate(problem).empty());
  problem.buffers[1].window = AddressRange{50, 150};
  EXPECT_TRUE(validate(problem).empty());
  problem.buffers[0].gaps = {{{0, 3}, std::nullopt}, {{5, 8}, std::nullopt}};  // occupies nothing
  EXPECT_TRUE(validate(problem).empty());
}

TEST(Validate, TwoLiveIntervalsOfOneStepAndTouchingGapsAreFine) {
  PlacementProblem problem = sound();
  problem.buffers[1].live = {{0, 1}, {2, 3}};
  EXPECT_TRUE(validate(problem).empty());
  problem.buffers[2].gaps = {{{2, 4}, std::nullopt}, {{4, 6}, std::nullopt}};
  EXPECT_TRUE(validate(problem).empty());
}

struct Case {
  const char* name;
  ProblemPart part;
  std::size_t index;
  const char* field;
  const char* message;
  std::function<void(PlacementProblem&)> spoil;
};

std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.name;
}

class ValidateRule : public ::testing::TestWithParam<Case> {};

TEST_P(ValidateRule, AloneIsNamed) {
  const Case& expected = GetParam();
  PlacementProblem problem = sound();
  expected.spoil(problem);
  const std::vector<Defect> defects = validate(problem);
  ASSERT_EQ(defects.size(), 1U) << (defects.empty() ? "nothing found" : defects[1].message);
  EXPECT_EQ(defects[0].part, expected.part);
  EXPECT_EQ(defects[0].index, expected.index);
  EXPECT_EQ(defects[0].field, expected.field);
  EXPECT_EQ(defects[0].message, expected.message);
}

using P = PlacementProblem;
constexpr ProblemPart memory = ProblemPart::memory;
constexpr ProblemPart buffer = ProblemPart::buffer;
constexpr ProblemPart relation = ProblemPart::relation;
constexpr const char* limit = "1152921504606846976";

std::string up_to_limit(const std::string& before, const std::string& after = ".") {
  return before + limit + after;
}

// The test cases keep pointers to their messages.
const char* keep(std::string text) {
  static std::vector<std::unique_ptr<std::string>> kept;
  kept.push_back(std::make_unique<std::string>(std::move(text)));
  return kept.back()->c_str();
}

const auto name_of = [](const ::testing::TestParamInfo<Case>& info) { return info.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Memories, ValidateRule,
    ::testing::Values(Case{"NoName", memory, 2, "name", "memory number 2 has no name.",
                           [](P& p) { p.memories[2].name.clear(); }},
                      Case{"SameName", memory, 1, "name",
                           "memory 'sram' has the name of an earlier memory.",
                           [](P& p) { p.memories[1].name = "sram"; }},
                      Case{"CapacityZero", memory, 2, "capacity",
                           keep(up_to_limit(
                               "memory 'flat' has capacity 0, but it must be between 1 and ")),
                           [](P& p) { p.memories[2].capacity = 0; }},
                      Case{"CapacityNegative", memory, 2, "capacity",
                           keep(up_to_limit(
                               "memory 'flat' has capacity -5, but it must be between 1 and ")),
                           [](P& p) { p.memories[2].capacity = -5; }},
                      Case{"CapacityTooLarge", memory, 2, "capacity",
                           keep(up_to_limit(
                               "memory 'flat' has capacity 1152921504606846977, but it must be "
                               "between 1 and ")),
                           [](P& p) { p.memories[2].capacity = max_address + 1; }},
                      Case{"AlignmentZero", memory, 2, "alignment",
                           keep(up_to_limit(
                               "memory 'flat' has alignment 0, but it must be between 1 and ")),
                           [](P& p) { p.memories[2].alignment = 0; }},
                      Case{"BankWithoutName", memory, 0, "banks",
                           "memory 'sram' has a bank without a name at position 1.",
                           [](P& p) { p.memories[0].banks[1].name.clear(); }},
                      Case{"BanksOfOneName", memory, 0, "banks",
                           "memory 'sram' has two banks named 'b0'.",
                           [](P& p) { p.memories[0].banks[1].name = "b0"; }},
                      Case{"BankSizeZero", memory, 0, "banks",
                           keep(up_to_limit("memory 'sram' has bank 'b0' of size 0, but it must be "
                                            "between 1 and ")),
                           [](P& p) { p.memories[0].banks[0].size = 0; }},
                      Case{
                          "BanksDoNotAddUp", memory, 0, "banks",
                          "memory 'sram' has capacity 12, but the sizes of its banks add up to 13.",
                          [](P& p) { p.memories[0].banks[0].size = 5; }},
                      Case{"BanksAddUpToTooMuch", memory, 0, "banks",
                           keep(up_to_limit(
                               "memory 'sram' has banks whose sizes add up to more than ")),
                           [](P& p) {
                             for (Bank& bank : p.memories[0].banks) bank.size = max_address;
                           }},
                      Case{"RolesWithoutPerBank", memory, 0, "banks",
                           "memory 'sram' gives roles to its bank 'b1', which need modes per bank.",
                           [](P& p) { p.memories[0].banks[1].roles = {Role::off}; }},
                      Case{"PerBankWithoutRoles", memory, 1, "banks",
                           "memory 'dram' has modes per bank, but its bank 'left' has no roles.",
                           [](P& p) { p.memories[1].banks[0].roles.clear(); }},
                      Case{"RoleTwice", memory, 1, "banks",
                           "memory 'dram' lists role write of its bank 'left' twice.",
                           [](P& p) {
                             p.memories[1].banks[0].roles = {Role::write, Role::read, Role::write};
                           }},
                      Case{"PerBankWithoutBanks", memory, 2, "modes",
                           "memory 'flat' has modes per bank, but no banks.",
                           [](P& p) { p.memories[2].modes_per_bank = true; }},
                      Case{"TableAndPerBank", memory, 1, "modes",
                           "memory 'dram' has a table of modes and modes per bank; keep one of "
                           "them.",
                           [](P& p) {
                             p.memories[1].modes.push_back({"x", {Role::read, Role::read}});
                           }},
                      Case{"ModeWithoutName", memory, 0, "modes",
                           "memory 'sram' has a mode without a name at position 1.",
                           [](P& p) { p.memories[0].modes[1].name.clear(); }},
                      Case{"ModesOfOneName", memory, 0, "modes",
                           "memory 'sram' has two modes named 'x0'.",
                           [](P& p) { p.memories[0].modes[1].name = "x0"; }},
                      Case{"TooFewRoles", memory, 0, "modes",
                           "memory 'sram' has mode 'x1' with 1 role(s), but it has 2 "
                           "bank(s); each needs one.",
                           [](P& p) { p.memories[0].modes[1].roles.pop_back(); }},
                      Case{"RolesWithoutBanks", memory, 2, "modes",
                           "memory 'flat' has mode 'y' with 2 role(s), but it has 1 "
                           "bank(s); each needs one.",
                           [](P& p) {
                             p.memories[2].modes = {{"y", {Role::read, Role::read}}};
                           }},
                      Case{"ReservedEmpty", memory, 0, "reserved",
                           "memory 'sram' reserves [3, 3), which is empty.",
                           [](P& p) {
                             p.memories[0].reserved = {{3, 3}};
                           }},
                      Case{"ReservedNegative", memory, 0, "reserved",
                           "memory 'sram' reserves [-1, 3), which is not inside [0, 12).",
                           [](P& p) {
                             p.memories[0].reserved = {{-1, 3}};
                           }},
                      Case{
                          "ReservedOutside", memory, 0, "reserved",
                          "memory 'sram' reserves [10, 13), which is not inside [0, 12).",
                          [](P& p) {
                            p.memories[0].reserved = {{0, 1}, {10, 13}};
                          }},
                      Case{"ReservedOutsideUnbounded", memory, 2, "reserved",
                           keep(up_to_limit("memory 'flat' reserves [10, 1152921504606846977), "
                                            "which is not inside "
                                            "[0, ",
                                            ").")),
                           [](P& p) {
                             p.memories[2].reserved = {{10, max_address + 1}};
                           }},
                      Case{"TooManyStepsForModes", memory, 0, "modes",
                           "memory 'sram' has modes, but the buffers live until step 1000001; each "
                           "step has a mode, so at most 1000000 steps are supported: number only "
                           "the steps at which a buffer starts, ends or is accessed.",
                           [](P& p) {
                             p.memories[1].modes_per_bank = false;
                             for (Bank& bank : p.memories[1].banks) bank.roles.clear();
                             p.buffers[1].live = {{0, 1'000'001}};
                           }}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Buffers, ValidateRule,
    ::testing::Values(
        Case{"NoId", buffer, 2, "id", "buffer number 2 has no id.",
             [](P& p) { p.buffers[2].id.clear(); }},
        Case{"SameId", buffer, 2, "id", "buffer 'a' has the id of an earlier buffer.",
             [](P& p) { p.buffers[2].id = "a"; }},
        Case{"SizeZero", buffer, 1, "size",
             keep(up_to_limit("buffer 'b' has size 0, but it must be between 1 and ")),
             [](P& p) { p.buffers[1].size = 0; }},
        Case{"SizeTooLarge", buffer, 1, "size",
             keep(up_to_limit("buffer 'b' has size 1152921504606846977, but it must be between 1 "
                              "and ")),
             [](P& p) { p.buffers[1].size = max_address + 1; }},
        Case{"AlignmentNegative", buffer, 1, "alignment",
             keep(up_to_limit("buffer 'b' has alignment -2, but it must be between 1 and ")),
             [](P& p) { p.buffers[1].alignment = -2; }},
        Case{"NotLive", buffer, 1, "live", "buffer 'b' has no live interval.",
             [](P& p) { p.buffers[1].live.clear(); }},
        Case{"LiveEmpty", buffer, 1, "live",
             "buffer 'b' has live interval [4, 4), which is empty: it must begin before it ends.",
             [](P& p) {
               p.buffers[1].live = {{4, 4}};
             }},
        Case{"LiveNegative", buffer, 1, "live",
             keep(up_to_limit("buffer 'b' has live interval [-1, 4), but steps run from 0 to ")),
             [](P& p) {
               p.buffers[1].live = {{-1, 4}};
             }},
        Case{"LiveUnsorted", buffer, 1, "live",
             "buffer 'b' has live intervals [4, 5) and [0, 2), which are not sorted or not "
             "disjoint; sort them and merge adjacent intervals.",
             [](P& p) {
               p.buffers[1].live = {{4, 5}, {0, 2}};
             }},
        Case{"LiveTouching", buffer, 1, "live",
             "buffer 'b' has live intervals [0, 2) and [2, 4), which are not sorted or not "
             "disjoint; sort them and merge adjacent intervals.",
             [](P& p) {
               p.buffers[1].live = {{0, 2}, {2, 4}};
             }},
        Case{"GapEmpty", buffer, 1, "gaps", "buffer 'b' has gap [2, 2), which is empty.",
             [](P& p) {
               p.buffers[1].gaps = {{{2, 2}, std::nullopt}};
             }},
        Case{"GapOutside", buffer, 1, "gaps",
             "buffer 'b' has gap [3, 5), which is not inside one of its live intervals.",
             [](P& p) {
               p.buffers[1].gaps = {{{3, 5}, std::nullopt}};
             }},
        Case{"GapAcrossIntervals", buffer, 0, "gaps",
             "buffer 'a' has gap [1, 6), which is not inside one of its live intervals.",
             [](P& p) {
               p.buffers[0].gaps = {{{1, 6}, std::nullopt}};
             }},
        Case{"GapsOverlap", buffer, 2, "gaps",
             "buffer 'c' has gaps [2, 4) and [3, 5), which overlap or are not in order.",
             [](P& p) {
               p.buffers[2].gaps = {{{2, 4}, std::nullopt}, {{3, 5}, std::nullopt}};
             }},
        Case{"GapWindowEmpty", buffer, 1, "gaps",
             "buffer 'b' has gap [2, 3) with the empty window [1, 1); remove the window if the gap "
             "occupies no bytes.",
             [](P& p) {
               p.buffers[1].gaps = {{{2, 3}, AddressRange{1, 1}}};
             }},
        Case{"GapWindowOutside", buffer, 1, "gaps",
             "buffer 'b' has gap [2, 3) with window [1, 4), which is not inside [0, 3).",
             [](P& p) {
               p.buffers[1].gaps = {{{2, 3}, AddressRange{1, 4}}};
             }},
        Case{"ReadWhenDead", buffer, 0, "read",
             "buffer 'a' has read step 3, but is not live at that step.",
             [](P& p) {
               p.buffers[0].read = {2, 3};
             }},
        Case{"WriteWhenDead", buffer, 0, "write",
             "buffer 'a' has write step 8, but is not live at that step.",
             [](P& p) { p.buffers[0].write = {8}; }},
        Case{"ReadUnsorted", buffer, 0, "read",
             "buffer 'a' has read steps 2 and 1, which are equal or not in order.",
             [](P& p) {
               p.buffers[0].read = {2, 1};
             }},
        Case{"WriteTwice", buffer, 0, "write",
             "buffer 'a' has write steps 5 and 5, which are equal or not in order.",
             [](P& p) {
               p.buffers[0].write = {5, 5};
             }},
        Case{"UnknownMemory", buffer, 1, "memory",
             "buffer 'b' may go to memory number 3, but there are only 3.",
             [](P& p) {
               p.buffers[1].memories = {0, 3};
             }},
        Case{"MemoryTwice", buffer, 1, "memory", "buffer 'b' names memory 'dram' twice.",
             [](P& p) {
               p.buffers[1].memories = {1, 0, 1};
             }},
        Case{"FixedOffsetNegative", buffer, 0, "offset",
             keep(up_to_limit("buffer 'a' has fixed offset -4, but it must be between 0 and ")),
             [](P& p) { p.buffers[0].offset = -4; }},
        Case{"HintNegative", buffer, 0, "hint",
             keep(up_to_limit("buffer 'a' has hint -1, but it must be between 0 and ")),
             [](P& p) { p.buffers[0].hint = -1; }},
        Case{"WindowNegative", buffer, 0, "window",
             keep(up_to_limit("buffer 'a' has window [-1, 12), but addresses run from 0 to ")),
             [](P& p) {
               p.buffers[0].window = AddressRange{-1, 12};
             }},
        Case{"WindowEmpty", buffer, 0, "window", "buffer 'a' has window [4, 4), which is empty.",
             [](P& p) {
               p.buffers[0].window = AddressRange{4, 4};
             }},
        Case{"AlignmentsMultiplyTooHigh", buffer, 0, "alignment",
             keep(up_to_limit("buffer 'a' has alignment 1152921504606846975, whose least common "
                              "multiple with the alignment of a memory it may go to exceeds ")),
             [](P& p) { p.buffers[0].alignment = max_address - 1; }},
        Case{"SizesAddUpTooHigh", buffer, 1, "size",
             keep(up_to_limit("buffer 'b' brings the sum of all sizes, each rounded up to its "
                              "alignment, above ")),
             [](P& p) { p.buffers[1].size = max_address - 3; }}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Relations, ValidateRule,
    ::testing::Values(
        Case{"OneBuffer", relation, 0, "disjoint",
             "relation 0 (disjoint) names 1 buffer(s), but needs at least two.",
             [](P& p) { p.relations[0].buffers = {1}; }},
        Case{"UnknownBuffer", relation, 0, "disjoint",
             "relation 0 (disjoint) names buffer number 3, but there are only 3.",
             [](P& p) {
               p.relations[0].buffers = {3, 1};
             }},
        Case{"BufferTwice", relation, 0, "disjoint",
             "relation 0 (disjoint) names buffer 'b' twice.",
             [](P& p) {
               p.relations[0].buffers = {1, 2, 1};
             }},
        Case{
            "CostOfAHardRule", relation, 0, "cost",
            "relation 0 (disjoint) has a cost, which only avoid_overlap supports; remove the cost.",
            [](P& p) { p.relations[0].cost = 1; }},
        Case{"CostMissing", relation, 1, "cost",
             keep(up_to_limit(
                 "relation 1 (avoid_overlap) has cost 0, but it must be between 1 and ")),
             [](P& p) { p.relations[1].cost = 0; }},
        Case{"CostsAddUpTooHigh", relation, 1, "cost",
             keep(up_to_limit("relation 1 (avoid_overlap) brings the sum of the costs of all pairs "
                              "above ")),
             [](P& p) { p.relations[1].cost = max_address / 2; }}),
    name_of);

TEST(Validate, NeedsAMemory) {
  const std::vector<Defect> defects = validate({});
  ASSERT_EQ(defects.size(), 1U);
  EXPECT_EQ(defects[0].part, ProblemPart::problem);
  EXPECT_EQ(defects[0].message, "The problem has no memory.");
}

TEST(Validate, ReportsEverythingAtOnce) {
  PlacementProblem problem = sound();
  problem.memories[2].alignment = 0;
  problem.buffers[1].size = 0;
  problem.buffers[2].live.clear();
  problem.relations[0].buffers = {0};
  EXPECT_EQ(validate(problem).size(), 4U);
}

TEST(Validate, LeavesNoWayToOverflow) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "flat"});
  for (int k = 0; k < 16; ++k) {
    problem.buffers.push_back({.id = std::string(1, static_cast<char>('a' + k)),
                               .live = {{0, 1}},
                               .size = max_address / 16});
  }
  EXPECT_TRUE(validate(problem).empty());
  problem.buffers[3].size += 1;
  EXPECT_EQ(validate(problem).size(), 1U);
  problem.buffers[3].size -= 1;
  problem.buffers[3].alignment = max_address / 8;
  EXPECT_EQ(validate(problem).size(), 1U);
  // Bounded capacities are summed as well: eight times 2^60 would overflow.
  problem = {};
  problem.memories.push_back({.name = "large", .capacity = max_address});
  problem.memories.push_back({.name = "flat"});
  EXPECT_TRUE(validate(problem).empty());
  problem.memories.push_back({.name = "one", .capacity = 1});
  ASSERT_EQ(validate(problem).size(), 1U);
  EXPECT_EQ(validate(problem)[0].index, 2U);
}

TEST(Validate, ABufferLargerThanItsWindowIsAMatterOfPlacement) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 12});
  problem.buffers.push_back({.id = "a", .live = {{0, 1}}, .size = 4, .window = AddressRange{4, 7}});
  EXPECT_TRUE(validate(problem).empty());
}

}  // namespace
}  // namespace tessera
