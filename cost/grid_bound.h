// What a run costs at least when it is cut into many tiles, each on its own.
//
//   const GridBound bound(part, space, use, hardware);
//   Metrics least = bound.least(26, {.weights = WeightPolicy::refetch});   // in 26 tiles or more
//
// Tiles overlap in what they read and make again, all the more the deeper the run is, and tiles of
// some channels make everything again that all channels are read of. How much follows from the
// geometry alone, so it is known before anybody knows which tiles fit: row by row along H and
// along W for the anchor, backwards through the run (the needs of a tile contain those of its
// first and its last row), and times the number of tiles along C where all channels are read.
// Nothing is said of what an op reads where that is not simple; of other readers' needs enough is
// left to make the bound worth its while. Along axes whose halos are kept, what has to be made or
// loaded by somebody is, once.
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
  /// Nothing of the arguments is kept. require: where halos are recomputed, boxes are products of
  /// what the axes need (TileGeometry::has_volumes()). Throws std::invalid_argument for hardware
  /// that cannot be simulated. `like` is a bound of the same run on any machine: what both have in
  /// common is not found again.
  GridBound(const tiling::Subgraph& part, const tiling::TileSpace& space, const ChannelUse& use,
            const Hardware& hardware, const GridBound* like = nullptr);

  /// ensure: no tiling into at least so many tiles costs less; peaks are 0. The same for every
  /// capacity.  require: tiles >= 1.
  [[nodiscard]] Metrics least(std::int64_t tiles, const TileVariant& variant) const;
  /// ensure: no tiling into just so many along each axis (TileAxis) costs less; peaks are 0.
  /// require: there is such a tiling.
  [[nodiscard]] Metrics of_counts(const std::array<Dim, tiling::tile_axes>& counts,
                                  const TileVariant& variant) const;
  /// What tilings into just so many along each axis cost about, where computing all tiles takes so
  /// long: no bound, but what tells which of them to look at first. require: as of_counts().
  [[nodiscard]] Metrics guess(const std::array<Dim, tiling::tile_axes>& counts,
                              const TileVariant& variant, const Computing& computing) const;
  /// Latency of least(1, ...), whatever the weights do.
  [[nodiscard]] std::int64_t least_latency() const { return least_latency_; }
  /// There is no tiling into more.
  [[nodiscard]] std::int64_t most_tiles() const {
    return (*axes_)[0].counts.back() * (*axes_)[1].counts.back() * most_along_c_;
  }

 private:
  /// How often the channels of a tensor are needed by tiles that are cut along C.
  enum class Channels : std::uint8_t { unknown, once, by_every_tile };
  /// What some tensor costs for being made or loaded once.
  struct Item {
    Channels channels = Channels::unknown;
    std::size_t tensor = 0;
    Step made = 0;                ///< by this op
    double cycles = 0;            ///< of computing,
    double whole_cycles = 0;      ///< and where each piece has all its channels
    double start = 0;             ///< of the engine, for each piece that is computed
    bool always = false;          ///< needed by every tile, along H and W
    double bytes = 0;             ///< loaded
    std::array<bool, 2> moves{};  ///< of what is loaded: another part for tiles along H, along W?
    double energy_pj = 0;         ///< of making it, or of writing what is loaded
    double read_pj = 0;           ///< of reading it, once by each op that is never idle
    double read_once_pj = 0;      ///< by one op, where any may be idle
    double direct_pj = 0;         ///< of making it, where it is written off the chip at once
    ArrayReads reads{};           ///< to make it,
    ArrayReads whole_reads{};     ///< and where each piece has all its channels
    double again_pj = 0;          ///< of these, where an array reads an operand again and again
    double whole_again_pj = 0;
  };
  /// Ways to cut H or W: per count of tiles, ascending, and tensor, how often it is needed then or
  /// with more tiles. Counts of a long axis stand for those after the one before them, too, and for
  /// all of these it is said.
  struct Axis {
    std::vector<Dim> counts;
    std::vector<std::vector<double>> times;
    /// The same of what is loaded: pieces of rows take whole bursts.
    std::vector<std::vector<double>> loads;
    /// Per tensor: the part of it that somebody makes or loads, where halos are kept.
    std::vector<double> once;
    std::vector<bool> always;  ///< per tensor: every row needs some of it
  };
  struct Sums {
    double cycles = 0;    ///< of ops that work one after the other
    double trailing = 0;  ///< of those beside them
    double bytes = 0;
    double energy_pj = 0;
    double tiles = 1;
    double loads = 0;  ///< transfers of what is no weight
  };
  /// Of weights.
  struct Fetched {
    double bytes = 0;
    double times = 0;    ///< transfers
    double written = 0;  ///< bytes, on the chip
  };
  void find_channels(const tiling::Subgraph& part, const tiling::TileSpace& space);
  [[nodiscard]] Axis find_axis(const tiling::Subgraph& part, const tiling::TileSpace& space,
                               std::size_t tile_axis) const;
  /// Exact, from a table of rows, in time n log n of the axis.
  [[nodiscard]] static Axis short_axis(const tiling::Subgraph& part, const tiling::TileSpace& space,
                                       std::size_t along, Dim whole, bool cut, bool plain,
                                       Size burst);
  /// A little less than the truth, in time that hardly depends on the length of the axis.
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
  /// Of computing, with what comes before it and after it.
  [[nodiscard]] double computing_cycles(const Sums& sums, Direct direct) const;
  /// Of moving, whatever overlaps.
  [[nodiscard]] double moving_cycles(const Sums& sums, const Fetched& fetched, Direct direct) const;
  /// Of both.
  [[nodiscard]] double cycles_of(const Sums& sums, const Fetched& fetched, Direct direct) const;
  [[nodiscard]] Metrics metrics_of(const Sums& sums, double cycles, const Fetched& fetched,
                                   Direct direct) const;
  /// What of the variant matters here.
  [[nodiscard]] Direct direct_of(const TileVariant& variant) const {
    return alone_ ? variant.direct : Direct::none;
  }
  void find_ends(const tiling::Subgraph& part, const tiling::TileSpace& space);
  /// Some of it by every tile, wherever that lies.
  [[nodiscard]] bool always_needed(std::size_t tensor) const;
  [[nodiscard]] double stored(double tiles) const;

  bool alone_ = false;  ///< a run of one op
  Step steps_ = 1;      ///< its ops
  Size burst_ = 1;
  double read_cycles_per_byte_ = 0;   ///< of what is no weight
  double fetch_cycles_per_byte_ = 0;  ///< of weights
  double write_cycles_per_byte_ = 0;
  bool two_ways_ = false;
  // What a channel of the DMA is busy with, each transfer for itself.
  struct Way {
    double start = 0;  ///< of a transfer
    double cycles_per_byte = 0;
    double least_bytes = 0;  ///< a burst
  };
  Way read_, fetch_, write_;
  double channels_of_dma_ = 1;
  double head_ = 0;     ///< before anything is computed
  double tail_ = 0;     ///< after everything is
  bool apart_ = false;  ///< weights are fetched while others are loaded
  double static_pj_per_cycle_ = 0;
  AccessEnergy dram_;
  AccessEnergy chip_;                                ///< of the cheapest memory
  double fetch_pj_ = 0;                              ///< of a byte of weights
  std::vector<Channels> channels_;                   ///< per local tensor
  std::shared_ptr<const std::array<Axis, 2>> axes_;  ///< H and W
  Dim most_along_c_ = 1;
  std::vector<Item> items_;
  std::int64_t least_latency_ = 0;
  double stored_bytes_ = 0;
  double weight_bytes_ = 0;  ///< that each tile needs whole
  double slice_bytes_ = 0;   ///< others of which each tile needs those of its channels
  double weights_ = 0;       ///< how many tensors these are,
  double slices_ = 0;        ///< and these
};

}  // namespace tessera::cost
