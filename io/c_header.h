// Places of buffers as a header for C and C++: tables, and a macro for every offset.
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

/// `name` begins every name of the header; characters that are no letters or digits become '_'. C99
/// and C++.
[[nodiscard]] std::string write_c_header(const PlacementProblem& problem,
                                         const Placement& placement, std::string_view name);

/// One table per placement of a subgraph, with one row for both copies (ping and pong) of a tile's
/// buffer; one table of the subgraphs; one for each off-chip memory. require: the plan is feasible.
[[nodiscard]] std::string write_plan_c_header(const NetworkPlan& plan, std::string_view name);

}  // namespace tessera::io
