// What every public call demands of its arguments, so that no value of a public struct leads to
// anything but an answer or a sentence. Private to planner/.
//
//   require_valid(problem);
//   require_placed(problem, placement);
//
// Each throws BadInput with the sentence the reader of a file would give.
#pragma once

#include "model/hardware.h"
#include "model/network.h"
#include "model/plan.h"
#include "model/problem.h"

namespace tessera {

void require_valid(const PlacementProblem& problem);
void require_valid(const Network& network);
void require_valid(const Hardware& hardware);

/// Such a placement may be wrong, but it can be looked at: a place for each buffer, in a memory
/// there is, at an address that nothing overflows.
void require_placed(const PlacementProblem& problem, const Placement& placement);
/// Such a result may be wrong, but it can be looked at and written.
void require_result(const PlacementProblem& problem, const PlacementResult& result);
/// Such a plan may be wrong, but it can be looked at and written.
void require_plan(const NetworkPlan& plan);

}  // namespace tessera
