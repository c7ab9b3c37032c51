// One place for each tensor that stays on the chip from run to run.
//
//   const KeptPlaces kept = settle_kept(pieces, within, plan.subgraphs, limits);
//   if (kept.status == Status::feasible) ...     // the subgraphs' placements agree now
//
// Each run of a plan is placed by itself at first. A tensor that stays on the chip has to lie at
// one address in all runs it lives through: so runs that such tensors tie together are placed
// again, together, one after the other on one time line. Private to planner/.
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
  Status status = Status::feasible;  ///< unknown: a limit came first
  StopReason stop = StopReason::completed;
};

/// Runs [first, second) that tensors on the chip tie together, each such stretch; on machines that
/// keep everything all runs are one.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> tied_runs(
    const Hardware& hardware, std::span<const PlannedSubgraph> runs);

/// Replaces placements and what they cost (peaks, mode switches). Places are sought in the memories
/// of `within`: those of the pieces' hardware, or less of them; together the runs may peak higher
/// than each by itself, so what limits a run limits this too. require: the runs are one stretch of
/// tied_runs().
[[nodiscard]] KeptPlaces settle_kept(PieceStore& pieces, const Hardware& within,
                                     std::span<PlannedSubgraph> runs, const Limits& limits);

/// A sentence for each tensor that lies in two places, or is kept by some of the runs that it lives
/// through and not by others.
[[nodiscard]] std::vector<std::string> kept_wrong(const Network& network, const Hardware& hardware,
                                                  const std::vector<PlannedSubgraph>& runs);

}  // namespace tessera::planner
