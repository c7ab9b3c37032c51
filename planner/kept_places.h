// One address for each tensor that is resident across groups.
//
//   const KeptPlaces kept = settle_kept(pieces, within, plan.subgraphs, limits);
//   if (kept.status == Status::feasible) ...     // the placements of the subgraphs agree
//
// Each group of a plan is first placed alone. A resident tensor needs one address in all groups it
// lives through. Groups tied by resident tensors are therefore placed again as one problem on one
// time line. Private to planner/.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "planner/piece_store.h"
#include "tessera/hardware.h"
#include "tessera/limits.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

struct KeptPlaces {
  Status status = Status::feasible;  ///< unknown: a limit was met first
  StopReason stop = StopReason::completed;
};

/// Ranges [first, second) of groups that are tied by resident tensors. On machines without off-chip
/// activations all groups form one range.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> tied_runs(
    const Hardware& hardware, std::span<const PlannedSubgraph> runs);

/// Replaces placements and the metrics that depend on them (peaks, mode switches). Addresses are
/// sought in the memories of `within`: those of the pieces' hardware, or smaller ones. The joint
/// peak of the groups may exceed each single peak, so limits on a group are checked here as well.
/// require: the runs are one range of tied_runs().
[[nodiscard]] KeptPlaces settle_kept(PieceStore& pieces, const Hardware& within,
                                     std::span<PlannedSubgraph> runs, const Limits& limits);

/// A sentence for each tensor that has two addresses, or that only some of the groups it lives
/// through keep.
[[nodiscard]] std::vector<std::string> kept_wrong(const Network& network, const Hardware& hardware,
                                                  const std::vector<PlannedSubgraph>& runs);

}  // namespace tessera::planner
