// Lowers a subgraph and a tile to a placement problem.
//
//   Lowering lowering = lower(part, geometry.space(), hardware, {.double_buffer = true});
//   for (const std::vector<Size>& sizes : demands(part, geometry.space(), lowering, grid))
//     session->solve({.sizes = sizes, .capacities = lowering.capacities()}, {});
//
// Lifetimes, accesses and relations depend on the subgraph and the options. A tile only changes the
// sizes.
//
//  - Op k is step k. With double buffering two adjacent tiles are laid out, an even one at steps 0
//    .. n-1 and an odd one at n .. 2n-1, and the schedule repeats. Inputs, outputs and refetched
//    weights have two copies: one is in use while the DMA loads or stores the other. The load is a
//    write in the step before the first use of the copy; the store is a read in the step after its
//    last use. Without double buffering, loads and stores happen between two steps, where no mode
//    restricts them. Modes never restrict loads of weights.
//  - A stationary operand (Stationary) has one buffer in all tiles, with space for the largest part
//    that any tile needs. It is loaded between two steps when the part changes (walk.h).
//  - Resident tensors (LocalTensor::kept) are buffers of their whole size in all tiles, neither
//    loaded nor stored, like resident tensors of other groups.
//  - A prefetched weight (LocalTensor::early) has the buffer of a resident weight, and so has a
//    weight that this group prefetches for a later one.
//  - Resident rows of a tensor have a separate buffer, which the DMA accesses like off-chip memory.
//  - Operands with direct access (direct.h) have no buffer.
//  - Trailing ops (trailing.h) overlap with the first ops of the next tile, so the tensors they use
//    are live all the time. They have one copy if only trailing ops use them, else two.
//  - A tensor is in a memory that the engines of all its ops reach. If there is none, it has
//    several shares. An input is loaded into each share. A produced tensor is copied from the
//    producer's share, between two steps, before the first op that reads the copy.
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

/// The content of a buffer of the problem.
enum class BufferRole : std::uint8_t {
  kept,     ///< a whole tensor that stays on-chip between groups
  passing,  ///< likewise, and no op of this group uses it
  tile,     ///< the tile's part of a tensor (the fresh part with reused halos)
  columns,  ///< overlap with the tile to the left
  rows,     ///< overlap with the tiles above
};

/// Is it the operand of an op, and not only a reused halo?
[[nodiscard]] constexpr bool is_whole_or_tile(BufferRole role) {
  return role == BufferRole::tile || role == BufferRole::kept;
}

struct LoweredBuffer {
  /// Index in Subgraph::tensors; for passing tensors in Subgraph::passing.
  std::size_t tensor = 0;
  BufferRole role = BufferRole::tile;
  int copy = 0;         ///< 1 for the second of two copies
  ElementBytes bytes;   ///< as a function of the tensor's elements
  Size every_tile = 0;  ///< its size in every tile; 0: depends on what the tile reads
  std::size_t share = 0;
  std::optional<Step> copied_before{};  ///< step before which the share is copied
  bool stays = false;                   ///< between tiles, until another part is needed
};

/// For a tensor with stationary buffers: does its needed part move with the tile?
struct StayingTensor {
  std::size_t tensor = 0;
  std::array<bool, tile_axes> moves{};  ///< by TileAxis
  bool resident = false;                ///< complete: only the first tile loads it
};

/// Ops whose engines reach no common memory use separate shares of a tensor. Share 0 is that of its
/// producer or first reader.
struct LaterShare {
  std::size_t tensor = 0;
  Step step = 0;  ///< that reads this share
  std::size_t share = 1;
};

struct Lowering {
  TileVariant options;
  PlacementProblem problem;            ///< with the sizes of whole tensors
  std::vector<LoweredBuffer> buffers;  ///< per buffer of the problem
  Step steps_per_tile = 0;
  [[nodiscard]] Timeline timeline() const {
    return {steps_per_tile, steps_per_tile - static_cast<Step>(options.trailing)};
  }
  /// Some buffer keeps its content between tiles, so all tiles share one placement.
  bool across_tiles = false;
  std::size_t most_shares = 1;  ///< the maximum number of shares of a tensor
  std::vector<StayingTensor> staying;
  std::vector<LaterShare> later;  ///< empty on machines whose engines reach all memories
  /// Local tensors without an own buffer, and the tensors whose buffers they use
  /// (LocalTensor::in_place_of).
  std::vector<std::pair<std::size_t, std::size_t>> in_place;
  std::vector<DirectAccess> direct;  ///< by tensor; without buffers

  [[nodiscard]] bool is_direct(std::size_t tensor) const {
    return std::ranges::find(direct, tensor, &DirectAccess::tensor) != direct.end();
  }
  /// The share of a local tensor that a step reads or produces.
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

/// The same from the number of elements of each fresh part, without reused halos. Reuses `sizes`.
void tile_sizes(const Lowering& lowering, std::span<const std::int64_t> fresh_volumes,
                std::vector<Size>& sizes);

/// Is every entry of `larger` at least that of `smaller`?
[[nodiscard]] bool covers(const std::vector<Size>& larger, const std::vector<Size>& smaller);

/// The size vectors to place for the grid: those of the distinct tiles, without those that another
/// one covers. If buffers live across tiles, it is a single vector of the largest sizes, because
/// such a buffer cannot move between tiles. `tiles` are those of the grid, or a subset that covers
/// all.
[[nodiscard]] std::vector<std::vector<Size>> demands(const Subgraph& subgraph,
                                                     const TileSpace& space,
                                                     const Lowering& lowering,
                                                     const std::vector<TileRegions>& tiles);
/// The same from the sizes of tiles.
[[nodiscard]] std::vector<std::vector<Size>> demands(const Lowering& lowering,
                                                     std::vector<std::vector<Size>> tiles);
/// The same incrementally: `kept` holds the vectors to place so far.
void add_demand(const Lowering& lowering, std::vector<Size> sizes,
                std::vector<std::vector<Size>>& kept);

}  // namespace tessera::tiling
