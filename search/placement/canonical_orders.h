// Static orders of the canonical search, which decide between items at the same lowest offset.
//
//   std::vector<int> ranks;
//   OrderFacts facts;
//   collect_facts(core, facts);
//   rank_items(core, facts, CanonicalOrder::total_area_width, 0.0, random, ranks);  // ranks[item]
#pragma once

#include <span>
#include <vector>

#include "model/random.h"
#include "search/placement/canonical.h"
#include "search/placement/canonical_core.h"

namespace tessera::search::canonical {

/// Sort keys of items, computed once per core.
struct OrderFacts {
  std::vector<double> total;  ///< the fullest section of the item
  std::vector<double> area;
};
void collect_facts(const Core& core, OrderFacts& facts);

/// Contention of items: the sum of refusals over the sections of an item.
void collect_contention(const Core& core, std::span<const double> of_section,
                        std::vector<double>& of_item);

/// ensure: ranks is a permutation. `noise` multiplies keys, except a leading total, by up to
/// 1 + noise.
void rank_items(const Core& core, const OrderFacts& facts, CanonicalOrder order, double noise,
                Random& random, std::vector<int>& ranks);

}  // namespace tessera::search::canonical
