#include "facts/features.h"

#include <algorithm>
#include <bit>

#include "model/derived.h"

namespace tessera::facts {
namespace {

FeatureSet features_of(const Memory& memory) {
  FeatureSet used;
  if (!memory.reserved.empty()) used.add(Feature::reserved);
  if (!memory.banks.empty()) used.add(Feature::banks);
  if (!memory.straddle) used.add(Feature::bank_borders);
  if (!memory.modes.empty()) used.add(Feature::modes);
  if (memory.modes_per_bank) used.add(Feature::modes_per_bank);
  return used;
}

FeatureSet features_of(const Buffer& buffer) {
  FeatureSet used;
  if (buffer.alignment != 1) used.add(Feature::buffer_alignment);
  if (buffer.offset) used.add(Feature::fixed_offset);
  if (buffer.window) used.add(Feature::window);
  if (buffer.live.size() > 1) used.add(Feature::several_lives);
  if (!buffer.parts.empty()) used.add(Feature::parts);
  for (const Gap& gap : buffer.gaps) used.add(gap.window ? Feature::gap_window : Feature::gap);
  return used;
}

}  // namespace

std::string_view name(Feature feature) {
  switch (feature) {
    case Feature::several_memories:
      return "several memories";
    case Feature::choice_of_memory:
      return "a choice between memories";
    case Feature::buffer_alignment:
      return "an alignment of a buffer's own";
    case Feature::fixed_offset:
      return "a fixed offset";
    case Feature::window:
      return "a window for a buffer";
    case Feature::reserved:
      return "reserved addresses";
    case Feature::unaligned_base:
      return "a base that is no multiple of an alignment";
    case Feature::several_lives:
      return "several live intervals of one buffer";
    case Feature::gap:
      return "gaps";
    case Feature::gap_window:
      return "gaps with a window";
    case Feature::parts:
      return "parts that live at different times";
    case Feature::banks:
      return "banks";
    case Feature::bank_borders:
      return "banks without straddling";
    case Feature::modes:
      return "modes";
    case Feature::modes_per_bank:
      return "modes per bank";
    case Feature::same_bank:
      return "the relation same_bank";
    case Feature::different_banks:
      return "the relation different_banks";
    case Feature::same_memory:
      return "the relation same_memory";
    case Feature::different_memories:
      return "the relation different_memories";
    case Feature::adjacent:
      return "the relation adjacent";
    case Feature::same_offset:
      return "the relation same_offset";
    case Feature::may_overlap:
      return "the relation may_overlap";
    case Feature::disjoint:
      return "the relation disjoint";
    case Feature::avoid_overlap:
      return "the relation avoid_overlap";
    case Feature::rules:
      return "rules";
    case Feature::least_cost:
      return "minimum cost";
    case Feature::least_switches:
      return "minimum number of mode switches";
    case Feature::least_modes:
      return "minimum number of modes";
    case Feature::least_modes_per_bank:
      return "minimum number of modes with modes per bank";
  }
  return "?";
}

std::optional<Feature> FeatureSet::first() const {
  if (bits_ == 0) return std::nullopt;
  return static_cast<Feature>(std::countr_zero(bits_));
}

Feature feature_of(RelationKind kind) {
  switch (kind) {
    case RelationKind::same_bank:
      return Feature::same_bank;
    case RelationKind::different_banks:
      return Feature::different_banks;
    case RelationKind::same_memory:
      return Feature::same_memory;
    case RelationKind::different_memories:
      return Feature::different_memories;
    case RelationKind::adjacent:
      return Feature::adjacent;
    case RelationKind::same_offset:
      return Feature::same_offset;
    case RelationKind::may_overlap:
      return Feature::may_overlap;
    case RelationKind::disjoint:
      return Feature::disjoint;
    case RelationKind::avoid_overlap:
      break;
  }
  return Feature::avoid_overlap;
}

namespace {

FeatureSet features_but_bases(std::span<const Memory> memories) {
  FeatureSet used;
  if (memories.size() > 1) used.add(Feature::several_memories);
  for (const Memory& memory : memories) used.add(features_of(memory));
  return used;
}

}  // namespace

FeatureSet features_of(std::span<const Memory> memories) {
  FeatureSet used = features_but_bases(memories);
  for (const Memory& memory : memories)
    if (memory.base % memory.alignment != 0) used.add(Feature::unaligned_base);
  return used;
}

FeatureSet features_of(const PlacementProblem& problem) {
  FeatureSet used = features_but_bases(problem.memories);
  const bool several = problem.memories.size() > 1;
  for (const Buffer& buffer : problem.buffers) {
    used.add(features_of(buffer));
    if (several && buffer.memories.size() != 1) used.add(Feature::choice_of_memory);
  }
  for (const Relation& relation : problem.relations) used.add(feature_of(relation.kind));
  if (!problem.rules.empty()) used.add(Feature::rules);
  if (has_unaligned_base(problem)) used.add(Feature::unaligned_base);
  return used;
}

std::string where_used(const PlacementProblem& problem, Feature feature) {
  for (const Memory& memory : problem.memories)
    if (features_of(memory).contains(feature) ||
        (feature == Feature::unaligned_base && memory.base != 0))
      return "memory '" + memory.name + "'";
  for (const Buffer& buffer : problem.buffers) {
    const bool chooses = feature == Feature::choice_of_memory && problem.memories.size() > 1 &&
                         buffer.memories.size() != 1;
    if (chooses || features_of(buffer).contains(feature)) return "buffer '" + buffer.id + "'";
  }
  for (const Relation& relation : problem.relations)
    if (feature_of(relation.kind) == feature)
      return "buffers '" + problem.buffers[relation.buffers[0]].id + "' and '" +
             problem.buffers[relation.buffers[1]].id + "'";
  if (feature == Feature::rules && !problem.rules.empty())
    return "rule '" + problem.rules.front().name + "'";
  return "";
}

}  // namespace tessera::facts
