// Derived members of a plan whose groups are known.
//
//   plan.subgraphs.push_back(subgraph_of(network, hardware, {3, 7}, option, kept));
//   settle_off_chip(network, hardware, budget, plan, threads);
//   describe(network, hardware, score, plan, threads);   // layers, totals, score, idle resources
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

/// An option of an answer as the group of these ops. The option may belong to a group with the same
/// structure and other names.
/// require: readers is last_readers(network)
[[nodiscard]] PlannedSubgraph subgraph_of(const Network& network, const Hardware& hardware,
                                          OpRange ops, PlannedSubgraph option,
                                          std::vector<std::string> kept,
                                          const std::vector<std::optional<OpIndex>>& readers);

/// Combined metrics of all groups.
[[nodiscard]] Metrics totals_of(std::span<const PlannedSubgraph> runs);

/// True if off-chip memory suffices for every plan: then only the last plan needs off-chip
/// addresses.
[[nodiscard]] bool always_settles(const Hardware& hardware);

/// Assigns off-chip addresses. If the groups do not fit off chip, the plan's status becomes
/// unknown.
void settle_off_chip(const Network& network, const Hardware& hardware, const Budget& budget,
                     NetworkPlan& plan, int threads);

/// require: plan.status is feasible.
void describe(const Network& network, const Hardware& hardware, const cost::Score& score,
              NetworkPlan& plan, int threads);

}  // namespace tessera::planner
