// Preconditions of public calls: every value of a public struct leads to a result or an error
// message. Private to the modules that implement the public API.
//
//   require_valid(problem);
//   require_placed(problem, placement);
//
// Each function throws BadInput, unless stated otherwise, with the message that the reader of a
// file would give.
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

/// The checker decides: a result it rejects is a bug and is never returned. Throws InternalError.
void require_right(const PlacementProblem& problem, const Placement& placement,
                   const std::string& engine);

/// The placement may be invalid, but it can be inspected: a place for each buffer, in an existing
/// memory, at an address without overflow.
void require_placed(const PlacementProblem& problem, const Placement& placement);
/// The result may be invalid, but it can be inspected and written.
void require_result(const PlacementProblem& problem, const PlacementResult& result);
/// The plan may be invalid, but it can be inspected and written.
void require_plan(const NetworkPlan& plan);
void require_reference(const PlanReference& reference);

}  // namespace tessera::validation
