// A plan as it runs, ready to be drawn: what lies where in each memory from when to when, what the
// bus off the chip carries.
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

/// What a buffer is to the run of ops that has it, and colours mean.
enum class ChartKind : std::uint8_t {
  weights,
  input,         ///< loaded; off the chip: of the network
  output,        ///< stored; off the chip: of the network
  intermediate,  ///< made and used within one run
  kept,          ///< stays on the chip from run to run
  halo,          ///< stays from tile to tile
  copy,          ///< for engines that do not reach where it was made
  between,       ///< off the chip, from one run to later ones
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
  std::vector<ChartMode> modes;  ///< none where the memory has none
};

/// Ops that work side by side share the height of their lane.
enum class ChartLane : std::uint8_t { all, upper, lower };

/// One op while one of its tiles is at work.
struct ChartOp {
  std::string name;
  std::size_t index = 0;  ///< in the network
  double begin = 0;
  double end = 0;
  ChartLane lane = ChartLane::all;
};

struct ChartRun {
  std::string about;  ///< sentences for whoever asks for more
  double begin = 0;
  double end = 0;
  std::int64_t tiles = 1;
  std::int64_t shown = 1;  ///< fewer than `tiles`: these, stretched over the time of the run
  double utilisation = 0;  ///< of the array
};

/// Bytes per window of time on the bus.
struct ChartTraffic {
  std::string memory;
  double window = 1;  ///< cycles
  std::vector<double> read;
  std::vector<double> written;
  double limit = 0;        ///< bytes per cycle; 0: unknown
  double write_limit = 0;  ///< where writing has a way of its own; else 0
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
