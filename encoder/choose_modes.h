// Modes for buffers that have their places already: the part of a placement that first fit does
// not see.
//
//   if (!choose_modes(problem, proposal)) ...    // some step has no mode that allows all of it
#pragma once

#include "model/placement.h"

namespace tessera::encoder {

/// Gives every memory with modes the first mode of each step that allows what is done in its
/// banks then; false where there is none (the modes written so far are of no use).
[[nodiscard]] bool choose_modes(const PlacementProblem& problem, Placement& placement);

/// May this buffer lie in a bank that has this role at every step?
[[nodiscard]] bool welcomes(Role role, const Buffer& buffer);

}  // namespace tessera::encoder
