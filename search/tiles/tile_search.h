// The largest tile of a subgraph that fits.
//
//   Subgraph part = make_subgraph(net, {first, last});
//   TileSearchResult found = find_tile(part, hardware, {.engine = engine.get()});
//   if (found.status == Status::feasible) use(found.grid, found.lowering, found.placements);
//
// The largest tile has the fewest tiles in the grid. Among equals it has the fewest cuts along W,
// then C, then H (rows of a tile stay contiguous in memory), then the most even cut. The result is
// exact. Sizes are not monotone in the tile, because an inner tile has a halo on two sides and an
// edge tile on one. Therefore a shape is passed over only if - its first tile, which grows with
// every extent, is at least as large as a refuted one; - a tile's sizes are all at least those of a
// refuted one (dominance); or - the load of one step exceeds the capacity.
//
// A shape is accepted without an engine only if each of its tiles fits at the offsets of an earlier
// placement, as verified by the checker. All distinct tiles have to fit. The problem is loaded into
// one session; probes only replace sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "tessera/effort.h"
#include "tessera/hardware.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"
#include "tiling/subgraph.h"

namespace tessera::search {

struct TileSearchParams {
  TileVariant options;
  /// Decides what bounds and dominance cannot.
  /// require: supports every problem lowered here.
  engine::PlacementEngine* engine = nullptr;
  Budget budget;  ///< of the whole search
  /// Search nodes per query. Beyond it the query is `unknown` and counts as not fitting.
  std::int64_t nodes_per_question = nodes_per_tile_question;
  std::chrono::nanoseconds time_per_question{0};  ///< 0: only the budget
  std::uint64_t seed = 0;
  /// Shapes with fewer tiles are known not to fit (from a search with more free space).
  std::int64_t fewest_tiles = 1;
  /// Shapes with more tiles are not explored (TileSearchResult::cut).
  std::int64_t most_tiles = std::numeric_limits<std::int64_t>::max();
  /// Returns another such limit; called once a single tile does not fit. May be empty.
  std::function<std::int64_t()> find_most_tiles;
  /// Other threads that may test shapes.
  struct Together {
    std::function<bool()> wanted;  ///< is one of them idle?
    /// Calls `work` with the geometry of the search, and in other threads with geometries of the
    /// same subgraph; returns when all have ended. Empty: no other threads.
    std::function<void(const std::function<void(tiling::TileGeometry&)>& work)> run;
  };
  Together together{};
  // Switches of the rules; no result depends on them.
  bool bounds = true;      ///< refute by the load of a step
  bool dominance = true;   ///< refute sizes that are at least as large as refuted ones
  bool carry_over = true;  ///< accept sizes that fit at the offsets of an earlier placement
  bool sessions = true;    ///< load the problem once; false: a new problem for every query
  /// Test only this shape.
  /// require: axes that cannot be cut are whole.
  std::optional<tiling::TileShape> only;
  std::vector<tiling::TileShape> before_only;  ///< tested before it, for the probes alone
  bool all = false;  ///< also list every feasible shape that no other feasible shape contains
  bool record_probes = false;
  /// Called for every evaluated shape with its verdict. May be empty; must be quick.
  std::function<void(std::int64_t tiles, Status verdict)> evaluated;
};

enum class DecidedBy : std::uint8_t {
  bound,       ///< the load of a step, or a first tile at least as large as a refuted one
  dominance,   ///< at least as large as refuted sizes
  carry_over,  ///< fits at the offsets of an earlier placement
  engine,
};
[[nodiscard]] std::string_view to_string(DecidedBy by);

struct TileProbe {
  tiling::TileShape shape;
  std::int64_t tiles = 0;
  Status verdict = Status::unknown;
  DecidedBy decided_by = DecidedBy::engine;
  double seconds = 0;
  std::string_view step{};  ///< as engine::SearchResult
  std::int64_t kept = 0;    ///< as engine::SearchResult
};

struct TileCounters {
  std::int64_t shapes = 0;       ///< evaluated
  std::int64_t passed_over = 0;  ///< refuted in groups, without individual tests
  std::int64_t questions = 0;    ///< distinct tiles that had to be decided
  std::int64_t by_bound = 0;
  std::int64_t by_dominance = 0;
  std::int64_t by_carry_over = 0;
  std::int64_t by_engine = 0;
  std::int64_t unknown = 0;  ///< queries that a limit ended
  double engine_seconds = 0;
};

struct TileSearchResult {
  Status status = Status::unknown;  ///< infeasible: proved that no shape fits
  StopReason stop = StopReason::completed;
  tiling::TileShape shape;
  tiling::TileGrid grid;
  tiling::Lowering lowering;
  std::vector<std::vector<Size>> demands;  ///< of the grid (tiling/lower.h)
  std::vector<Placement> placements;       ///< one per demand
  /// Shapes with fewer tiles whose query reached a limit: a better tile may exist.
  std::vector<tiling::TileShape> undecided;
  /// All shapes after the last of `undecided` are undecided, too: the query of the smallest
  /// possible tile reached a limit, and these have no fewer tiles.
  bool given_up = false;
  std::vector<tiling::TileShape> maximal;  ///< with `all`
  /// There are shapes above the tile limits that might fit; then the status is not `infeasible`.
  bool cut = false;
  Size lacking = 0;  ///< bytes by which the smallest tile (or `only`) exceeds the load test
  std::vector<TileProbe> probes;
  TileCounters counters;
};

/// require: params.engine is set; the hardware has an on-chip memory.
/// ensure: placements pass the checker for the demands' sizes.
[[nodiscard]] TileSearchResult find_tile(const tiling::Subgraph& subgraph, const Hardware& hardware,
                                         const TileSearchParams& params);
/// The same with a geometry that several searches share.
/// require: geometry.halo() == params.options.halo.
[[nodiscard]] TileSearchResult find_tile(tiling::TileGeometry& geometry, const Hardware& hardware,
                                         const TileSearchParams& params);

}  // namespace tessera::search
