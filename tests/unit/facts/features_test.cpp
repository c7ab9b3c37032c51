#include "facts/features.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/derived.h"
#include "model/relations.h"

namespace tessera::facts {
namespace {

PlacementProblem plain() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 8});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 1});
  problem.buffers.push_back({.id = "b", .live = {{0, 2}}, .size = 1});
  return problem;
}

TEST(Features, APlainProblemUsesNone) {
  EXPECT_TRUE(features_of(plain()).empty());
  EXPECT_FALSE(features_of(plain()).first());
}

TEST(Features, EveryRelationIsOne) {
  std::set<Feature> seen;
  for (const RelationKind kind : relation_kinds()) {
    PlacementProblem problem = plain();
    problem.relations.push_back({kind, {0, 1}, 0});
    const std::optional<Feature> used = features_of(problem).first();
    ASSERT_TRUE(used);
    EXPECT_TRUE(seen.insert(*used).second);
    EXPECT_NE(name(*used).find(to_string(problem.relations[0].kind)), std::string_view::npos);
    EXPECT_EQ(where_used(problem, *used), "buffers 'a' and 'b'");
  }
}

TEST(Features, SaysWhoUsesThem) {
  PlacementProblem problem = plain();
  problem.memories.push_back({.name = "n", .capacity = 8, .reserved = {{0, 1}}});
  problem.buffers[0].memories = {0};
  problem.buffers[0].gaps.push_back({.steps = {1, 2}, .window = {}});
  EXPECT_EQ(features_of(problem), (FeatureSet{Feature::several_memories, Feature::reserved,
                                              Feature::choice_of_memory, Feature::gap}));
  EXPECT_EQ(where_used(problem, Feature::reserved), "memory 'n'");
  EXPECT_EQ(where_used(problem, Feature::choice_of_memory), "buffer 'b'");
  EXPECT_EQ(where_used(problem, Feature::gap), "buffer 'a'");
  EXPECT_EQ(where_used(problem, Feature::several_memories), "");
}

TEST(Features, ABaseIsOneWhereAlignmentsDoNotDivideIt) {
  PlacementProblem problem = plain();
  problem.memories[0].base = 24;
  EXPECT_FALSE(features_of(problem).contains(Feature::unaligned_base));
  problem.buffers[1].alignment = 16;
  EXPECT_TRUE(features_of(problem).contains(Feature::unaligned_base));
  EXPECT_EQ(where_used(problem, Feature::unaligned_base),
            "memory '" + problem.memories[0].name + "'");
  problem.memories[0].base = 32;
  EXPECT_FALSE(features_of(problem).contains(Feature::unaligned_base));
  problem.memories[0].alignment = 64;
  EXPECT_TRUE(features_of(std::span(problem.memories)).contains(Feature::unaligned_base));
  // A memory that no buffer may use requires no feature.
  problem.memories.push_back({.name = "n"});
  for (Buffer& buffer : problem.buffers) buffer.memories = {1};
  EXPECT_FALSE(features_of(problem).contains(Feature::unaligned_base));
}

TEST(Features, HaveNamesThatDiffer) {
  std::set<std::string_view> names;
  for (int k = 0; k < feature_count; ++k)
    EXPECT_TRUE(names.insert(name(static_cast<Feature>(k))).second) << k;
}

TEST(FeatureSets, AreSets) {
  const FeatureSet some{Feature::modes, Feature::gap};
  EXPECT_TRUE(some.contains(FeatureSet{Feature::gap}));
  EXPECT_FALSE(some.contains(FeatureSet{Feature::gap, Feature::banks}));
  EXPECT_EQ((some - FeatureSet{Feature::gap}).first(), Feature::modes);
  EXPECT_TRUE(FeatureSet::everything().contains(Feature::least_modes_per_bank));
}

}  // namespace
}  // namespace tessera::facts
