#include "model/relations.h"

#include <gtest/gtest.h>

#include <set>

#include "model/derived.h"
#include "tessera/validate.h"

namespace tessera {
namespace {

using Buffers = std::vector<BufferIndex>;

TEST(RelationKinds, AreAllThatAreValid) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 8});
  problem.buffers = {{.id = "a", .live = {{0, 1}}, .size = 1},
                     {.id = "b", .live = {{0, 1}}, .size = 1}};
  std::set<std::string_view> words;
  for (const RelationKind kind : relation_kinds()) {
    EXPECT_TRUE(words.insert(meaning(kind).word).second) << meaning(kind).word;
    problem.relations = {{kind, {0, 1}, kind == RelationKind::avoid_overlap ? 1 : 0}};
    EXPECT_TRUE(validate(problem).empty()) << meaning(kind).word;
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(RelationKind::avoid_overlap) + 1);
  problem.relations[0] = {static_cast<RelationKind>(words.size()), {0, 1}, 0};
  ASSERT_EQ(validate(problem).size(), 1U);
  EXPECT_EQ(validate(problem)[0].message, "relation 0 (?) has an unknown kind.");
}

TEST(RelationKinds, ThatLiftOverlapAreThoseOfExemptPairs) {
  PlacementProblem problem;
  for (const RelationKind kind : relation_kinds()) {
    problem.relations = {{kind, {0, 1}, 0}};
    EXPECT_EQ(!exempt_pairs(problem).empty(), meaning(kind).lifts_overlap) << to_string(kind);
    EXPECT_FALSE(meaning(kind).keeps_apart && meaning(kind).lifts_overlap) << to_string(kind);
  }
}

TEST(Remaining, KeepsWhatElseARelationSays) {
  const Relation soft{RelationKind::avoid_overlap, {4, 2, 0}, 7};
  const std::vector<Relation> left = remaining(soft, {0, gone, 1, gone, gone});
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0], (Relation{RelationKind::avoid_overlap, {1, 0}, 7}));
  EXPECT_TRUE(remaining(soft, {gone, gone, 0, gone, gone}).empty());
}

TEST(Remaining, OfNeighboursIsOneRelationForEachRow) {
  const Relation row{RelationKind::adjacent, {0, 1, 2, 3, 4}, 0};
  const std::vector<Relation> left = remaining(row, {0, 1, gone, 2, 3});
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].buffers, (Buffers{0, 1}));
  EXPECT_EQ(left[1].buffers, (Buffers{2, 3}));
  EXPECT_EQ(remaining({RelationKind::disjoint, {0, 1, 2, 3, 4}, 0}, {0, 1, gone, 2, 3}).size(), 1U);
}

}  // namespace
}  // namespace tessera
