// What every public call demands of its arguments, so that no value of a public struct leads to
// anything but an answer or a sentence. Private to the rooms behind the door.
//
//   require_valid(problem);
//   require_placed(problem, placement);
//
// Each throws BadInput, where nothing else is said, with the sentence the reader of a file would
// give.
#pragma once

#include <string>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/problem.h"

namespace tessera::validation {

void require_valid(const PlacementProblem& problem);
void require_valid(const Network& network);
void require_valid(const Hardware& hardware);

/// The checker is the last word: an answer it refuses is a bug and is never shown as an answer.
/// Throws InternalError.
void require_right(const PlacementProblem& problem, const Placement& placement,
                   const std::string& engine);

/// Such a placement may be wrong, but it can be looked at: a place for each buffer, in a memory
/// there is, at an address that nothing overflows.
void require_placed(const PlacementProblem& problem, const Placement& placement);
/// Such a result may be wrong, but it can be looked at and written.
void require_result(const PlacementProblem& problem, const PlacementResult& result);
/// Such a plan may be wrong, but it can be looked at and written.
void require_plan(const NetworkPlan& plan);
void require_reference(const PlanReference& reference);

}  // namespace tessera::validation
