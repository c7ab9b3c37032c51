// Sets of features that several solvers support, so that the list of each solver shows what is
// specific to it.
//
//   FeatureSet features() const { return together(address_features, {Feature::may_overlap}); }
//
// A feature added to a set is claimed by every solver that names the set. Add a new feature to the
// lists of individual solvers first (facts/features.h).
#pragma once

#include "facts/features.h"

namespace tessera::facts {

/// Addresses and times of a buffer in its memory.
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

/// Relations on sharing addresses or memories, without banks and neighbours.
inline constexpr FeatureSet sharing_features{Feature::same_memory, Feature::different_memories,
                                             Feature::same_offset, Feature::may_overlap,
                                             Feature::disjoint,    Feature::avoid_overlap};

/// Features that all these functions account for: sufficient_capacity(), height_granule(),
/// next_possible_height(), and the equality of capacities. For a problem with another feature these
/// functions assume the worst case, which is correct but slow. Add a new feature here last, when
/// all of them account for it.
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

/// Does the problem only use measured_features?
[[nodiscard]] inline bool is_measured(const PlacementProblem& problem) {
  return measured_features.contains(features_of(problem));
}

[[nodiscard]] constexpr FeatureSet together(FeatureSet some, FeatureSet more) {
  some.add(more);
  return some;
}

}  // namespace tessera::facts
