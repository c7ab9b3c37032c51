// A plan as a timeline for drawing: addresses in each memory over time, and traffic on the off-chip
// bus.
//
//   PlanChart chart = plan_chart(network, hardware, plan);      // planner/chart.h
//   write_output("plan.svg", plan_picture_svg(chart));          // plan_picture.h
//
// Times are cycles from the beginning of the plan. Private to io/ and planner/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/problem.h"

namespace tessera::io {

/// Role of a buffer in its group of ops; determines its colour.
enum class ChartKind : std::uint8_t {
  weights,
  input,         ///< loaded; off-chip: input of the network
  output,        ///< stored; off-chip: output of the network
  intermediate,  ///< made and used within one group
  kept,          ///< resident on chip across groups
  halo,          ///< kept from tile to tile
  copy,          ///< for engines that cannot access the memory of the original
  between,       ///< off-chip, from one group to later ones
};
inline constexpr std::size_t chart_kinds = 8;

struct ChartBuffer {
  std::string name;
  ChartKind kind = ChartKind::intermediate;
  AddressRange bytes;
  double begin = 0;
  double end = 0;
};

struct ChartMode {
  std::string name;
  double begin = 0;
  double end = 0;
};

struct ChartMemory {
  Memory space;
  bool offchip = false;
  Size height = 0;  ///< the largest end of a buffer
  std::vector<ChartBuffer> buffers;
  std::vector<ChartMode> modes;  ///< empty if the memory has no modes
};

/// Ops that run in parallel share the height of their lane.
enum class ChartLane : std::uint8_t { all, upper, lower };

/// One op processing one of its tiles.
struct ChartOp {
  std::string name;
  std::size_t index = 0;  ///< index in the network
  double begin = 0;
  double end = 0;
  ChartLane lane = ChartLane::all;
};

struct ChartRun {
  std::string about;  ///< sentences for a tooltip
  double begin = 0;
  double end = 0;
  std::int64_t tiles = 1;
  /// fewer than `tiles`: the drawn tiles, stretched over the time of the group
  std::int64_t shown = 1;
  double utilisation = 0;  ///< of the array
};

/// Bytes per time window on the bus.
struct ChartTraffic {
  std::string memory;
  double window = 1;  ///< cycles
  std::vector<double> read;
  std::vector<double> written;
  double limit = 0;        ///< bytes per cycle; 0: unknown
  double write_limit = 0;  ///< if writes have separate bandwidth; otherwise 0
};

struct PlanChart {
  std::string title;
  std::string summary;
  double cycles = 1;
  double clock_hz = 0;
  std::size_t ops_of_network = 0;
  std::vector<ChartRun> runs;
  std::vector<ChartOp> ops;
  std::vector<ChartMemory> memories;
  ChartTraffic traffic;
};

}  // namespace tessera::io
