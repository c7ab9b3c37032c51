// How many elements of each tensor a tile needs, without its regions; channels in whole bricks.
// Private to tiling/.
//
// For runs in which every op maps each axis of its output to one axis of each operand, a box is the
// product of what the axes need alone. So it is enough to know, per axis and extent, by how much
// the first tile, or those that others do not cover, cut each tensor; a shape costs a product per
// tensor.
//
// A tile may need nothing of some tensors (a piece of a concatenation along C, an output that is
// stored by the first tile along C). What the tensors before those need along H and W is then less.
// So the tiles along C fall into families, by what there is in them, and each family has its own
// lines along H and W.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tiling/geometry.h"
#include "tiling/tile_changes.h"

namespace tessera::tiling {

class TileVolumes {
 public:
  /// require: boxes of the subgraph are products and no halo is kept; both outlive this; `single`
  /// is the tile that is the whole.
  TileVolumes(const Subgraph& subgraph, const TileSpace& space, TileRegions single);
  ~TileVolumes();

  /// As TileGeometry::watch.
  void watch(Poll* poll) { poll_ = poll; }

  /// As TileGeometry::first_volumes and largest_volumes.
  [[nodiscard]] bool first(const TileShape& shape, std::vector<std::int64_t>& volumes);
  [[nodiscard]] TileGeometry::Found largest(const TileShape& shape, bool first_channel,
                                            std::vector<std::vector<std::int64_t>>& volumes);
  /// As TileGeometry::held.
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  struct Presence;
  struct Part;
  struct Class;
  struct Line;
  struct Family;
  struct MaskedRules;
  std::size_t family_of(const Presence& presence);
  [[nodiscard]] Presence everything() const;
  const Line& line(std::size_t family, std::size_t axis, Dim extent, bool first_only);
  void make_line(std::size_t family, std::size_t axis, Dim extent, bool first_only, Line& line);
  [[nodiscard]] Presence presence_now(const std::vector<Box>& pieces) const;
  [[nodiscard]] bool complete_now(const Family& family, const std::vector<Box>& pieces) const;
  [[nodiscard]] std::vector<Part> parts_of(const Family& family, const KnownTile& base,
                                           const Class& found) const;
  [[nodiscard]] bool multiply(const Family& family,
                              const std::array<const Class*, tile_axes>& classes,
                              std::vector<std::int64_t>& volumes) const;

  const Subgraph& subgraph_;
  const TileSpace& space_;
  TileRegions single_;
  TileChanges changes_;
  Poll* poll_ = nullptr;
  std::size_t held_ = 0;
  std::vector<std::unique_ptr<Family>>
      families_;  ///< 0: everything there; it keeps the lines along C
};

}  // namespace tessera::tiling
