// Concatenations whose operands lie in their place off the chip.
//
//   const Network own = joined_off_chip(net, hardware);   // Tensor::joined is set where it pays
//   plan.joined = joined_of(own);                         // for whoever addresses these tensors
//
// Compilers lay out the operands of a concatenation along channels as parts of what it makes. Off
// the chip that costs nothing but perhaps some bursts, since rows of a part are shorter; the
// concatenation, where it runs alone, then moves nothing (tiling/joined.h does the same for what a
// run makes on the chip). Several concatenations of the same tensors, as dense networks have them,
// share one place, if each joins what lies there side by side.
#pragma once

#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

/// The network with Tensor::joined as this machine has it: for concatenations all operands of which
/// can lie in their place, and take no more bursts more there than copying them would. None where
/// the profile says `concat: copied`, nothing is written off the chip, or a memory lies behind.
/// require: both are valid, so that the network does not say where anything lies
[[nodiscard]] Network joined_off_chip(const Network& network, const Hardware& hardware);

/// What a joined network was before, each tensor by itself.
[[nodiscard]] Network not_joined(const Network& network);

/// As plan_network() plans it: op by op in the fewest tiles, which others are compared with, each
/// tensor lies by itself.
[[nodiscard]] Network planned_network(const Network& network, const Hardware& hardware,
                                      const PlanParams& params);

/// What joined_off_chip() found, in the order of the tensors.
[[nodiscard]] std::vector<PlannedJoin> joined_of(const Network& network);

/// The network as a plan was made for it. Throws std::invalid_argument where the plan names other
/// tensors than this machine joins.
[[nodiscard]] Network network_of(const Network& network, const Hardware& hardware,
                                 const std::vector<PlannedJoin>& joined);

}  // namespace tessera::planner
