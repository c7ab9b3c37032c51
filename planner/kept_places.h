// One place for each tensor that stays on the chip from run to run.
//
//   const KeptPlaces kept = settle_kept(network, hardware, plan.subgraphs, limits);
//   if (kept.status == Status::feasible) ...     // the subgraphs' placements agree now
//
// Each run of a plan is placed by itself at first. Where machines keep tensors on the chip, a
// tensor has to lie at one address in all runs it lives through: so all runs are placed again,
// together, one after the other on one time line. Private to planner/.
#pragma once

#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/limits.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

struct KeptPlaces {
  Status status = Status::feasible;  ///< unknown: a limit came first
  StopReason stop = StopReason::completed;
};

/// Replaces placements and what they cost (peaks, mode switches). Nothing is done on machines that
/// keep nothing. require: stays_on_chip(hardware); every run has one placement, as such runs have.
[[nodiscard]] KeptPlaces settle_kept(const Network& network, const Hardware& hardware,
                                     std::vector<PlannedSubgraph>& runs, const Limits& limits);

/// A sentence for each tensor that lies in two places.
[[nodiscard]] std::vector<std::string> kept_apart(const Network& network, const Hardware& hardware,
                                                  const std::vector<PlannedSubgraph>& runs);

}  // namespace tessera::planner
