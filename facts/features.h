// What a problem uses: the words in which engines say what they take.
//
//   const FeatureSet used = features_of(problem);
//   if (const auto missing = (used - engine.features()).first())
//     std::cout << "no " << name(*missing) << ", which " << where_used(problem, *missing) << "
//     has";
//
// A new rule of a machine gets one line here and is found by features_of(); every engine refuses it
// until the engine's own list says that it keeps it (CONTRIBUTING.md, "A hardware rule, file by
// file").
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tessera/problem.h"

namespace tessera::facts {

enum class Feature : std::uint8_t {
  // Where a buffer may lie.
  several_memories,
  choice_of_memory,  ///< a buffer is not tied to one memory
  buffer_alignment,  ///< beside that of its memory
  fixed_offset,
  window,
  reserved,
  unaligned_base,  ///< a memory whose base is no multiple of the alignments there
  // When it occupies what.
  several_lives,
  gap,
  gap_window,
  parts,
  // What its memory is made of.
  banks,
  bank_borders,  ///< that no buffer may cross
  modes,         ///< a table of joint roles
  modes_per_bank,
  // Relations, in the order of RelationKind.
  same_bank,
  different_banks,
  same_memory,
  different_memories,
  adjacent,
  same_offset,
  may_overlap,
  disjoint,
  avoid_overlap,
  // What is asked for beside a placement.
  least_cost,
  least_modes,
  least_modes_per_bank,  ///< where the modes are combinations of what each bank can do
};
inline constexpr int feature_count = static_cast<int>(Feature::least_modes_per_bank) + 1;

/// A few words for a sentence: "modes", "the relation adjacent", "a choice between memories".
[[nodiscard]] std::string_view name(Feature feature);

class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (const Feature each : features) bits_ |= bit(each);
  }
  [[nodiscard]] constexpr bool contains(Feature feature) const {
    return (bits_ & bit(feature)) != 0;
  }
  [[nodiscard]] constexpr bool contains(FeatureSet other) const {
    return (other.bits_ & ~bits_) == 0;
  }
  /// Every one: for tests and for whoever asks another engine; no engine claims this.
  [[nodiscard]] static constexpr FeatureSet everything() {
    FeatureSet all;
    all.bits_ = (std::uint32_t{1} << static_cast<unsigned>(feature_count)) - 1;
    return all;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  /// In the order of the enumeration; nothing of an empty set.
  [[nodiscard]] std::optional<Feature> first() const;

  constexpr void add(Feature feature) { bits_ |= bit(feature); }
  constexpr void add(FeatureSet other) { bits_ |= other.bits_; }
  friend constexpr FeatureSet operator-(FeatureSet a, FeatureSet b) {
    a.bits_ &= ~b.bits_;
    return a;
  }
  friend constexpr FeatureSet operator&(FeatureSet a, FeatureSet b) {
    a.bits_ &= b.bits_;
    return a;
  }
  friend constexpr bool operator==(FeatureSet, FeatureSet) = default;

 private:
  static constexpr std::uint32_t bit(Feature feature) {
    return std::uint32_t{1} << static_cast<unsigned>(feature);
  }
  std::uint32_t bits_ = 0;
};
static_assert(feature_count < 32);

[[nodiscard]] Feature feature_of(RelationKind kind);
/// Of the memories alone; with more than one, whoever is not tied to one may choose.
[[nodiscard]] FeatureSet features_of(std::span<const Memory> memories);
/// One pass over the problem.
[[nodiscard]] FeatureSet features_of(const PlacementProblem& problem);

/// The first that uses it: "memory 'sram'", "buffer 'b'"; empty where it is nobody in particular.
[[nodiscard]] std::string where_used(const PlacementProblem& problem, Feature feature);

}  // namespace tessera::facts
