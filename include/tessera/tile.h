// The largest tile of a run of ops that fits a machine's memories, and how that was found out.
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
// Every variant the profile lists (double buffering, weights, halo) is tried, in as many threads as
// the limits allow; the one with the fewest tiles is reported, the first of equals. Its placements
// have passed the checker.
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

/// All combinations of a profile's lists, in their order; `tile` searches with nothing stationary.
[[nodiscard]] TESSERA_API std::vector<TileVariant> tile_variants(const TilingOptions& options);

/// What a search for a tile in progress can say about itself.
struct TileProgress {
  std::size_t variants = 0;                    ///< to be looked at
  std::size_t finished = 0;                    ///< of them
  std::int64_t shapes = 0;                     ///< looked at, of all variants
  std::optional<std::int64_t> fewest_tiles{};  ///< of a shape that fits
};

struct TileParams {
  OpRange ops{};
  std::vector<TileVariant> variants{};  ///< empty: those of the profile
  /// C, H, W of a tile, 0 for the whole extent: this shape alone, does it fit? Then nothing is
  /// searched for, and the first variant that takes it is reported.
  std::optional<std::array<Dim, 3>> shape{};
  std::string engine = "auto";  ///< auto: the first that supports the hardware's rules
  Limits limits{};
  std::optional<std::chrono::nanoseconds> question_timeout{};  ///< of one question to the engine
  std::int64_t nodes_per_question = nodes_per_tile_question;
  bool incremental = true;  ///< false: no rule, no session; every question anew
  bool all = false;         ///< every largest shape, not only the one with the fewest tiles
  /// Called from the searching threads, one at a time; must be quick.
  std::function<void(const TileProgress&)> progress{};
};

/// One shape that was looked at.
struct ProbeReport {
  std::array<Dim, 3> extent{1, 1, 1};  ///< C, H, W
  std::int64_t tiles = 1;
  Status verdict = Status::unknown;
  std::string decided_by{};  ///< bound, dominance, carry-over or engine
  double seconds = 0;
};

struct TileReport {
  Status status = Status::unknown;  ///< infeasible: no shape fits, proved
  StopReason stop = StopReason::completed;
  TileVariant variant{};
  std::string engine{};
  std::string anchor{};  ///< the tensor that is cut
  std::array<Dim, 3> whole{1, 1, 1};
  std::array<bool, 3> divisible{false, false, false};
  std::array<Dim, 3> extent{1, 1, 1};
  std::array<Dim, 3> counts{1, 1, 1};
  /// No shape with fewer tiles was left undecided by a limit. Never for TileParams::shape.
  bool proven_largest = false;
  std::vector<PlannedPlacement> placements{};  ///< together they hold every distinct tile
  std::vector<std::array<Dim, 3>> all{};       ///< with TileParams::all
  std::vector<ProbeReport> probes{};
  /// Where no shape fits: bytes the smallest tile needs beyond the memory (of TileParams::shape:
  /// that its busiest step is over, sizes rounded up); 0 where there are enough, and it is the
  /// rules about banks, modes or several memories that no arrangement keeps. A limit (`stop`) may
  /// come before all tiles were looked at: then it may be more, and 0 says nothing.
  Size lacking = 0;
  std::string reason{};  ///< a sentence where there is no tile
  Stats stats{};
  double seconds = 0;

  [[nodiscard]] std::int64_t tile_count() const { return counts[0] * counts[1] * counts[2]; }
};

/// Throws BadInput for ops outside the network, a shape that no tile of them has, hardware without
/// on-chip memory and engines that do not support it; InternalError where the checker refuses a
/// placement.
[[nodiscard]] TESSERA_API TileReport find_largest_tile(const Network& network,
                                                       const Hardware& hardware,
                                                       const TileParams& params);

[[nodiscard]] TESSERA_API std::string tile_json(const TileReport& report);

}  // namespace tessera
