// Concatenations whose operands lie in the place of the result off chip.
//
//   const Network own = joined_off_chip(net, hardware);   // sets Tensor::joined if it pays off
//   plan.joined = joined_of(own);                         // for readers of the plan's addresses
//
// Compilers lay out the operands of a concatenation along channels as parts of its result. Off chip
// this costs at most some additional bursts, since rows of a part are shorter. A concatenation that
// runs alone then moves nothing (tiling/joined.h does the same for results on chip). Several
// concatenations of the same tensors, as in dense networks, share one place if each joins tensors
// that are adjacent there.
#pragma once

#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

/// The network with Tensor::joined as this machine uses it. A concatenation is joined if all
/// operands can lie in its place and the additional bursts do not exceed those of a copy. None is
/// joined if the profile says `concat: copied`, nothing is written off chip, or a backing memory
/// exists.
/// require: network and hardware are valid; the network sets no Tensor::joined.
[[nodiscard]] Network joined_off_chip(const Network& network, const Hardware& hardware);

/// The network without Tensor::joined.
[[nodiscard]] Network not_joined(const Network& network);

/// The network as plan_network() plans it. The baseline, op by op in the fewest tiles, joins no
/// tensors.
[[nodiscard]] Network planned_network(const Network& network, const Hardware& hardware,
                                      const PlanParams& params);

/// The result of joined_off_chip(), in the order of the tensors.
[[nodiscard]] std::vector<PlannedJoin> joined_of(const Network& network);

/// The network of an existing plan. Throws std::invalid_argument if the plan joins other tensors
/// than this machine does.
[[nodiscard]] Network network_of(const Network& network, const Hardware& hardware,
                                 const std::vector<PlannedJoin>& joined);

}  // namespace tessera::planner
