// Graphs of matrices on an abstract tile machine: the problems and schedules of the MLSys 2026
// contest.
//
//   TileGraph graph{.tensors = {{128, 128}, {128, 128}}, .capacity = 40000, .bandwidth = 10};
//   graph.ops = {{.kind = TileOpKind::pointwise, .inputs = {0}, .output = 1, .cost = 9}};
//   graph.native = {128, 128, 128};
//   assert(check_tile_graph(graph).empty());
//   TileSchedule schedule{{{.ops = {0}, .granularity = {128, 128, 1}}}};
//   TileScheduleVerdict verdict = check_tile_schedule(graph, schedule, TileReading::standard);
//   if (verdict.wrong.empty()) std::cout << verdict.latency;
//
// A step runs a connected set of ops tile by tile. Its intermediate tensors need neither memory nor
// time; its inputs and outputs move between slow and fast memory, unless they are retained. An op
// may run in several steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "units.h"

namespace tessera {

/// A matrix; its size in fast memory is width * height.
struct TileTensor {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

enum class TileOpKind : std::uint8_t { matmul, pointwise };

/// An op. A matmul has a left and a right operand.
struct TileOp {
  TileOpKind kind = TileOpKind::pointwise;
  std::vector<std::size_t> inputs{};  ///< positions in TileGraph::tensors
  std::size_t output = 0;
  std::int64_t cost = 0;  ///< compute time of a tile of the native granularity
};

/// Width and height of a tile of the output, and the length of a part of a reduction.
struct Granularity {
  std::int64_t width = 1;
  std::int64_t height = 1;
  std::int64_t depth = 1;
  friend bool operator==(const Granularity&, const Granularity&) = default;
};

struct TileGraph {
  std::string name{};
  std::vector<TileTensor> tensors{};
  std::vector<TileOp> ops{};
  std::int64_t capacity = 0;   ///< of fast memory, in elements
  std::int64_t bandwidth = 1;  ///< elements per unit of time
  Granularity native{};
};

/// How a rule is read where the text of the contest is silent: as its examples force, or as its
/// organisers ruled later.
enum class TileReading : std::uint8_t { standard, rulings };

/// "default" or "rulings".
[[nodiscard]] TESSERA_API std::string_view to_string(TileReading reading);

/// One step: its ops run together.
struct TileStep {
  std::vector<std::size_t> ops{};
  Granularity granularity{};
  std::vector<std::size_t> retained{};  ///< outputs that stay in fast memory for the next step
  /// The order of the tiles, numbered row by row; empty: row by row.
  std::optional<std::vector<std::size_t>> traversal{};
};

struct TileSchedule {
  std::vector<TileStep> steps{};
};

/// The result of check_tile_schedule().
struct TileScheduleVerdict {
  std::vector<std::string> wrong{};  ///< sentences; empty: the schedule is valid
  double latency = 0;
  std::vector<double> latencies{};  ///< per step
  std::int64_t peak = 0;            ///< the largest use of fast memory
  std::int64_t moved = 0;           ///< elements read from and written to slow memory
};

/// All errors of a graph, as sentences: indices and sizes in range, shapes that match, one op per
/// tensor, no cycle.
[[nodiscard]] TESSERA_API std::vector<std::string> check_tile_graph(const TileGraph& graph);

/// Evaluates a schedule, independently of the search. require: check_tile_graph(graph) is empty.
[[nodiscard]] TESSERA_API TileScheduleVerdict check_tile_schedule(const TileGraph& graph,
                                                                  const TileSchedule& schedule,
                                                                  TileReading reading);

}  // namespace tessera
