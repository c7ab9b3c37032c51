// The features that a problem uses. Solvers declare the features they support.
//
//   const FeatureSet used = features_of(problem);
//   if (const auto missing = (used - engine.features()).first())
//     std::cout << "no " << name(*missing) << ", used by " << where_used(problem, *missing);
//
// A new hardware rule gets an entry here, which features_of() sets. Every solver rejects it until
// the solver's own list contains it (CONTRIBUTING.md, "A hardware rule, file by file").
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
  // Addresses of a buffer.
  several_memories,
  choice_of_memory,  ///< a buffer may use several memories
  buffer_alignment,  ///< in addition to that of its memory
  fixed_offset,
  window,
  reserved,
  unaligned_base,  ///< a memory whose base is not a multiple of the alignments there
  // When it occupies which bytes.
  several_lives,
  gap,
  gap_window,
  parts,
  // Structure of its memory.
  banks,
  bank_borders,  ///< borders that no buffer may cross
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
  rules,  ///< conditions of the machine
  // Objectives.
  least_cost,
  least_modes,
  least_modes_per_bank,  ///< modes are combinations of roles per bank
  least_switches,
};
inline constexpr int feature_count = static_cast<int>(Feature::least_switches) + 1;

/// A few words for a message: "modes", "the relation adjacent", "a choice between memories".
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
  /// All features: for tests and for engines that delegate to another one. No solver claims it.
  [[nodiscard]] static constexpr FeatureSet everything() {
    FeatureSet all;
    all.bits_ = (std::uint32_t{1} << static_cast<unsigned>(feature_count)) - 1;
    return all;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  /// In the order of the enumeration; nothing for an empty set.
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
/// Features of the memories alone. With several memories, a buffer that names none may choose.
[[nodiscard]] FeatureSet features_of(std::span<const Memory> memories);
/// Takes one pass over the problem.
[[nodiscard]] FeatureSet features_of(const PlacementProblem& problem);

/// The first element that uses the feature: "memory 'sram'", "buffer 'b'". Empty if it belongs to
/// no single element.
[[nodiscard]] std::string where_used(const PlacementProblem& problem, Feature feature);

}  // namespace tessera::facts
