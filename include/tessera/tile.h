// Finds the largest tile of a group of ops that fits a machine's memories.
//
//   TileReport found = find_largest_tile(net, hardware, {.ops = {3, 7}});
//   if (found.status == Status::feasible)
//     std::cout << found.counts[0] * found.counts[1] * found.counts[2] << " tiles\n";
//
//   // And does a tile of 32 channels, 8 rows and the whole width fit?
//   if (find_largest_tile(net, hardware, {.ops = {3, 7}, .shape = {{32, 8, 0}}}).status ==
//       Status::infeasible)
//     std::cout << "no\n";
//
// Every variant of the profile (double buffering, weights, halo) is tried, in as many threads as
// the limits permit. The result is the variant with the fewest tiles, the first among equals. The
// checker has accepted its placements.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api.h"
#include "effort.h"
#include "errors.h"
#include "hardware.h"
#include "limits.h"
#include "network.h"
#include "network_plan.h"
#include "placement.h"

namespace tessera {

/// "double buffer, weights resident, halo recomputed"
[[nodiscard]] TESSERA_API std::string to_string(const TileVariant& variant);

/// All combinations of a profile's lists, in order. Without variants that have a stationary
/// operand.
[[nodiscard]] TESSERA_API std::vector<TileVariant> tile_variants(const TilingOptions& options);

/// The state of a running tile search.
struct TileProgress {
  std::size_t variants = 0;                    ///< variants to try
  std::size_t finished = 0;                    ///< variants finished
  std::int64_t shapes = 0;                     ///< shapes evaluated, of all variants
  std::optional<std::int64_t> fewest_tiles{};  ///< of a shape that fits
};

/// Data of earlier queries that a query may use. No result depends on it.
enum class Reuse : std::uint8_t {
  all,   ///< results, and the session of the engine with what it learned
  memo,  ///< results only: each query that they do not decide goes to a new solver
  none,
};

/// Parameters of find_largest_tile().
struct TileParams {
  OpRange ops{};
  std::vector<TileVariant> variants{};  ///< empty: those of the profile
  /// C, H, W of a tile; 0 is the whole extent. Tests this shape only, and reports the first variant
  /// in which it fits.
  std::optional<std::array<Dim, 3>> shape{};
  /// With `shape`: shapes to test before it in the same session. Their results are in
  /// TileReport::probes.
  std::vector<std::array<Dim, 3>> earlier_shapes{};
  std::string engine = "auto";  ///< auto: the first solver that supports the hardware's rules
  Limits limits{};
  std::optional<std::chrono::nanoseconds> question_timeout{};  ///< per query to the solver
  std::int64_t nodes_per_question = nodes_per_tile_question;
  Reuse reuse = Reuse::all;
  bool all = false;  ///< return every maximal shape, not only the one with the fewest tiles
  /// Called from the searching threads, one at a time; must be quick.
  std::function<void(const TileProgress&)> progress{};
};

/// A shape that was evaluated.
struct ProbeReport {
  std::array<Dim, 3> extent{1, 1, 1};  ///< C, H, W
  std::int64_t tiles = 1;
  Status verdict = Status::unknown;
  std::string decided_by{};  ///< bound, dominance, carry-over or engine
  double seconds = 0;
  TileVariant variant{};
  /// With `engine`: the step that decided it without a search (load, order, first fit, repair);
  /// empty: the search of the engine.
  std::string step{};
  std::int64_t kept = 0;  ///< lemmas of earlier queries that this search used
};

/// The result of find_largest_tile().
struct TileReport {
  Status status = Status::unknown;  ///< infeasible: proved that no shape fits
  StopReason stop = StopReason::completed;
  TileVariant variant{};
  std::string engine{};
  std::string anchor{};  ///< the tensor that is tiled
  std::array<Dim, 3> whole{1, 1, 1};
  std::array<bool, 3> divisible{false, false, false};
  std::array<Dim, 3> extent{1, 1, 1};
  std::array<Dim, 3> counts{1, 1, 1};
  /// No shape with fewer tiles is unresolved because of a limit. Always false with
  /// TileParams::shape.
  bool proven_largest = false;
  std::vector<PlannedPlacement> placements{};  ///< together they cover every distinct tile
  std::vector<std::array<Dim, 3>> all{};       ///< only with TileParams::all
  std::vector<ProbeReport> probes{};           ///< of all variants, in order
  /// If no shape fits: the bytes that the smallest tile needs beyond the memory (with
  /// TileParams::shape: the excess of its busiest step, with sizes rounded up). 0 if the bytes
  /// suffice and the rules about banks, modes or several memories prevent a placement. After a
  /// limit (`stop`) the true value may be larger, and 0 means unknown.
  Size lacking = 0;
  std::string reason{};  ///< a sentence if there is no tile
  Stats stats{};
  double seconds = 0;

  [[nodiscard]] std::int64_t tile_count() const { return counts[0] * counts[1] * counts[2]; }
};

/// Searches for the largest tile.
/// throws: BadInput for ops outside the network, an impossible shape, hardware without on-chip
/// memory, or a solver that does not support it; InternalError if the checker rejects a placement.
[[nodiscard]] TESSERA_API TileReport find_largest_tile(const Network& network,
                                                       const Hardware& hardware,
                                                       const TileParams& params);

/// The report as JSON.
[[nodiscard]] TESSERA_API std::string tile_json(const TileReport& report);

}  // namespace tessera
