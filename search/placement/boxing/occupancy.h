// Taken addresses over time: the interval structure of first fit.
//
//   Occupancy taken(instance);
//   taken.add(0, 5, {0, 100});
//   Occupancy::Sets sets;
//   taken.collect(3, 9, sets);
//   for (const Occupancy::Ranges* set : sets.all) finder.block(*set, {0, size});
//   offset = finder.lowest(0, limit, legal);
//
// A segment tree over time. A node keeps two sets of disjoint address ranges: those that span all
// of its sections, and all ranges inside it. Adjacent ranges are merged, so the sets shrink as
// memory fills up. A range enters O(log n) sets, and a query visits O(log n) sets from the lowest
// address on. An interference graph would be quadratic: 43 million pairs for the 28,526 buffers of
// iopddl-S. Ranges cannot be removed.
//
// A leaf covers several sections, with a list of the ranges that take a part of it. Near single
// sections hardly any ranges merge, and the lowest levels would be three quarters of the memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "search/placement/boxing/instance.h"
#include "tessera/units.h"

namespace tessera::search::boxing {

class Occupancy {
 public:
  explicit Occupancy(const Instance& instance);
  void clear();
  /// require: 0 <= lower < upper <= sections, range not empty.
  void add(Section lower, Section upper, AddressRange range);

  using Ranges = std::vector<AddressRange>;  ///< sorted, disjoint
  /// The results of some queries, valid until the next addition.
  struct Sets {
    std::vector<const Ranges*> all;
    std::deque<Ranges> made;  ///< sets that no node stores
    std::size_t used = 0;     ///< number of `made` in use
    void clear() {
      all.clear();
      used = 0;
    }
  };
  /// Appends the sets that together hold the ranges taken during [lower, upper).
  void collect(Section lower, Section upper, Sets& sets) const;

 private:
  using Leaf = std::int32_t;
  struct Node {
    Ranges spanning;  ///< ranges that cover the node in time and not its parent
    Ranges inside;    ///< the union of all ranges at or below the node
  };
  /// A range that takes a part of a leaf's sections.
  struct Part {
    AddressRange range;
    Section lower = 0;
    Section upper = 0;
  };
  void add(std::size_t node, Leaf l, Leaf u, const Part& part);
  void collect(std::size_t node, Leaf l, Leaf u, Section lower, Section upper, Sets& sets) const;
  /// The first section of a leaf; the number of sections after the last leaf.
  [[nodiscard]] Section first(Leaf leaf) const {
    return first_[std::min(static_cast<std::size_t>(leaf), first_.size() - 1)];
  }

  std::vector<Section> first_;  ///< per leaf, and the number of sections
  Leaf base_ = 1;
  std::vector<Node> nodes_;
  std::vector<std::vector<Part>> parts_;  ///< per leaf, by address
  std::vector<std::size_t> used_;         ///< nodes to be cleared
};

/// The lowest hole in a union of sets; keeps its buffers between queries.
class HoleFinder {
 public:
  void reset() { fingers_.clear(); }
  /// Blocks `ranges` for a fragment that occupies [shift, shift + size) of the job.
  void block(const Occupancy::Ranges& ranges, AddressRange fragment) {
    if (!ranges.empty())
      fingers_.push_back({ranges.data(), ranges.data() + ranges.size(), fragment});
  }
  /// The lowest offset >= `from` at which no fragment meets a blocked range; `legal(o)` is the
  /// lowest offset >= o that other constraints permit. Stops above `limit` and returns something
  /// larger.
  template <typename Legal>
  [[nodiscard]] Offset lowest(Offset from, Offset limit, const Legal& legal) {
    Offset offset = legal(from);
    std::size_t clear_in_a_row = 0;
    std::size_t k = 0;
    while (clear_in_a_row < fingers_.size() && offset <= limit) {
      Finger& finger = fingers_[k];
      k = k + 1 == fingers_.size() ? 0 : k + 1;
      finger.skip(offset + finger.fragment.begin);
      if (finger.next != finger.end && finger.next->begin < offset + finger.fragment.end) {
        offset = legal(finger.next->end - finger.fragment.begin);
        clear_in_a_row = 1;
        // The same set may block again; it is tested again in its turn.
        finger.skip(offset + finger.fragment.begin);
        if (finger.next != finger.end && finger.next->begin < offset + finger.fragment.end)
          clear_in_a_row = 0;
      } else {
        ++clear_in_a_row;
      }
    }
    return offset;
  }

 private:
  struct Finger {
    const AddressRange* next;
    const AddressRange* end;
    AddressRange fragment;
    /// Moves to the first range that ends above the address, with doubling strides.
    void skip(Offset address) {
      std::ptrdiff_t stride = 1;
      while (end - next >= stride && next[stride - 1].end <= address) {
        next += stride;
        stride *= 2;
      }
      const AddressRange* last = end - next > stride ? next + stride : end;
      next = std::partition_point(next, last,
                                  [address](const AddressRange& r) { return r.end <= address; });
    }
  };
  std::vector<Finger> fingers_;
};

}  // namespace tessera::search::boxing
