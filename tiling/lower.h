// From a subgraph and a tile to the question "where does every buffer go".
//
//   Lowering lowering = lower(part, geometry.space(), hardware, {.double_buffer = true});
//   for (const std::vector<Size>& sizes : demands(part, geometry.space(), lowering, grid))
//     session->solve({.sizes = sizes, .capacities = lowering.capacities()}, {});
//
// Who is alive when, is read and written when, and which relations hold depends on the subgraph
// and the options; a tile changes nothing but the sizes.
//
// Op k is step k. With double buffering two neighbouring tiles are laid out, an even one at steps
// 0 .. n-1 and an odd one at n .. 2n-1, and the schedule repeats: inputs, outputs and refetched
// weights have two copies, one at work while the other is loaded or stored by DMA (a write in
// the step before the copy is first used; a read in the step after its last use). Without it,
// loads and stores happen between two steps, where no mode restricts them; nor does one ever
// restrict how weights are loaded.
//
// What stays for several tiles (Stationary) has one buffer through all of them, with room for the
// largest part any tile needs, and is loaded between two steps when that part changes (walk.h).
//
// Tensors that a run keeps on the chip (LocalTensor::kept) are buffers of their whole size through
// all tiles, neither loaded nor stored, and so are those that wait for later runs.
//
// A weight that comes early (LocalTensor::early) has the buffer of a resident one, and so has one
// that is loaded ahead, for the next run.
//
// Rows of a tensor that stay from run to run have a buffer beside those of tiles, which the DMA
// fills and reads as it does memory off the chip.
//
// What an engine reads or writes off the chip itself (direct.h) has no buffer.
//
// Where the last ops trail (trailing.h) they work beside the first ops of the next tile, so what
// they use is alive all the time: in one copy where only they do, else in two.
//
// A tensor lies where the engines of all ops that use it reach it. Where there is no such memory it
// lies in several: what comes from outside is loaded into each, what the run makes is copied from
// where it is made before the first op that reads the copy, between two steps.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/problem.h"
#include "tiling/direct.h"
#include "tiling/geometry.h"
#include "tiling/trailing.h"

namespace tessera::tiling {

/// What a buffer of the problem holds.
enum class BufferRole : std::uint8_t {
  kept,     ///< the whole of a tensor that stays on the chip from run to run
  passing,  ///< likewise, of no op of this run
  tile,     ///< the tile's part of a tensor (the fresh part, where a halo is kept)
  columns,  ///< overlap with the tile to the left, kept
  rows,     ///< overlap with the tiles above, kept
  part,     ///< rows of a tensor that stay on the chip from run to run (kept_rows.h)
};

/// Does it hold what an op works on, and not only what is kept beside it?
[[nodiscard]] constexpr bool is_whole_or_tile(BufferRole role) {
  return role == BufferRole::tile || role == BufferRole::kept;
}

struct LoweredBuffer {
  /// In Subgraph::tensors; of what is passing in Subgraph::passing, of a part in ::kept_rows.
  std::size_t tensor = 0;
  BufferRole role = BufferRole::tile;
  int copy = 0;         ///< 1 for the second of two copies
  ElementBytes bytes;   ///< of some of the tensor's elements
  Size every_tile = 0;  ///< its size whatever a tile reads of it; 0: that goes by what it reads
  std::size_t share = 0;
  std::optional<Step> copied_before{};  ///< on the chip, from the share where the tensor is made
  bool stays = false;                   ///< from tile to tile, until another part is needed
};

/// Of a tensor with buffers that stay: does what a tile needs of it move along with the tile?
struct StayingTensor {
  std::size_t tensor = 0;
  std::array<bool, tile_axes> moves{};  ///< by TileAxis
  bool resident = false;                ///< all of it is there: only the first tile loads it
};

/// Ops whose engines reach no common memory use shares of their own of a tensor. Share 0 is where
/// it is made, or first read.
struct LaterShare {
  std::size_t tensor = 0;
  Step step = 0;  ///< that reads this share
  std::size_t share = 1;
};

struct Lowering {
  TileVariant options;
  PlacementProblem problem;            ///< sizes of the whole tensors
  std::vector<LoweredBuffer> buffers;  ///< of problem.buffers
  Step steps_per_tile = 0;
  [[nodiscard]] Timeline timeline() const {
    return {steps_per_tile, steps_per_tile - static_cast<Step>(options.trailing)};
  }
  /// Some buffer keeps its content from tile to tile, so that all tiles share one placement.
  bool across_tiles = false;
  std::size_t most_shares = 1;  ///< of a tensor
  std::vector<StayingTensor> staying;
  std::vector<LaterShare> later;  ///< none on machines whose engines reach all memories
  /// Local tensors without a buffer of their own, and whose they are in (LocalTensor::in_place_of).
  std::vector<std::pair<std::size_t, std::size_t>> in_place;
  std::vector<DirectAccess> direct;  ///< by tensor; these have no buffer either

  [[nodiscard]] bool is_direct(std::size_t tensor) const {
    return std::ranges::find(direct, tensor, &DirectAccess::tensor) != direct.end();
  }
  /// The share of a local tensor that a step reads, or makes.
  [[nodiscard]] std::size_t share_of(std::size_t tensor, Step step) const;

  [[nodiscard]] std::vector<Size> capacities() const;
};

/// require: `space` is tile_space(subgraph).
/// ensure: validate(problem) is empty, given a valid profile.
[[nodiscard]] Lowering lower(const Subgraph& subgraph, const TileSpace& space,
                             const Hardware& hardware, const TileVariant& options);

/// Sizes of the buffers for one tile, at least 1.
[[nodiscard]] std::vector<Size> tile_sizes(const Subgraph& subgraph, const TileSpace& space,
                                           const Lowering& lowering, const TileRegions& tile);

/// The same from how many elements each tensor's fresh part has, where no halo is kept; into a
/// vector that is used again.
void tile_sizes(const Lowering& lowering, std::span<const std::int64_t> fresh_volumes,
                std::vector<Size>& sizes);

/// Is every entry of the first at least that of the second?
[[nodiscard]] bool covers(const std::vector<Size>& larger, const std::vector<Size>& smaller);

/// The size vectors that all have to be placed for the grid to fit: those of the distinct tiles,
/// without those another one covers; where buffers live across tiles a single one, the largest of
/// each buffer, since such a buffer cannot be elsewhere in the next tile.
/// `tiles` are those of the grid, or some that cover all of them.
[[nodiscard]] std::vector<std::vector<Size>> demands(const Subgraph& subgraph,
                                                     const TileSpace& space,
                                                     const Lowering& lowering,
                                                     const std::vector<TileRegions>& tiles);
/// The same from the tiles' sizes.
[[nodiscard]] std::vector<std::vector<Size>> demands(const Lowering& lowering,
                                                     std::vector<std::vector<Size>> tiles);
/// The same one tile after the other: what `kept` holds then has to be placed.
void add_demand(const Lowering& lowering, std::vector<Size> sizes,
                std::vector<std::vector<Size>>& kept);

}  // namespace tessera::tiling
