// Includes all of Tessera's public API.
//
//   PlacementProblem problem;
//   problem.memories.push_back({.name = "sram", .capacity = 12});
//   problem.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 4});
//   problem.buffers.push_back({.id = "b", .live = {{1, 2}}, .size = 8});
//   const PlacementResult result = place(problem, {});
//   if (result.status == Status::feasible) std::cout << result.placement->places[0].offset;
//
// Asking:     place.h, code_rules.h, session.h (again and again), tile.h, plan.h, pinnable.h,
//             batch.h, commands.h, explain.h, explore.h, order.h, schedule.h, engines.h
// Checking:   check.h, check_result.h, validate.h, hardware_check.h
// Files:      files.h, profile.h, import.h, export.h, generate.h
// Values:     problem.h, rules.h, input.h, placement.h, claim.h, hardware.h, silicon.h, network.h,
//             network_plan.h, plan_scope.h, graph.h, tile_graph.h, limits.h, effort.h
#pragma once

#include "api.h"
#include "batch.h"
#include "check.h"
#include "check_result.h"
#include "claim.h"
#include "code_rules.h"
#include "commands.h"
#include "effort.h"
#include "engines.h"
#include "errors.h"
#include "explain.h"
#include "explore.h"
#include "export.h"
#include "files.h"
#include "generate.h"
#include "graph.h"
#include "hardware.h"
#include "hardware_check.h"
#include "import.h"
#include "input.h"
#include "limits.h"
#include "names.h"
#include "network.h"
#include "network_plan.h"
#include "network_shapes.h"
#include "network_stats.h"
#include "order.h"
#include "pinnable.h"
#include "place.h"
#include "placement.h"
#include "plan.h"
#include "plan_scope.h"
#include "problem.h"
#include "profile.h"
#include "report.h"
#include "rules.h"
#include "schedule.h"
#include "session.h"
#include "silicon.h"
#include "switches.h"
#include "tile.h"
#include "tile_graph.h"
#include "units.h"
#include "validate.h"
#include "version.h"
