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

[[nodiscard]] constexpr FeatureSet together(FeatureSet some, FeatureSet more) {
  some.add(more);
  return some;
}

}  // namespace tessera::facts
