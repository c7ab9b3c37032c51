// One test per rule: what it forbids, and that the closest allowed placement is allowed.
#include "encoder/layers/layers.h"

#include <gtest/gtest.h>

#include <chrono>

#include "encoder/backend.h"
#include "encoder/encoding.h"
#include "tessera/check.h"
#include "tessera/validate.h"

namespace tessera::encoder {
namespace {

PlacementProblem memory_of(Size capacity, std::vector<Size> sizes) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  for (const Size size : sizes) {
    problem.buffers.push_back(
        {.id = std::string(1, static_cast<char>('a' + problem.buffers.size())),
         .live = {{0, 2}},
         .size = size});
  }
  return problem;
}

PlacementProblem banks_of(std::vector<Size> banks, std::vector<Size> sizes) {
  PlacementProblem problem = memory_of(0, std::move(sizes));
  problem.memories[0].capacity = 0;
  for (const Size size : banks) {
    problem.memories[0].banks.push_back(
        {.name = "b" + std::to_string(problem.memories[0].banks.size()), .size = size});
    problem.memories[0].capacity += size;
  }
  return problem;
}

/// Both encodings agree, and their placements pass the checker.
bool fits(const PlacementProblem& problem) {
  EXPECT_TRUE(validate(problem).empty());
  std::vector<bool> answers;
  for (const OffsetEncoding kind : {OffsetEncoding::order, OffsetEncoding::binary}) {
    const Encoding encoding = encode(problem, {});
    const auto solver = make_cadical({.encoding = kind});
    solver->load(encoding.formula, numbers_of(problem));
    answers.push_back(solver->solve({}, {}) == Answer::yes);
    if (!answers.back()) continue;
    const Placement placement = decode(
        problem, encoding, [&](IntIndex x) { return solver->value(x); },
        [&](Lit literal) { return solver->holds(solver->literal(literal)); });
    const auto wrong = check(problem, placement);
    EXPECT_TRUE(wrong.empty()) << wrong.front().message;
  }
  EXPECT_EQ(answers[0], answers[1]);
  return answers[0];
}

TEST(Separations, SayOnlyWhatNothingElseImplies) {
  Poll never;
  PlacementProblem problem = memory_of(100, {20, 20});
  for (Buffer& buffer : problem.buffers) buffer.live = {{0, 8}};
  // Windows of a, against the whole of b and against a window of it.
  problem.buffers[0].gaps = {{{0, 2}, AddressRange{2, 6}},
                             {{2, 4}, AddressRange{3, 5}},
                             {{4, 6}, AddressRange{0, 6}},
                             {{6, 8}, AddressRange{8, 9}}};
  problem.buffers[1].gaps = {{{6, 8}, AddressRange{4, 10}}};
  Amount less = size_of(1);
  less.constant = -2;
  EXPECT_EQ(separations(problem, 0, 1, never),
            // For the whole of b, [0, 6) implies the others; the two windows are of different
            // kinds.
            (std::vector<Separation>{{fixed(6), size_of(1)}, {fixed(5), fixed(2)}}));
  problem.buffers[0].gaps[2].window = AddressRange{4, 7};
  Amount least = size_of(1);
  least.constant = -4;
  EXPECT_EQ(separations(problem, 0, 1, never),
            (std::vector<Separation>{{fixed(6), less}, {fixed(7), least}, {fixed(5), fixed(2)}}));
  // If both are whole at some step, the other separations are implied.
  problem.buffers[0].gaps[1].steps = {2, 3};
  EXPECT_EQ(separations(problem, 0, 1, never), (std::vector<Separation>{whole_separation(0, 1)}));
}

/// Each buffer frees its own byte at every other step: millions of pairs of pieces, one relevant.
/// Comparing all pairs would take minutes.
TEST(Separations, TakeNoLongerThanTheirGaps) {
  Poll never;
  PlacementProblem problem = memory_of(1 << 20, {1 << 18, 1 << 18});
  constexpr Step gaps = 50'000;
  for (std::size_t b = 0; b < 2; ++b) {
    Buffer& buffer = problem.buffers[b];
    buffer.live = {{0, 2 * gaps}};
    for (Step k = 0; k < gaps; ++k)
      buffer.gaps.push_back({{2 * k, 2 * k + 2}, AddressRange{0, 1 + (k * 7919) % gaps}});
  }
  EXPECT_EQ(separations(problem, 0, 1, never),
            (std::vector<Separation>{{fixed(gaps), fixed(gaps)}}));
  // The budget is polled.
  Budget over;
  over.deadline = std::chrono::steady_clock::now();
  Poll ended(over);
  EXPECT_THROW(static_cast<void>(separations(problem, 0, 1, ended)), BudgetEnded);
}

TEST(Liveness, KeepsApartWhatLivesTogether) {
  EXPECT_TRUE(fits(memory_of(10, {6, 4})));
  EXPECT_FALSE(fits(memory_of(9, {6, 4})));
  PlacementProblem apart = memory_of(9, {6, 4});
  apart.buffers[1].live = {{2, 3}};
  EXPECT_TRUE(fits(apart));
}

TEST(Liveness, AGapWindowOccupiesItsRangeOnly) {
  PlacementProblem problem = memory_of(6, {6, 4});
  problem.buffers[0].gaps = {{.steps = {0, 2}, .window = AddressRange{0, 2}}};
  EXPECT_TRUE(fits(problem));
  problem.buffers[0].gaps[0].window = AddressRange{0, 3};
  EXPECT_FALSE(fits(problem));
}

TEST(Memories, EachHasItsOwnCapacity) {
  PlacementProblem problem = memory_of(6, {6, 4});
  problem.memories.push_back({.name = "n", .capacity = 4});
  EXPECT_TRUE(fits(problem));
  problem.buffers[1].size = 5;
  EXPECT_FALSE(fits(problem));
  problem.buffers[1].size = 4;
  problem.buffers[1].memories = {0};
  EXPECT_FALSE(fits(problem));
}

TEST(Alignment, MayDependOnTheMemory) {
  PlacementProblem problem = memory_of(8, {3, 3});
  problem.memories[0].alignment = 4;
  EXPECT_TRUE(fits(problem));
  problem.memories[0].alignment = 6;
  EXPECT_FALSE(fits(problem));
  problem.memories.push_back({.name = "n", .capacity = 7, .alignment = 5});
  EXPECT_TRUE(fits(problem));
  problem.buffers.push_back({.id = "c", .live = {{0, 2}}, .size = 3});
  EXPECT_FALSE(fits(problem));
}

TEST(Windows, AreKept) {
  PlacementProblem problem = memory_of(10, {4, 4});
  problem.buffers[0].window = AddressRange{2, 7};
  EXPECT_TRUE(fits(problem));
  problem.buffers[0].window = AddressRange{3, 7};
  problem.buffers[1].offset = 0;
  EXPECT_FALSE(fits(problem));
  problem.buffers[1].offset = 6;
  EXPECT_FALSE(fits(problem));
}

TEST(Reserved, IsTouchedByNobody) {
  PlacementProblem problem = memory_of(10, {4, 4});
  problem.memories[0].reserved = {{4, 6}};
  EXPECT_TRUE(fits(problem));
  problem.memories[0].reserved = {{3, 5}};
  EXPECT_FALSE(fits(problem));
}

TEST(Straddle, KeepsBuffersInsideBanks) {
  PlacementProblem problem = banks_of({6, 6}, {4, 4, 4});
  EXPECT_TRUE(fits(problem));
  problem.memories[0].straddle = false;
  EXPECT_FALSE(fits(problem));
}

TEST(BankRelations, SameBankIsOneBankForAll) {
  PlacementProblem problem = banks_of({5, 5}, {3, 3});
  problem.relations = {{.kind = RelationKind::same_bank, .buffers = {0, 1}}};
  EXPECT_FALSE(fits(problem));
  problem.buffers[1].size = 2;
  EXPECT_TRUE(fits(problem));
}

TEST(BankRelations, DifferentBanksShareNone) {
  PlacementProblem problem = banks_of({4, 4}, {4, 4});
  problem.relations = {{.kind = RelationKind::different_banks, .buffers = {0, 1}}};
  EXPECT_TRUE(fits(problem));
  problem.buffers[1] = {.id = "b", .live = {{4, 5}}, .size = 5};
  EXPECT_FALSE(fits(problem));
}

TEST(MemoryRelations, TieAndSeparateMemories) {
  PlacementProblem problem = memory_of(4, {4, 4});
  problem.memories.push_back({.name = "n", .capacity = 4});
  EXPECT_TRUE(fits(problem));
  problem.relations = {{.kind = RelationKind::same_memory, .buffers = {0, 1}}};
  EXPECT_FALSE(fits(problem));
  problem.relations = {{.kind = RelationKind::different_memories, .buffers = {0, 1}}};
  EXPECT_TRUE(fits(problem));
  problem.buffers[0].memories = {1};
  problem.buffers[1].memories = {1};
  problem.buffers[1].live = {{5, 6}};
  EXPECT_FALSE(fits(problem));
}

TEST(OrderRelations, AdjacentBuffersTouchInOrder) {
  PlacementProblem problem = memory_of(9, {3, 2, 4});
  problem.buffers[1].offset = 0;
  problem.relations = {{.kind = RelationKind::adjacent, .buffers = {1, 0, 2}}};
  EXPECT_TRUE(fits(problem));
  problem.relations[0].buffers = {0, 1, 2};
  EXPECT_FALSE(fits(problem));
}

TEST(OrderRelations, SameOffsetAliases) {
  PlacementProblem problem = memory_of(5, {3, 5});
  EXPECT_FALSE(fits(problem));
  problem.relations = {{.kind = RelationKind::same_offset, .buffers = {0, 1}}};
  EXPECT_TRUE(fits(problem));
  problem.buffers[0].offset = 1;
  EXPECT_FALSE(fits(problem));
}

TEST(OrderRelations, DisjointIgnoresTime) {
  PlacementProblem problem = memory_of(5, {3, 3});
  problem.buffers[1].live = {{7, 9}};
  EXPECT_TRUE(fits(problem));
  problem.relations = {{.kind = RelationKind::disjoint, .buffers = {0, 1}}};
  EXPECT_FALSE(fits(problem));
}

TEST(Modes, OfEveryStepArePartOfTheAnswer) {
  // Three banks and two modes: data written to b2 at step 0 is read from it at step 1.
  PlacementProblem problem = banks_of({4, 4, 4}, {4, 4, 4});
  problem.memories[0].straddle = false;
  problem.memories[0].modes = {{"m0", {Role::read, Role::read, Role::write}},
                               {"m1", {Role::write, Role::write, Role::read}}};
  problem.buffers[0].read = {0};
  problem.buffers[1].read = {0};
  problem.buffers[2].write = {0};
  problem.buffers[2].read = {1};
  problem.buffers[0].write = {1};
  EXPECT_TRUE(fits(problem));
  problem.buffers[1].read = {0, 1};
  EXPECT_FALSE(fits(problem));
}

TEST(Modes, PerBankNeedNoTable) {
  PlacementProblem problem = banks_of(std::vector<Size>(20, 1), {1, 1});
  problem.memories[0].modes_per_bank = true;
  for (Bank& bank : problem.memories[0].banks) bank.roles = {Role::read, Role::off};
  problem.buffers[0].read = {0};
  EXPECT_TRUE(fits(problem));
  problem.buffers[0].write = {1};
  EXPECT_FALSE(fits(problem));
}

TEST(Symmetry, NeverChangesTheAnswer) {
  // Mirroring and exchanging equal buffers together: the ordered pair must not be interchangeable
  // buffers.
  PlacementProblem problem = memory_of(9, {3, 3, 3});
  for (const bool breaks : {false, true}) {
    const Encoding encoding = encode(problem, {.break_symmetry = breaks});
    const auto solver = make_cadical({});
    solver->load(encoding.formula, numbers_of(problem));
    EXPECT_EQ(solver->solve({}, {}), Answer::yes);
  }
}

TEST(Formula, SizesAreNamedNotWritten) {
  // The same formula with other numbers equals the formula of the other problem.
  const PlacementProblem small = memory_of(10, {6, 4});
  const PlacementProblem large = memory_of(10, {6, 5});
  const Encoding encoding = encode(small, {});
  for (const auto* problem : {&small, &large}) {
    const auto solver = make_cadical({});
    solver->load(encoding.formula, numbers_of(*problem));
    EXPECT_EQ(solver->solve({}, {}) == Answer::yes, problem == &small);
  }
}

TEST(Grid, IsAsCoarseAsTheAmountsAllow) {
  PlacementProblem problem = memory_of(1 << 20, {96 << 10, 64 << 10, 32 << 10});
  Grid grid = grid_of(encode(problem, {}).formula, numbers_of(problem));
  EXPECT_EQ(grid.unit, 32 << 10);
  problem.buffers[0].window = AddressRange{48 << 10, 1 << 20};
  grid = grid_of(encode(problem, {}).formula, numbers_of(problem));
  EXPECT_EQ(grid.unit, 16 << 10);
  problem.buffers[1].size -= 5;  // still rounds up to the same size if everything is aligned
  problem.memories[0].alignment = 1 << 10;
  grid = grid_of(encode(problem, {}).formula, numbers_of(problem));
  EXPECT_EQ(grid.unit, 16 << 10);
}

}  // namespace
}  // namespace tessera::encoder
