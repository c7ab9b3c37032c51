// A group of ops on the tile machine, with what it moves, in local numbers.
//
//   TileGroup group(graph, {.ops = {0, 1}, .kept = {3}});
//   double latency = TileSimulation(group, machine).cost({64, 64, 32}, TileWalk::snake_rows);  //
//   tile_run.h
//
// The cost of a group is a function of this value and a granularity alone.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "tessera/tile_graph.h"

namespace tessera::cost {

/// The number of parts of a length.
[[nodiscard]] constexpr std::int64_t parts_of(std::int64_t length, std::int64_t part) {
  return (length + part - 1) / part;
}

/// Which ops run together, and where their tensors are. All lists are sorted.
struct TileGroupQuery {
  std::vector<std::uint32_t> ops{};
  std::vector<std::uint32_t> written{};   ///< made and read inside, written to slow memory too
  std::vector<std::uint32_t> kept{};      ///< outputs that stay in fast memory
  std::vector<std::uint32_t> resident{};  ///< inputs that are in fast memory
  std::int64_t idle = 0;                  ///< elements in fast memory that it does not use
  /// Resident and kept tensors take no memory: a lower bound for every state of the memory.
  bool relaxed = false;
};

class TileGroup {
 public:
  struct Tensor {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int32_t maker = -1;  ///< local op, or -1: comes from outside
    bool output = false;
    bool kept = false;
    bool resident = false;
    bool free = false;  ///< kept without memory
    [[nodiscard]] std::int64_t area() const { return width * height; }
    friend auto operator<=>(const Tensor&, const Tensor&) = default;
  };
  /// How a piece of a tensor depends on the tile and the part of the reduction, along an axis.
  enum Axis : std::uint8_t { by_tile = 1, by_part = 2, whole = 4 };
  struct Piece {
    Axis rows = by_tile;
    Axis columns = by_tile;
    bool aligned = true;  ///< reached from a sink through pointwise ops alone
    bool inner = false;   ///< an op that makes an operand lies between
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  struct Op {
    bool matmul = false;
    bool aligned = false;  ///< a matmul whose tile is that of a sink
    std::vector<std::int32_t> inputs{};
    std::int32_t output = 0;
    std::int64_t cost = 0;
    std::int64_t depth = 1;  ///< of the reduction
    friend auto operator<=>(const Op&, const Op&) = default;
  };

  TileGroup(const TileGraph& graph, const TileGroupQuery& query);

  [[nodiscard]] const std::vector<Tensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::vector<Op>& ops() const { return ops_; }
  [[nodiscard]] const std::vector<std::int32_t>& sinks() const { return sinks_; }
  [[nodiscard]] std::int64_t base() const { return base_; }  ///< elements resident from the start
  [[nodiscard]] bool has_matmul() const { return has_matmul_; }
  /// The different reductions of aligned matmuls.
  [[nodiscard]] const std::vector<std::int64_t>& depths() const { return depths_; }
  /// Compute of a tile by the aligned ops; a matmul costs by `native_depth`, or once if it is 0.
  [[nodiscard]] double aligned_compute(std::int64_t native_depth) const;
  /// Of the smallest matmul.
  [[nodiscard]] std::int64_t least_depth() const { return least_depth_; }
  /// Do all sinks have the same shape, has each output one piece, and has no tensor pieces of
  /// operands by tile and by reduction along an axis with several tiles? Then costs of tiles do not
  /// depend on their position, except along mixed axes (tile_run.h).
  [[nodiscard]] bool regular(std::int64_t rows, std::int64_t columns) const {
    return plain_ && (rows == 1 || !rows_.operands) && (columns == 1 || !columns_.operands);
  }
  /// Has a tensor pieces by tile and by reduction along the axis?
  [[nodiscard]] bool mixed_rows() const { return rows_.any; }
  [[nodiscard]] bool mixed_columns() const { return columns_.any; }
  /// Is it regular for some grids?
  [[nodiscard]] bool plain() const { return plain_; }
  /// Have all sinks the same shape?
  [[nodiscard]] bool one_shape() const { return one_shape_; }
  /// The different pieces of a tensor that one iteration needs.
  [[nodiscard]] const std::vector<Piece>& pieces(std::size_t tensor) const {
    return pieces_[tensor];
  }
  /// Equal groups have equal costs.
  friend auto operator<=>(const TileGroup& a, const TileGroup& b) {
    if (const auto order = a.base_ <=> b.base_; order != 0) return order;
    if (const auto order = a.ops_ <=> b.ops_; order != 0) return order;
    return a.tensors_ <=> b.tensors_;
  }
  friend bool operator==(const TileGroup& a, const TileGroup& b) { return (a <=> b) == 0; }

 private:
  void align();
  void find_pieces();
  void find_mixed();

  std::vector<Tensor> tensors_;
  std::vector<Op> ops_;                     ///< in the order of the query
  std::vector<std::vector<Piece>> pieces_;  ///< per tensor
  std::vector<std::int32_t> sinks_;
  std::vector<std::int64_t> depths_;
  std::int64_t least_depth_ = 0;
  std::int64_t base_ = 0;
  bool has_matmul_ = false;
  bool plain_ = true;
  /// Has a tensor pieces by tile and by reduction along an axis?
  struct Mixed {
    bool any = false;
    bool operands = false;  ///< without its aligned piece
  };
  Mixed rows_, columns_;
  bool one_shape_ = true;
};

}  // namespace tessera::cost
