// Lower bound on the cost of a group that is cut into many independent tiles.
//
//   const GridBound bound(part, space, use, hardware);
//   Metrics least = bound.least(26, {.weights = WeightPolicy::refetch});   // in 26 tiles or more
//
// Tiles overlap in the data they read and recompute, and the overlap grows with the depth of the
// group. Tiles of some channels recompute every tensor that is read in all channels. The bound
// follows from the geometry alone, before the search knows which tiles fit. It starts from the rows
// of the anchor along H and W and goes backwards through the group. The needs of a tile contain
// those of its first and last row. Tensors read in all channels count once per tile along C. Ops
// with complex access patterns contribute nothing. Along axes with halo reuse, each element that is
// needed is made or loaded once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cost/channel_use.h"
#include "cost/computing.h"
#include "cost/mapping.h"
#include "tessera/hardware.h"
#include "tessera/network_plan.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::cost {

class GridBound {
 public:
  /// Copies what it needs of the arguments. require: where halos are recomputed, boxes are products
  /// of the needs per axis (TileGeometry::has_volumes()). Throws std::invalid_argument for hardware
  /// that cannot be simulated. `like`: a bound of the same group on any machine, whose
  /// machine-independent part is reused.
  GridBound(const tiling::Subgraph& part, const tiling::TileSpace& space, const ChannelUse& use,
            const Hardware& hardware, const GridBound* like = nullptr);

  /// ensure: no tiling into `tiles` or more tiles costs less, whatever the capacity; peaks are 0.
  /// require: tiles >= 1.
  [[nodiscard]] Metrics least(std::int64_t tiles, const TileVariant& variant) const;
  /// ensure: no tiling with exactly these counts per axis (TileAxis) costs less; peaks are 0.
  /// require: such a tiling exists.
  [[nodiscard]] Metrics of_counts(const std::array<Dim, tiling::tile_axes>& counts,
                                  const TileVariant& variant) const;
  /// Estimated cost of tilings with exactly these counts per axis, if computing all tiles takes
  /// this long. Not a bound: it orders the tilings for evaluation. require: as of_counts().
  [[nodiscard]] Metrics estimate(const std::array<Dim, tiling::tile_axes>& counts,
                                 const TileVariant& variant, const Computing& computing) const;
  /// Latency of least(1, ...) for any weight policy.
  [[nodiscard]] std::int64_t least_latency() const { return least_latency_; }
  /// The maximum number of tiles of any tiling.
  [[nodiscard]] std::int64_t most_tiles() const {
    return (*axes_)[0].counts.back() * (*axes_)[1].counts.back() * most_along_c_;
  }

 private:
  /// How often tiles that are cut along C need the channels of a tensor.
  enum class Channels : std::uint8_t { unknown, once, by_every_tile };
  /// Cost of making or loading a tensor once.
  struct Item {
    Channels channels = Channels::unknown;
    std::size_t tensor = 0;
    Step made = 0;                ///< the op that makes it
    double cycles = 0;            ///< cycles of computing it
    double whole_cycles = 0;      ///< cycles if each part has all its channels
    double start = 0;             ///< start-up of the engine, for each part computed
    bool always = false;          ///< every tile needs it, along H and W
    double bytes = 0;             ///< bytes loaded
    std::array<bool, 2> moves{};  ///< if loaded: do tiles along H, along W need different parts?
    double energy_pj = 0;         ///< energy of making it, or of writing it after loading
    double read_pj = 0;           ///< energy of reading it, once by each op that is never idle
    double read_once_pj = 0;      ///< energy of reading it by one op, where any op may be idle
    double direct_pj = 0;         ///< energy of making it if the engine writes it off-chip directly
    ArrayReads reads{};           ///< operand reads of making it,
    ArrayReads whole_reads{};     ///< and if each part has all its channels
    double again_pj = 0;          ///< energy of the repeated operand reads of an array
    double whole_again_pj = 0;
  };
  /// The possible cuts of H or W. Per tile count, ascending, and tensor: how often the tensor is
  /// needed with this count or more. An entry of a long axis also stands for the counts between it
  /// and the previous entry.
  struct Axis {
    std::vector<Dim> counts;
    std::vector<std::vector<double>> times;
    /// The same for loads: parts of rows take whole bursts.
    std::vector<std::vector<double>> loads;
    /// Per tensor: the part that is made or loaded once with halo reuse.
    std::vector<double> once;
    std::vector<bool> always;  ///< per tensor: every row needs some of it
  };
  struct Sums {
    double cycles = 0;    ///< of leading ops
    double trailing = 0;  ///< of trailing ops
    double bytes = 0;
    double energy_pj = 0;
    double tiles = 1;
    double loads = 0;  ///< transfers of activations
  };
  /// Of weights.
  struct Fetched {
    double bytes = 0;
    double times = 0;    ///< number of transfers
    double written = 0;  ///< bytes written on chip
  };
  void find_channels(const tiling::Subgraph& part, const tiling::TileSpace& space);
  [[nodiscard]] Axis find_axis(const tiling::Subgraph& part, const tiling::TileSpace& space,
                               std::size_t tile_axis) const;
  /// Exact, from a table of rows, in O(n log n) for an axis of n rows.
  [[nodiscard]] static Axis short_axis(const tiling::Subgraph& part, const tiling::TileSpace& space,
                                       std::size_t along, Dim whole, bool cut, bool plain,
                                       Size burst);
  /// Slightly below the exact value, in time almost independent of the axis length.
  [[nodiscard]] static Axis long_axis(const tiling::Subgraph& part, const tiling::TileSpace& space,
                                      std::size_t along, Dim whole, bool cut, bool plain);
  void find_slices(const tiling::Subgraph& part, const std::vector<TensorIndex>& in_every_tile,
                   std::size_t made);
  void find_reads(const tiling::Subgraph& part);
  void find_items(const tiling::Subgraph& part, const tiling::TileSpace& space,
                  const ChannelUse& use, const Hardware& hardware);
  [[nodiscard]] Sums sums(std::size_t h, std::size_t w, Dim c, double tiles,
                          const TileVariant& variant) const;
  [[nodiscard]] Fetched fetched(double tiles, double places, const TileVariant& variant) const;
  [[nodiscard]] Sums sums_of(const std::array<Dim, tiling::tile_axes>& counts,
                             const TileVariant& variant) const;
  [[nodiscard]] Fetched fetched_by(const std::array<Dim, tiling::tile_axes>& counts,
                                   const TileVariant& variant) const;
  /// Cycles of computing, with the first load and the last store.
  [[nodiscard]] double computing_cycles(const Sums& sums, Direct direct) const;
  /// Cycles of data transfers, with maximal overlap.
  [[nodiscard]] double moving_cycles(const Sums& sums, const Fetched& fetched, Direct direct) const;
  /// The larger of both.
  [[nodiscard]] double cycles_of(const Sums& sums, const Fetched& fetched, Direct direct) const;
  [[nodiscard]] Metrics metrics_of(const Sums& sums, double cycles, const Fetched& fetched,
                                   Direct direct) const;
  /// The direct accesses of the variant that matter here.
  [[nodiscard]] Direct direct_of(const TileVariant& variant) const {
    return alone_ ? variant.direct : Direct::none;
  }
  void find_ends(const tiling::Subgraph& part, const tiling::TileSpace& space);
  /// Does every tile need some of it, at any position?
  [[nodiscard]] bool always_needed(std::size_t tensor) const;
  [[nodiscard]] double stored(double tiles) const;

  bool alone_ = false;  ///< the group has one op
  Step steps_ = 1;      ///< number of ops
  Size burst_ = 1;
  double read_cycles_per_byte_ = 0;   ///< of activations
  double fetch_cycles_per_byte_ = 0;  ///< of weights
  double write_cycles_per_byte_ = 0;
  bool two_ways_ = false;
  // Cycles of one DMA channel, per transfer.
  struct ChannelCost {
    double start = 0;  ///< set-up of a transfer
    double cycles_per_byte = 0;
    double least_bytes = 0;  ///< one burst
  };
  ChannelCost read_, fetch_, write_;
  double channels_of_dma_ = 1;
  double head_ = 0;     ///< before the first computation
  double tail_ = 0;     ///< after the last computation
  bool apart_ = false;  ///< weight fetches and loads run in parallel
  double static_pj_per_cycle_ = 0;
  AccessEnergy dram_;
  AccessEnergy chip_;               ///< of the on-chip memory with the lowest energy
  double fetch_pj_ = 0;             ///< energy of fetching a byte of weights
  std::vector<Channels> channels_;  ///< per local tensor
  std::shared_ptr<const std::array<Axis, 2>> axes_;  ///< H and W
  Dim most_along_c_ = 1;
  std::vector<Item> items_;
  std::int64_t least_latency_ = 0;
  double stored_bytes_ = 0;
  double weight_bytes_ = 0;  ///< weights that each tile needs whole
  double slice_bytes_ = 0;   ///< weights of which each tile needs the part of its channels
  double weights_ = 0;       ///< number of the former,
  double slices_ = 0;        ///< and of the latter
};

}  // namespace tessera::cost
