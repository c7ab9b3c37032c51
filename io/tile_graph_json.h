// Reads problems of the MLSys 2026 contest, and reads and writes its solutions.
//
//   TileGraph graph = read_tile_graph_json(text, "problem.json");
//   std::string solution = write_tile_schedule_json(schedule, latencies);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/tile_graph.h"

namespace tessera::io {

/// Does this text have the keys of a problem, or of a solution?
[[nodiscard]] bool is_tile_graph_json(std::string_view text);

/// `file` is for messages. Throws InputError. ensure: check_tile_graph(result) is empty.
[[nodiscard]] TileGraph read_tile_graph_json(std::string_view text, const std::string& file);

/// The latencies in the file are not read. Throws InputError.
[[nodiscard]] TileSchedule read_tile_schedule_json(std::string_view text, const std::string& file);

/// require: a latency per step.
[[nodiscard]] std::string write_tile_schedule_json(const TileSchedule& schedule,
                                                   const std::vector<double>& latencies);

}  // namespace tessera::io
