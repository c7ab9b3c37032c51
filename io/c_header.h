// Where buffers lie, as a header for C and C++: tables, and a macro for every offset.
//
//   write_output("net.h", write_c_header(problem, placement, "net"));
//   write_output("plan.h", write_plan_c_header(plan, "plan"));
//
//   #include "net.h"
//   static unsigned char sram[NET_SRAM_USED];
//   float* x = (float*)(sram + NET_OFFSET_CONV1_OUT);        // or net_places[k].offset
#pragma once

#include <string>
#include <string_view>

#include "tessera/network_plan.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::io {

/// `name` begins every name of the header; what is no letter or digit becomes '_'. C99 and C++.
[[nodiscard]] std::string write_c_header(const PlacementProblem& problem,
                                         const Placement& placement, std::string_view name);

/// A table per placement of a subgraph, where two copies of a tile's buffer (ping and pong) are one
/// row, a table of the subgraphs, and one for every memory off the chip.
/// require: the plan is feasible.
[[nodiscard]] std::string write_plan_c_header(const NetworkPlan& plan, std::string_view name);

}  // namespace tessera::io
