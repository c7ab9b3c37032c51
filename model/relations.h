// The meaning of each kind of relation, and the rest of a relation when buffers are removed.
//
//   if (meaning(relation.kind).lifts_overlap) ...       // its buffers may share bytes at one step
//   for (Relation& left : remaining(relation, index)) part.relations.push_back(std::move(left));
//
// Code that splits, relaxes or bounds a problem reads this table instead of listing kinds. A new
// kind needs a row, which the compiler enforces.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tessera/problem.h"

namespace tessera {

struct RelationMeaning {
  std::string_view word{};     ///< as in files; empty: no such kind
  bool forbids = false;        ///< a placement may violate it
  bool lifts_overlap = false;  ///< its buffers may share bytes at one step
  bool keeps_apart = false;    ///< no two of its buffers ever share a byte
  bool one_memory = false;     ///< all its buffers are in one memory
  /// It does not constrain two buffers in different memories.
  bool within_memory = false;
  /// The offset of one buffer determines that of another, so they cannot be lowered one by one.
  bool ties_offsets = false;
  bool about_banks = false;
  /// The order of its buffers matters. Other kinds say the same of every pair.
  bool in_order = false;
};

[[nodiscard]] constexpr RelationMeaning meaning(RelationKind kind) {
  switch (kind) {
    case RelationKind::same_bank:
      return {.word = "same_bank", .forbids = true, .one_memory = true, .about_banks = true};
    case RelationKind::different_banks:
      return {.word = "different_banks",
              .forbids = true,
              .keeps_apart = true,
              .within_memory = true,
              .about_banks = true};
    case RelationKind::same_memory:
      return {.word = "same_memory", .forbids = true, .one_memory = true};
    case RelationKind::different_memories:
      return {.word = "different_memories", .forbids = true, .keeps_apart = true};
    case RelationKind::adjacent:
      return {.word = "adjacent",
              .forbids = true,
              .keeps_apart = true,
              .one_memory = true,
              .ties_offsets = true,
              .in_order = true};
    case RelationKind::same_offset:
      return {.word = "same_offset",
              .forbids = true,
              .lifts_overlap = true,
              .one_memory = true,
              .ties_offsets = true};
    case RelationKind::may_overlap:
      return {.word = "may_overlap", .lifts_overlap = true, .within_memory = true};
    case RelationKind::disjoint:
      return {.word = "disjoint", .forbids = true, .keeps_apart = true, .within_memory = true};
    case RelationKind::avoid_overlap:
      return {.word = "avoid_overlap", .within_memory = true};
  }
  return {};
}

/// All kinds, in the order of the enumeration.
[[nodiscard]] std::span<const RelationKind> relation_kinds();

/// The relation after buffer b becomes index[b], or is removed if that is `gone`. The result is
/// empty, one relation, or several of `adjacent`: the neighbours on both sides of a removed buffer
/// are not adjacent. Other fields are kept.
inline constexpr BufferIndex gone = static_cast<BufferIndex>(-1);
[[nodiscard]] std::vector<Relation> remaining(const Relation& relation,
                                              const std::vector<BufferIndex>& index);

}  // namespace tessera
