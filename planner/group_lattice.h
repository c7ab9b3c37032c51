// The groups of a network with their resident tensors, as the edges of a lattice.
//
//   const GroupLattice groups(network, hardware, params);
//   for (std::size_t k = 0; k < groups.lattice.edges().size(); ++k) use(groups.residents(k));
//
// Private to planner/.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/stay_items.h"
#include "search/partition/lattice.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/plan.h"

namespace tessera::planner {

struct GroupLattice {
  /// `within`: the machine within the peak limits.
  GroupLattice(const Network& network, const Hardware& within, const PlanParams& params);

  /// Sorted.
  [[nodiscard]] std::vector<TensorIndex> residents(std::size_t edge) const;

  StayItems may;
  search::Lattice lattice;
  bool whole = false;  ///< it has all groups that the parameters permit
};

}  // namespace tessera::planner
