// One group of a plan: its tiles in the order of execution, and the places of their tensors.
//
//   Group group(context, plan.subgraphs[0], 0);
//   for (std::int64_t k = 0; k < group.tiles(); ++k) {
//     const TileAt tile = group.tile(k);
//     const std::vector<Part> parts = group.chip_parts(tile, local, 0, tile.regions.needed[local]);
//   }
//
// Boxes are in coordinates of the planned network's tensors, also for parts of split reductions.
// Private to commands/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "commands/homes.h"
#include "commands/place.h"
#include "cost/group_tasks.h"
#include "cost/tiled_group.h"
#include "planner/piece.h"
#include "tiling/geometry.h"
#include "tiling/walk.h"

namespace tessera::commands {

/// The network and machine as planned; all of it outlives its users.
struct Context {
  const Network& network;
  const Hardware& hardware;
  const NetworkPlan& plan;
  const std::vector<std::optional<OpIndex>>& readers;  ///< last_readers(network)
  Homes& homes;
};

struct TileAt {
  std::int64_t index = 0;
  std::array<Dim, tiling::tile_axes> position{};
  tiling::TileRegions regions;
  std::size_t visit = 0;  ///< class of the pipeline
};

class Group {
 public:
  Group(const Context& context, const PlannedSubgraph& planned, std::size_t index);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  [[nodiscard]] std::int64_t tiles() const { return piece_.grid.count(); }
  /// Tiles along the width.
  [[nodiscard]] Dim row_length() const { return piece_.grid.counts[2]; }
  [[nodiscard]] TileAt tile(std::int64_t index) const;

  [[nodiscard]] const Context& context() const { return context_; }
  [[nodiscard]] const PlannedSubgraph& planned() const { return planned_; }
  [[nodiscard]] std::size_t index() const { return index_; }
  [[nodiscard]] const tiling::Subgraph& part() const { return piece_.part; }
  [[nodiscard]] const tiling::Lowering& lowering() const { return piece_.lowering; }
  [[nodiscard]] const tiling::TileWalk& walk() const { return *walk_; }
  [[nodiscard]] const cost::GroupTasks& tasks() const { return tasks_; }
  [[nodiscard]] const cost::GroupSchedule& schedule() const { return schedule_; }
  /// The placement of a tile.
  [[nodiscard]] const Placement& placement(const TileAt& tile) const;
  /// The tile's half of a double-buffered schedule.
  [[nodiscard]] int parity(const TileAt& tile) const {
    return piece_.lowering.options.double_buffer ? static_cast<int>(tile.index % 2) : 0;
  }

  /// Index of a local tensor in the planned network, and a box in its coordinates.
  [[nodiscard]] TensorIndex tensor(std::size_t local) const {
    return piece_.part.planned(piece_.part.tensors[local].tensor);
  }
  [[nodiscard]] tiling::Box own(std::size_t local, tiling::Box box) const;

  /// The off-chip place that a tile's transfers of a local tensor use.
  /// throws: Unsupported
  [[nodiscard]] Place off_chip_place(std::size_t local) const;
  /// The buffer of a local tensor, without reused halos.
  /// require: the tensor is in a buffer, pinned, or accessed directly
  [[nodiscard]] Place chip_place(const TileAt& tile, std::size_t local, std::size_t share) const;
  /// The on-chip parts of `box`, with reused halos.
  [[nodiscard]] std::vector<Part> chip_parts(const TileAt& tile, std::size_t local,
                                             std::size_t share, const tiling::Box& box) const;

  /// A buffer of reused halos: `rows` or `columns`. Nothing if the tensor has none.
  [[nodiscard]] std::optional<Place> halo_place(const TileAt& tile, std::size_t local,
                                                std::size_t share, tiling::BufferRole role) const;
  /// Axes of a local tensor along which tiles move in height and width.
  [[nodiscard]] std::optional<std::size_t> axis_along(tiling::TileAxis axis,
                                                      std::size_t local) const {
    return geometry_->space().follows[static_cast<std::size_t>(axis)][local];
  }
  /// Does a buffer of this share hold rows or columns of the tensor for the next tile?
  [[nodiscard]] bool reuses_halo(std::size_t local, std::size_t share) const;

 private:
  struct Slice {
    std::size_t axis = 0;
    Dim begin = 0;
    Dim part = 0;
  };
  void find_slices();
  void note_homes();
  [[nodiscard]] std::optional<std::size_t> buffer_of(const TileAt& tile, std::size_t local,
                                                     std::size_t share,
                                                     tiling::BufferRole role) const;
  [[nodiscard]] Place place_of(const TileAt& tile, std::size_t buffer, const Tensor& tensor,
                               const tiling::Box& content, Dim brick) const;
  [[nodiscard]] Place inside_other(const TileAt& tile, std::size_t local, std::size_t share) const;

  const Context& context_;
  const PlannedSubgraph& planned_;
  std::size_t index_;
  planner::Piece piece_;
  cost::TiledGroup run_;
  std::unique_ptr<tiling::TileGeometry> geometry_;
  tiling::TileGeometry::Positions positions_;
  std::unique_ptr<tiling::TileWalk> walk_;
  cost::GroupTasks tasks_;
  cost::GroupSchedule schedule_;
  std::vector<std::optional<Slice>> slices_;   ///< per local tensor
  std::vector<std::array<Dim, 2>> most_kept_;  ///< per local tensor: rows, columns
};

}  // namespace tessera::commands
