// Features that engines take together, so that each engine's own list says what is special about
// it.
//
//   FeatureSet features() const { return together(address_features, {Feature::may_overlap}); }
//
// A feature that is added here is claimed by every engine that names the set: one that is new
// belongs into the engines' own lists first (facts/features.h).
#pragma once

#include "facts/features.h"

namespace tessera::facts {

/// Where a buffer may lie in its memory, and when it occupies what.
inline constexpr FeatureSet address_features{Feature::several_memories,
                                             Feature::buffer_alignment,
                                             Feature::fixed_offset,
                                             Feature::window,
                                             Feature::reserved,
                                             Feature::several_lives,
                                             Feature::gap,
                                             Feature::gap_window,
                                             Feature::banks,
                                             Feature::bank_borders};

/// Relations that say which buffers may share addresses or memories, and nothing of banks and
/// neighbours.
inline constexpr FeatureSet sharing_features{Feature::same_memory, Feature::different_memories,
                                             Feature::same_offset, Feature::may_overlap,
                                             Feature::disjoint,    Feature::avoid_overlap};

/// Features whose numbers are known to those who say how much room always suffices (enough_room),
/// which heights there can be (height_granule, next_possible_height) and which capacities come to
/// the same. Where a problem uses another one they answer as if anything could be: right for every
/// rule, and slow. A rule that is new goes in here last, when all of them count its numbers.
inline constexpr FeatureSet measured_features{Feature::several_memories,
                                              Feature::choice_of_memory,
                                              Feature::buffer_alignment,
                                              Feature::fixed_offset,
                                              Feature::window,
                                              Feature::reserved,
                                              Feature::unaligned_base,
                                              Feature::several_lives,
                                              Feature::gap,
                                              Feature::gap_window,
                                              Feature::parts,
                                              Feature::banks,
                                              Feature::bank_borders,
                                              Feature::modes,
                                              Feature::modes_per_bank,
                                              Feature::same_bank,
                                              Feature::different_banks,
                                              Feature::same_memory,
                                              Feature::different_memories,
                                              Feature::adjacent,
                                              Feature::same_offset,
                                              Feature::may_overlap,
                                              Feature::disjoint,
                                              Feature::avoid_overlap};

/// Does the problem use nothing but measured_features?
[[nodiscard]] inline bool is_measured(const PlacementProblem& problem) {
  return measured_features.contains(features_of(problem));
}

[[nodiscard]] constexpr FeatureSet together(FeatureSet some, FeatureSet more) {
  some.add(more);
  return some;
}

}  // namespace tessera::facts
