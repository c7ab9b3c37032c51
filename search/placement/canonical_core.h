// One memory of a problem as flat arrays for the canonical search.
//
//   Core core;
//   build_core(problem, memory, core, poll);               // reuses the vectors it finds in `core`
//   if (!core.contradiction.empty()) return infeasible(core.contradiction);
//   // ... a search fills `offsets`, one per item, in units of core.unit
//
// An item is a buffer, or all the buffers that same_offset ties together. Time is cut into
// sections: the maximal sets of segments that are live together, in order of time. Items are
// sorted by their first section, so that a range of sections owns a range of items.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::search::canonical {

/// The item occupies [lo, hi) above its offset during the sections [begin, end).
struct Part {
  int begin = 0;
  int end = 0;
  Size lo = 0;
  Size hi = 0;
  /// Parts that count add up within a section: of two exempt items at most one counts.
  bool counted = true;
};

/// A pair of items whose forbidden differences leave a hole or do not contain zero; such pairs
/// interlock, and offset order does not say who lies below. Open intervals, sorted.
struct GeneralPair {
  int first = 0;
  int second = 0;
  std::vector<std::pair<Size, Size>> forbidden;  ///< of offset(second) - offset(first)
};

struct Item {
  Size bytes = 0;      ///< the largest member, in bytes
  Size size = 0;       ///< the same in units, rounded up
  Size alignment = 1;  ///< in units
  Size earliest = 0;   ///< least allowed offset, in units
  Size latest = 0;     ///< largest allowed offset, in units; less than earliest: nowhere
  double width = 0;    ///< steps it occupies
  int first_part = 0;
  int last_part = 0;
  int begin = 0;         ///< first section
  int end = 0;           ///< one past its last section; begin == end: it occupies nothing
  int twin = -1;         ///< one that is equal in every respect and lies below it (facts/twins.h)
  bool plain = true;     ///< every offset in [earliest, latest] is allowed
  int first_member = 0;  ///< in Core::members
  int last_member = 0;
};

struct Core {
  MemoryIndex memory = 0;
  Size unit = 1;      ///< every canonical offset is a multiple of this
  Size capacity = 0;  ///< in units, for sums of rounded sizes
  std::vector<Item> items;
  std::vector<BufferIndex> members;
  std::vector<Part> parts;
  int sections = 0;
  // Pairs that may not overlap: other >= item + above, or the other way round.
  std::vector<int> pair_begin;  ///< item -> first index; one more entry at the end
  std::vector<int> pair_item;
  std::vector<Size> pair_above;
  std::vector<Size> pair_below;  ///< item >= other + below, where the item is the upper one
  std::vector<GeneralPair> general;
  std::vector<std::pair<int, int>> told;  ///< pairs that the input keeps apart (disjoint)
  /// Those of them that share no section; they keep parts of time together.
  std::vector<std::pair<int, int>> links;
  std::vector<AddressRange> reserved;  ///< in bytes, sorted, merged
  std::vector<Offset> borders;         ///< in bytes: what nothing may straddle
  std::string contradiction;           ///< not empty: there is no placement, and why
};

/// The least allowed offset (in units) that is at least `offset`; more than item.latest if none.
[[nodiscard]] Size next_allowed(const Core& core, const Item& item, Size offset);

/// Pairs of overlapping buffers beyond which a core is not built.
inline constexpr std::int64_t max_pairs = 12'000'000;

/// Counts pairs of overlapping segments, at most until `limit` is passed. Throws BudgetEnded where
/// there is a poll.
[[nodiscard]] std::int64_t count_pairs(const PlacementProblem& problem, std::int64_t limit,
                                       Poll* poll = nullptr);

/// require: every buffer is tied to one memory; count_pairs(problem) <= max_pairs.
/// Throws BudgetEnded.
void build_core(const PlacementProblem& problem, MemoryIndex memory, Core& core, Poll& poll);

/// What a core takes for each pair: two entries, and in between what special rules need.
inline constexpr double bytes_per_core_pair = 48;

/// Only the items and where each alone may lie, with a unit of one byte: near-linear.
/// require: every buffer is tied to one memory. Throws BudgetEnded.
void build_items(const PlacementProblem& problem, MemoryIndex memory, Core& core, Poll& poll);

}  // namespace tessera::search::canonical
