// The cost of a group with one granularity and one order of tiles.
//
//   TileSimulation run(machine);
//   double cost = run.cost(group, {{64, 64, 32}, TileWalk::snake_rows}, infinity);
//
// Equal to the checker (model/tile_step.h), but faster. In a regular group the cost of a tile
// depends on its size, its predecessor, the visited rows and columns, and its position along mixed
// axes. Tiles and parts of the reduction that agree in that are evaluated once.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "cost/tile_machine/group.h"
#include "model/numeric.h"
#include "model/tile_rectangles.h"

namespace tessera::cost {

struct TileMachine {
  std::int64_t capacity = 0;
  std::int64_t bandwidth = 1;
  Granularity native{};
  bool rulings = false;
};

enum class TileWalk : std::uint8_t { rows, snake_rows, snake_columns };

/// Tile `at` of a walk through a grid: its row and its column.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> walk_step(TileWalk walk, std::int64_t rows,
                                                              std::int64_t columns,
                                                              std::int64_t at);

struct TileChoice {
  Granularity granularity{};
  TileWalk walk = TileWalk::rows;
};

class TileSimulation {
 public:
  explicit TileSimulation(const TileMachine& machine) : machine_(machine) {}

  /// The latency times the bandwidth, and infinity if the choice is invalid, needs more than the
  /// capacity or costs at least `limit`.
  [[nodiscard]] double cost(const TileGroup& group, const TileChoice& choice, double limit);
  /// The same for any order of the tiles.
  [[nodiscard]] double cost(const TileGroup& group, const Granularity& granularity,
                            std::span<const std::size_t> traversal);
  /// Does the first tile fit, as far as its retained outputs allow? Accumulators of reductions that
  /// are shorter than `accumulated` are not counted.
  [[nodiscard]] bool fits(const TileGroup& group, const Granularity& granularity,
                          std::int64_t accumulated = 0);
  /// The cost of a tile of full size after a tile that leaves it all that it can; 0 if that is not
  /// simple. Convex in the width and in the height, so that for every order of the tiles the mean
  /// tile costs no less than one of the mean size.
  [[nodiscard]] double least_tile(const TileGroup& group, const Granularity& granularity);
  /// Iterations simulated so far.
  [[nodiscard]] std::int64_t work() const { return work_; }
  /// Rows and columns of the grid of tiles; {0, 0} for an invalid granularity.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> grid(const TileGroup& group,
                                                           const Granularity& granularity) const;

 private:
  struct Piece {
    std::int32_t tensor = 0;
    Rectangle area{};
    bool tile_rows = false;     ///< its rows depend on the row of the tile
    bool tile_columns = false;  ///< its columns depend on the column of the tile
  };
  struct Tile {
    std::int64_t row = 0;
    std::int64_t column = 0;
    bool first = true;         ///< of all
    bool first_in_row = true;  ///< no tile of the row was visited
    bool first_in_column = true;
  };
  /// Determines the cost of a tile of a regular group.
  using Signature =
      std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, unsigned, std::uint64_t>;
  struct TileCost {
    double cost = 0;
    std::int64_t peak = 0;      ///< without what was resident before the tile
    std::int64_t retained = 0;  ///< added to what is resident
    std::uint64_t whole = 0;    ///< tensors that are loaded as a whole at the end
  };
  /// The position of the `at`-th tile.
  using Positions = std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t)>;

  bool begin(const TileGroup& group, const Granularity& granularity);
  double walk(const Positions& positions, double limit);
  Signature signature(const Tile& tile, const Tile& before, std::uint64_t whole) const;
  TileCost run_tile(const Tile& tile);
  void run_part(const Tile& tile, std::int64_t part, TileCost& sum, std::int64_t repeat);
  void rebuild_loads(const Tile& tile, std::int64_t part, bool fresh);
  void require(const Tile& tile, std::int64_t part);
  void need_tile(std::int32_t tensor, const Rectangle& area, std::int64_t part);
  void need_operand(const Piece& piece, bool along_columns);
  bool known(const Piece& piece);
  [[nodiscard]] bool made_before(const Piece& piece) const;
  std::int64_t load(std::int64_t& memory);
  std::int64_t load_rulings(std::int64_t& memory);
  std::int64_t store(std::int64_t& memory, std::int64_t& retained);
  std::int64_t store_once(const Piece& piece, bool kept, std::int64_t& memory);
  std::int64_t store_any(std::int32_t tensor, bool kept, std::int64_t& memory);
  [[nodiscard]] Rectangle all_of(std::int32_t tensor) const;
  static void group_pieces(std::vector<Piece>& pieces);
  static void drop_covered(std::vector<Piece>& pieces);
  static std::size_t end_of(const std::vector<Piece>& pieces, std::size_t begin);
  static Rectangles areas_of(const std::vector<Piece>& pieces, std::int32_t tensor);
  void find_events();
  [[nodiscard]] std::uint64_t whole_bit(std::int32_t tensor) const {
    return std::uint64_t{1} << (static_cast<std::uint32_t>(tensor) & 63U);
  }

  TileMachine machine_;
  std::int64_t work_ = 0;
  // Of one call:
  const TileGroup* group_ = nullptr;
  Granularity size_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t parts_ = 1;
  double tile_compute_ = 0;  ///< no tile costs less
  bool regular_ = false;
  std::int64_t accumulated_ = 0;
  std::vector<std::int64_t> events_;  ///< parts that differ from the part before
  Tile tile_;
  // Of one iteration:
  double compute_ = 0;
  std::vector<Piece> loads_, before_, outputs_, accumulators_, seen_;
  std::vector<char> seen_tiles_;
  std::uint64_t whole_ = 0;
  // Made so far: in this tile (regular groups) or in this call.
  std::vector<Piece> known_;
  std::set<std::pair<std::int32_t, Rectangle>> known_ever_;
  std::vector<Piece> stored_here_;
  std::vector<Rectangles> stored_;
  std::vector<std::pair<Signature, TileCost>> memo_;
  std::vector<char> row_visited_, column_visited_;
};

}  // namespace tessera::cost
