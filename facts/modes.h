// Mode schedules for given places. The accesses of each step restrict the roles of each bank; among
// the schedules that satisfy them, these functions find one with the fewest switches.
//
//   std::optional<ModeSchedule> once = resolve_modes(problem, places);
//   std::optional<ModeSchedule> cyclic = resolve_modes(problem, places, cycle);
//   std::vector<std::int64_t> switches = mode_switches(*once, {});        // per step
//
// A switch is a step whose mode differs from that of the step before, in any memory. Steps form a
// line or a cycle. In a cycle the first step follows the last. If a pass of the cycle is shorter
// than the schedule (two halves of a double-buffered tile), the same position in all passes counts
// once.
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

/// Per position, the number of memories that switch before it. A line has one position per step,
/// and a cycle has `cycle` positions.
[[nodiscard]] std::vector<std::int64_t> mode_switches(const ModeSchedule& modes,
                                                      std::optional<Step> cycle);

/// The schedule with the fewest switches; nothing if some step permits no mode.
/// require: one place per buffer, each inside its memory; with a cycle, the horizon is one or two
/// times its length.
/// ensure: places and schedule satisfy every rule about modes; no schedule has fewer switches.
[[nodiscard]] std::optional<ModeSchedule> resolve_modes(const PlacementProblem& problem,
                                                        const std::vector<BufferPlace>& places,
                                                        std::optional<Step> cycle = std::nullopt);

}  // namespace tessera::facts
