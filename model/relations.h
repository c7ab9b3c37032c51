// What the kinds of relations mean, in one table, and what is left of a relation where some of its
// buffers are.
//
//   if (meaning(relation.kind).lifts_overlap) ...       // these may share bytes at one step
//   for (Relation& left : remaining(relation, index)) part.relations.push_back(std::move(left));
//
// Whoever adds up, cuts apart or relaxes a problem asks the table and keeps no list of kinds: for a
// kind that is new the compiler wants a row, and the row answers for all of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tessera/problem.h"

namespace tessera {

struct RelationMeaning {
  std::string_view word{};     ///< as files have it; empty: there is no such kind
  bool forbids = false;        ///< a placement may be wrong because of it
  bool lifts_overlap = false;  ///< its pairs may share bytes at one step
  bool keeps_apart = false;    ///< no two of it ever share a byte
  bool one_memory = false;     ///< all of it are in one memory
  /// Says nothing of two that are in different memories.
  bool within_memory = false;
  /// Where one of it lies says where another does, so that none comes down by itself.
  bool ties_offsets = false;
  bool about_banks = false;
  /// It says different things of whoever stands first and second in it; other kinds, the same of
  /// every two.
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

/// Every kind there is, in the order of the enumeration.
[[nodiscard]] std::span<const RelationKind> relation_kinds();

/// What is left where buffer b becomes index[b], or goes where that is `gone`: nothing, one
/// relation, or several of `adjacent`, whose neighbours on both sides of a gap are none of each
/// other. Whatever else the relation says stays.
inline constexpr BufferIndex gone = static_cast<BufferIndex>(-1);
[[nodiscard]] std::vector<Relation> remaining(const Relation& relation,
                                              const std::vector<BufferIndex>& index);

}  // namespace tessera
