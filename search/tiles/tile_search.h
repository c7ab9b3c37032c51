// The largest tile of a subgraph that fits.
//
//   Subgraph part = make_subgraph(net, {first, last});
//   TileSearchResult found = find_tile(part, hardware, {.engine = engine.get()});
//   if (found.status == Status::feasible) use(found.grid, found.lowering, found.placements);
//
// "Largest" is the fewest tiles; among equals the fewest cuts along W, then C, then H (rows of a
// tile stay contiguous in memory), then the most even cut. The answer is exact: sizes are not
// monotone in the tile (an inner tile has a halo on two sides, an edge tile on one), so a shape is
// only passed over when that is justified:
//   - its first tile, which does grow with every extent, is no smaller than one that was refuted
//   - a tile's sizes are all at least those of one that was refuted (dominance)
//   - the load of one step is over the capacity
// and it is only accepted without an engine when each of its tiles fits at the offsets of one that
// was placed, by the checker's word. All distinct tiles have to fit. The problem's structure is
// loaded into one session; from probe to probe only sizes are replaced.
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
  /// Decides what bounds and dominance cannot. require: supports every problem lowered here.
  engine::PlacementEngine* engine = nullptr;
  Budget budget;  ///< of the whole search
  std::int64_t nodes_per_question =
      nodes_per_tile_question;                    ///< more is `unknown`, and counts as "no"
  std::chrono::nanoseconds time_per_question{0};  ///< 0: only the budget
  std::uint64_t seed = 0;
  /// Shapes with fewer tiles are known not to fit (from a search with more room).
  std::int64_t fewest_tiles = 1;
  /// Shapes with more tiles are not looked at (TileSearchResult::cut).
  std::int64_t most_tiles = std::numeric_limits<std::int64_t>::max();
  /// Asked for another such limit once one tile does not do. May be empty.
  std::function<std::int64_t()> find_most_tiles;
  /// Others who may test shapes.
  struct Together {
    std::function<bool()> wanted;  ///< has one of them nothing to do just now?
    /// Calls `work` with the geometry of the search, and in other threads with geometries of the
    /// same subgraph, until it came back everywhere. Empty: there are no others.
    std::function<void(const std::function<void(tiling::TileGeometry&)>& work)> run;
  };
  Together together{};
  // Each rule can be switched off; none changes the answer.
  bool bounds = true;      ///< refute by the load of a step
  bool dominance = true;   ///< refute what is at least as large as something refuted
  bool carry_over = true;  ///< accept what fits at the offsets of an earlier placement
  bool sessions = true;    ///< load the problem once; false: a new problem for every question
  /// This shape alone: does it fit?  require: no axis that cannot be cut is.
  std::optional<tiling::TileShape> only;
  bool all = false;  ///< also list every feasible shape no other feasible shape contains
  bool record_probes = false;
  /// Told of every shape that was looked at, and of what came out. May be empty; must be quick.
  std::function<void(std::int64_t tiles, Status verdict)> looked_at;
};

enum class DecidedBy : std::uint8_t {
  bound,       ///< the load of a step, or a first tile no smaller than a refuted one
  dominance,   ///< at least as large as refuted sizes
  carry_over,  ///< fits at the offsets of sizes placed before
  engine,
};
[[nodiscard]] std::string_view to_string(DecidedBy by);

struct TileProbe {
  tiling::TileShape shape;
  std::int64_t tiles = 0;
  Status verdict = Status::unknown;
  DecidedBy decided_by = DecidedBy::engine;
  double seconds = 0;
};

struct TileCounters {
  std::int64_t shapes = 0;       ///< looked at
  std::int64_t passed_over = 0;  ///< whole groups of shapes refuted without looking at each
  std::int64_t questions = 0;    ///< distinct tiles that had to be decided
  std::int64_t by_bound = 0;
  std::int64_t by_dominance = 0;
  std::int64_t by_carry_over = 0;
  std::int64_t by_engine = 0;
  std::int64_t unknown = 0;  ///< questions a limit ended
  double engine_seconds = 0;
};

struct TileSearchResult {
  Status status = Status::unknown;  ///< infeasible: no shape fits, proved
  StopReason stop = StopReason::completed;
  tiling::TileShape shape;
  tiling::TileGrid grid;
  tiling::Lowering lowering;
  std::vector<std::vector<Size>> demands;  ///< of the grid (tiling/lower.h)
  std::vector<Placement> placements;       ///< one per demand
  /// Shapes with fewer tiles whose question a limit ended: a better tile may exist.
  std::vector<tiling::TileShape> undecided;
  /// All shapes behind the last of `undecided` are so, too: the question of the smallest tile there
  /// is was ended by a limit, and these have no fewer tiles.
  bool given_up = false;
  std::vector<tiling::TileShape> maximal;  ///< with `all`
  /// There are shapes with more tiles than the limits allow, which might fit; `infeasible` is not
  /// said.
  bool cut = false;
  Size lacking =
      0;  ///< where even the smallest tile (or `only`) is over the load: by how many bytes
  std::vector<TileProbe> probes;
  TileCounters counters;
};

/// require: params.engine is set; the hardware has at least one on-chip memory.
/// ensure: placements pass the checker for the demands' sizes.
[[nodiscard]] TileSearchResult find_tile(const tiling::Subgraph& subgraph, const Hardware& hardware,
                                         const TileSearchParams& params);
/// The same where several searches share what shapes have in common.
/// require: geometry.halo() == params.options.halo.
[[nodiscard]] TileSearchResult find_tile(tiling::TileGeometry& geometry, const Hardware& hardware,
                                         const TileSearchParams& params);

}  // namespace tessera::search
