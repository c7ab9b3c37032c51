// Items of a core of which no two may share a byte, although no section contains them all.
//
//   CoreCliques cliques;
//   find_cliques(core, cliques, poll);        // none if no relation separates items
//   for (int k = cliques.first[c]; k < cliques.first[c + 1]; ++k) sum += cliques.extent[k];
//
// Section inference applies to such a set: its unplaced items have to fit, without overlap, above
// the lowest of them. They grow from pairs that a relation separates and no section contains
// (facts/grown_cliques.h). Small cliques are dropped, and find_cliques() limits their number.
#pragma once

#include <vector>

#include "search/placement/canonical_core.h"

namespace tessera::search::canonical {

struct CoreCliques {
  std::vector<int> first;    ///< clique -> first index; one more entry at the end
  std::vector<int> item;     ///< ascending within a clique
  std::vector<Size> extent;  ///< space above the item's offset before the next item of the clique

  [[nodiscard]] int count() const { return first.empty() ? 0 : static_cast<int>(first.size()) - 1; }
};

/// require: the core has no general pairs. Throws BudgetEnded.
void find_cliques(const Core& core, CoreCliques& cliques, Poll& poll);

}  // namespace tessera::search::canonical
