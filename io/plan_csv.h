// The layers of a plan as a table for spreadsheets: one line per op.
//
//   write_file("plan.csv", write_plan_csv(plan));
#pragma once

#include <string>

#include "tessera/network_plan.h"

namespace tessera::io {

/// Columns: op, kind, subgraph, tiles, compute_cycles, cycles, offchip_bytes, energy_pj, bound_by,
/// and those of the accounting, which depend on the memories.
[[nodiscard]] std::string write_plan_csv(const NetworkPlan& plan);

}  // namespace tessera::io
