// The number of elements of each tensor that a tile needs, without its regions; channels in whole
// bricks. Private to tiling/.
//
// It applies to groups in which every op maps each axis of its output to one axis of each operand.
// A box is then the product of the ranges of its axes. Therefore it suffices to know, per axis and
// extent, how much of each tensor the first tile needs, or the tiles that others do not cover. A
// shape costs one product per tensor.
//
// A tile may need nothing of some tensors: for example an operand of a concatenation along C, or an
// output that the first tile along C stores. Then it needs less of the tensors before those along H
// and W. Therefore the tiles along C form families by their non-empty parts, and each family has
// its own lines along H and W.
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
  /// require: boxes of the subgraph are products, and no halo is kept; subgraph and space outlive
  /// this; `single` is the tile of the whole.
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
  std::vector<std::unique_ptr<Family>> families_;  ///< 0: everything present; has the lines along C
};

}  // namespace tessera::tiling
