// Greedy placement as an engine, for --engine greedy.
//
//   auto engine = make_greedy_engine("skyline");
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

/// Finds placements or stops (Status::unknown); never proves infeasibility.
/// order: "all", or one of greedy_engine_orders().
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_greedy_engine(
    const std::string& order = "all");

/// The orders of first fit (greedy.h), and "skyline": row by row, the lowest open place is filled
/// with the buffer of the longest life that fits there in time, or raised if there is none
/// (Sekiyama, Imamichi, Imai and Raymond, arXiv 1804.10001).
[[nodiscard]] std::vector<std::string> greedy_engine_orders();

}  // namespace tessera::search
