// One memory of a problem as flat arrays for the canonical search.
//
//   Core core;
//   build_core(problem, memory, core, poll);               // reuses the vectors it finds in `core`
//   if (!core.contradiction.empty()) return infeasible(core.contradiction);
//   // ... a search fills `offsets`, one per item, in units of core.unit
//
// An item is a buffer, or several that get the same offset. Time is divided into
// sections. Each is one maximal set of segments (model/derived.h) that are live together; sections
// are in order of time. Items are sorted by their first section.
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
  /// Does it count in the load of a section? Of two items that may overlap, at most one counts.
  bool counted = true;
};

/// A pair of items whose forbidden differences of offsets have a hole or do not contain zero. Such
/// items interlock: the lower offset does not imply that an item lies below the other.
struct GeneralPair {
  int first = 0;
  int second = 0;
  /// Forbidden values of offset(second) - offset(first): open intervals, sorted.
  std::vector<std::pair<Size, Size>> forbidden;
};

struct Item {
  Size bytes = 0;      ///< the largest member, in bytes
  Size size = 0;       ///< the same in units, rounded up
  Size alignment = 1;  ///< in units
  Size earliest = 0;   ///< least permitted offset, in units
  Size latest = 0;     ///< largest permitted offset, in units; less than earliest: none
  double width = 0;    ///< number of steps it occupies
  int first_part = 0;
  int last_part = 0;
  int begin = 0;         ///< first section
  int end = 0;           ///< one past its last section; begin == end: it occupies nothing
  int equal_below = -1;  ///< an equal item that lies below it (facts/interchangeable.h); -1: none
  bool plain = true;     ///< every offset in [earliest, latest] is permitted
  int first_member = 0;  ///< in Core::members
  int last_member = 0;
};

struct Core {
  MemoryIndex memory = 0;
  Size unit = 1;      ///< every canonical offset is a multiple of this
  Size capacity = 0;  ///< in units; comparable with sums of Item::size
  std::vector<Item> items;
  std::vector<BufferIndex> members;
  std::vector<Part> parts;
  int sections = 0;
  // Pairs that may not overlap: other >= item + above if the other item is the upper one.
  std::vector<int> pair_begin;  ///< item -> first index; one more entry at the end
  std::vector<int> pair_item;
  std::vector<Size> pair_above;
  std::vector<Size> pair_below;  ///< item >= other + below, if the item is the upper one
  std::vector<GeneralPair> general;
  std::vector<std::pair<int, int>> told;  ///< pairs that the input separates (disjoint)
  /// The pairs of `told` that share no section: splits keep both items in one component.
  std::vector<std::pair<int, int>> links;
  std::vector<AddressRange> reserved;  ///< in bytes, sorted, merged
  std::vector<Offset> borders;         ///< in bytes, borders that buffers may not straddle
  std::string contradiction;           ///< not empty: why there is no placement
};

/// The least permitted offset (in units) that is at least `offset`; more than item.latest if none.
[[nodiscard]] Size next_allowed(const Core& core, const Item& item, Size offset);

/// Limit on pairs of overlapping buffers; above it no core is built.
inline constexpr std::int64_t max_pairs = 12'000'000;

/// An upper bound of the number of pairs that live together, counted up to `limit`. Throws
/// BudgetEnded if there is a poll.
[[nodiscard]] std::int64_t count_pairs(const PlacementProblem& problem, std::int64_t limit,
                                       Poll* poll = nullptr);

/// require: every buffer is restricted to one memory; count_pairs(problem) <= max_pairs. Throws
/// BudgetEnded.
void build_core(const PlacementProblem& problem, MemoryIndex memory, Core& core, Poll& poll);

/// Memory of a core per pair of items: each is stored twice, with temporary data for relations.
inline constexpr double bytes_per_core_pair = 48;

/// Builds only the items and their domains, with a unit of one byte: near-linear. Throws
/// BudgetEnded.
/// require: every buffer is restricted to one memory.
void build_items(const PlacementProblem& problem, MemoryIndex memory, Core& core, Poll& poll);

}  // namespace tessera::search::canonical
