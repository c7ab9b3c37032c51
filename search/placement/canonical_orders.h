// Static orders for the canonical search: which of two items at the same lowest offset goes first.
//
//   std::vector<int> ranks;
//   rank_items(core, CanonicalOrder::total_area_width, 0.0, rng, ranks);   // ranks[item]
#pragma once

#include <cstdint>
#include <vector>

#include "search/placement/canonical.h"
#include "search/placement/canonical_core.h"

namespace tessera::canonical {

/// splitmix64: the same numbers with every library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// In [0, bound).  require: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

/// Facts about items that the orders sort by; computed once per core.
struct OrderFacts {
  std::vector<double> total;  ///< the fullest section of the item
  std::vector<double> area;
};
void collect_facts(const Core& core, OrderFacts& facts);

/// ensure: ranks is a permutation. `noise` multiplies every fact by up to 1 + noise.
void rank_items(const Core& core, const OrderFacts& facts, CanonicalOrder order, double noise,
                Random& random, std::vector<int>& ranks);

}  // namespace tessera::canonical
