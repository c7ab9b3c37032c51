// Modes for buffers that have their places: which roles each step leaves to each bank, and among
// the schedules that keep them one that switches least.
//
//   std::optional<ModeSchedule> modes = settle_modes(problem, places);        // one after the
//   other std::optional<ModeSchedule> again = settle_modes(problem, places, cycle); // over and
//   over again std::vector<std::int64_t> switches = mode_switches(*modes, {});           // per
//   step
//
// A switch is a step whose mode is another than that of the step before, in any memory. Steps
// follow each other in a line, or in a cycle: then the first follows the last, and where one pass
// of the cycle is shorter than the schedule (two halves of a double-buffered tile), the same
// position of every pass counts once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::facts {

/// modes[m][t], as Placement::modes.
using ModeSchedule = std::vector<std::vector<std::string>>;

/// Per position: how many memories switch before it. A line has a position for each step; a cycle
/// has `cycle` of them.
[[nodiscard]] std::vector<std::int64_t> mode_switches(const ModeSchedule& modes,
                                                      std::optional<Step> cycle);

/// Nothing where the places leave some step without a mode.
/// require: one place per buffer, each inside its memory; with a cycle the horizon is one or two
/// times its length.
/// ensure: places and schedule keep every rule about modes; no schedule has fewer switches.
[[nodiscard]] std::optional<ModeSchedule> settle_modes(const PlacementProblem& problem,
                                                       const std::vector<BufferPlace>& places,
                                                       std::optional<Step> cycle = std::nullopt);

}  // namespace tessera::facts
