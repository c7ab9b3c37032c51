// The checker handles realistic sizes: 60,000 buffers with all features, a million without
// relations.
#include <gtest/gtest.h>

#include <ctime>

#include "tessera/check.h"
#include "tessera/validate.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"

namespace tessera {
namespace {

/// Buffers on shelves: a shelf holds buffers with consecutive lifetimes.
struct Shelves {
  PlacementProblem problem;
  Placement placement;

  Shelves(std::size_t count, Step steps) {
    testing::Random random(7);
    problem.memories.push_back({.name = "m"});
    Step now = 0;
    Offset shelf = 0;
    for (std::size_t b = 0; b < count; ++b) {
      const Step length = random.between(1, 40);
      if (now + length > steps) {
        now = 0;
        shelf += 64;
      }
      problem.buffers.push_back({.id = "b" + std::to_string(b),
                                 .live = {{now, now + length}},
                                 .size = random.between(1, 64)});
      placement.places.push_back({0, shelf});
      now += length;
    }
  }
};

/// Of this process, independent of other load.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

constexpr std::size_t million = testing::sanitized ? 100'000 : 1'000'000;

// The limits are far above measurements (0.05 s and 1 s), so that only quadratic behaviour fails.
TEST(CheckScale, SixtyThousandBuffersWithModesAndRelations) {
  Shelves big(60'000, 5000);
  Memory& memory = big.problem.memories.front();
  memory.capacity = 1 << 20;
  for (int k = 0; k < 16; ++k) {
    memory.banks.push_back({"bank" + std::to_string(k), 1 << 16, {}});
  }
  memory.modes = {{"rw", std::vector<Role>(16, Role::read_write)}};
  big.placement.modes = {std::vector<std::string>(5000, "rw")};
  for (Buffer& buffer : big.problem.buffers) {
    buffer.read = {buffer.live.front().lower};
    buffer.write = buffer.read;
  }
  // The last buffer extends the horizon to 5000 for any random lengths.
  big.problem.buffers.push_back({.id = "last", .live = {{0, 5000}}, .size = 1});
  big.placement.places.push_back({0, memory.capacity - 1});
  std::vector<BufferIndex> first_shelf;
  for (BufferIndex b = 0; big.placement.places[b].offset == 0; ++b) first_shelf.push_back(b);
  std::vector<BufferIndex> many(20'000);
  for (BufferIndex b = 0; b < many.size(); ++b) many[b] = b;
  big.problem.relations = {{RelationKind::same_bank, first_shelf, 0},
                           {RelationKind::same_memory, many, 0},
                           {RelationKind::may_overlap, first_shelf, 0}};
  const double start = cpu_seconds();
  ASSERT_TRUE(validate(big.problem).empty());
  const std::vector<Violation> found = check(big.problem, big.placement);
  EXPECT_TRUE(found.empty()) << found.front().message;
  EXPECT_LT(cpu_seconds() - start, 10);
}

TEST(CheckScale, AMillionBuffers) {
  Shelves big(million, 20'000);
  const double start = cpu_seconds();
  ASSERT_TRUE(validate(big.problem).empty());
  EXPECT_TRUE(check(big.problem, big.placement).empty());
  EXPECT_LT(cpu_seconds() - start, 30);
  big.placement.places[million / 2].offset -= 64;  // onto the shelf below
  EXPECT_FALSE(check(big.problem, big.placement).empty());
}

TEST(CheckScale, AMillionWrongOnes) {
  Shelves big(million, 20'000);
  for (BufferPlace& place : big.placement.places) place.offset = 0;
  const double start = cpu_seconds();
  EXPECT_EQ(check(big.problem, big.placement).size(), 100U);
  EXPECT_LT(cpu_seconds() - start, 30);
}

TEST(CheckScale, DisjointOverManyIsNotQuadratic) {
  Shelves big(60'000, 1);
  std::vector<BufferIndex> all(60'000);
  for (BufferIndex b = 0; b < all.size(); ++b) {
    all[b] = b;
    big.problem.buffers[b].live = {{0, 1}};
    big.placement.places[b].offset = static_cast<Offset>(b) * 64;
  }
  big.problem.relations = {{RelationKind::disjoint, all, 0}, {RelationKind::avoid_overlap, all, 1}};
  const double start = cpu_seconds();
  EXPECT_TRUE(check(big.problem, big.placement).empty());
  EXPECT_EQ(soft_cost(big.problem, big.placement), 0);
  EXPECT_LT(cpu_seconds() - start, 10);
}

}  // namespace
}  // namespace tessera
