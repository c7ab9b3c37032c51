// What follows from the runs of a plan once they are known.
//
//   plan.subgraphs.push_back(subgraph_of(network, hardware, {3, 7}, option, kept));
//   settle_off_chip(network, hardware, budget, plan, threads);
//   describe(network, hardware, score, plan, threads);   // layers, totals, score, what is idle
//
// Private to planner/.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cost/score.h"
#include "model/budget.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// An option of an answer, which may come from a run with the same structure and other names, as
/// the run of these ops.
/// require: readers is last_readers(network)
[[nodiscard]] PlannedSubgraph subgraph_of(const Network& network, const Hardware& hardware,
                                          OpRange ops, PlannedSubgraph option,
                                          std::vector<std::string> kept,
                                          const std::vector<std::optional<OpIndex>>& readers);

/// What all runs cost together.
[[nodiscard]] Metrics totals_of(std::span<const PlannedSubgraph> runs);

/// Is there room off the chip for whatever plan? Then it is enough to settle the last one.
[[nodiscard]] bool always_settles(const Hardware& hardware);

/// Where everything lies off the chip; runs that leave no room there are no plan.
void settle_off_chip(const Network& network, const Hardware& hardware, const Budget& budget,
                     NetworkPlan& plan, int threads);

/// require: plan.status is feasible.
void describe(const Network& network, const Hardware& hardware, const cost::Score& score,
              NetworkPlan& plan, int threads);

}  // namespace tessera::planner
