// Searches for a schedule of least latency on the tile machine of the MLSys 2026 contest.
//
//   TileGraph graph = load_tile_graph("problem.json");
//   ScheduleResult best = schedule_ops(graph, {});
//   std::cout << best.latency << ", at least " << best.bound << '\n';
//   write_output("solution.json", tile_schedule_json(best));  // files.h
//
// The search chooses the order of the steps, the ops of each (an op may run in several), its
// granularity and order of tiles, and the tensors that stay in fast memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "limits.h"
#include "placement.h"
#include "tile_graph.h"

namespace tessera {

/// Work units of the named efforts.
inline constexpr std::int64_t schedule_work_quick = 1'000'000;
inline constexpr std::int64_t schedule_work_normal = 20'000'000;
inline constexpr std::int64_t schedule_work_thorough = 200'000'000;

struct ScheduleParams {
  TileReading reading = TileReading::standard;
  /// `limits.work` only lowers it.
  std::int64_t work = schedule_work_normal;
  Limits limits{};
};

struct ScheduleResult {
  /// `infeasible`: proved that no schedule fits the fast memory. `unknown`: a limit ended the
  /// search.
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  TileReading reading = TileReading::standard;
  TileSchedule schedule{};
  std::vector<double> latencies{};  ///< per step
  double latency = 0;
  /// No schedule is faster, of those whose tiles run row by row or in a snake, and whose steps
  /// write each output of the graph that they make.
  double bound = 0;
  bool proved = false;  ///< latency == bound
  std::int64_t peak = 0;
  double seconds = 0;
  Stats stats{};
};

/// Equal graphs and work give equal schedules.
/// ensure: a schedule passes check_tile_schedule(). throws: BadInput if the graph is invalid.
[[nodiscard]] TESSERA_API ScheduleResult schedule_ops(const TileGraph& graph,
                                                      const ScheduleParams& params = {});

/// Is this file a problem of the contest? False for a file that cannot be read twice.
[[nodiscard]] TESSERA_API bool is_tile_graph_file(const std::string& path);
/// Throw BadInput.
[[nodiscard]] TESSERA_API TileGraph load_tile_graph(const std::string& path);
[[nodiscard]] TESSERA_API TileGraph read_tile_graph_text(std::string_view text,
                                                         const std::string& name);
[[nodiscard]] TESSERA_API TileSchedule load_tile_schedule(const std::string& path);
[[nodiscard]] TESSERA_API TileSchedule read_tile_schedule_text(std::string_view text,
                                                               const std::string& name);

/// The schedule in the format of the contest. require: a schedule was found.
[[nodiscard]] TESSERA_API std::string tile_schedule_json(const ScheduleResult& result);
/// The result with bound and gap, as JSON.
[[nodiscard]] TESSERA_API std::string schedule_json(const ScheduleResult& result);

}  // namespace tessera
