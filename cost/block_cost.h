// Cost of an op by one mapping of an array: the best block, or a given one.
//
//   const ArrayCost cost = Blocks(op, loops, engine, mapping, port).best();
//
// Internal to mapping.cpp, which describes the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cost/mapping.h"
#include "cost/step_pixels.h"

namespace tessera::cost {

/// Along one axis: the outputs of a block and the inputs they read.
struct Extent {
  std::int64_t made = 1;
  double read = 1;  ///< strides are unbounded input
};

class Blocks {
 public:
  Blocks(const Op& op, const tiling::OpLoops& loops, const Engine& engine, const Mapping& mapping,
         const ArrayPort& port);

  ArrayCost best();
  ArrayCost of(const BlockShape& block);

  /// Steps of the reduced loops that every output needs. H, W and N are not rounded up; G and K
  /// only if parts have all channels.
  [[nodiscard]] double least_steps(bool whole_channels) const;
  /// Reads of the first operand and of the weights, scaled by the share of cells that each step
  /// uses.
  [[nodiscard]] ArrayReads least_reads(bool whole_channels) const;
  [[nodiscard]] double least_output() const;

 private:
  /// The extent of the largest block along a loop.
  static std::int64_t limit(std::int64_t most, std::int64_t loop, std::int64_t step);

  /// Counts steps along the reduced loops C, R and S, with kernels in parts that the array can
  /// hold.
  void find_reduced();

  [[nodiscard]] Extent extent(std::int64_t made, std::int64_t taps, std::size_t axis,
                              std::int64_t step) const;
  [[nodiscard]] Extent row(std::int64_t h) const;
  [[nodiscard]] Extent column(std::int64_t w) const;

  /// Input channels that the array buffer holds for a block of `k` output channels.
  [[nodiscard]] std::int64_t input_depth(std::int64_t k) const;

  [[nodiscard]] bool fits(const Extent& h, const Extent& w, std::int64_t k) const;
  /// Size of two blocks of `bytes`, in lines of at most 1 KiB, rounded up to granules.
  static double two_blocks(double bytes, Size granule);

  [[nodiscard]] double input_channels() const;

  /// Fetched input and weight bytes, in comparable units.
  [[nodiscard]] double fetched(const Extent& h, const Extent& w, std::int64_t k) const;
  [[nodiscard]] double weight_count() const;
  /// Number of blocks in rows and columns.
  [[nodiscard]] double planes(const Extent& h, const Extent& w) const;

  void find_least_fetched(std::int64_t most_k, std::int64_t most_h, std::int64_t most_w);

  bool take_quickest(const Extent& rows, const Extent& columns, std::int64_t k, bool equal);

  bool take_first(const Extent& rows, const Extent& columns, bool equal);

  struct Block {
    Extent h, w;
    std::int64_t k = 1;
  };
  /// Calls use() with each block size and its count. The last block of each loop holds the
  /// remainder, or a full block if the machine supports no smaller ones; or all blocks are one
  /// size, and their number is the ratio of steps.
  template <typename Use>
  void each_block(const Extent& h, const Extent& w, std::int64_t k, const Use& use) const;

  [[nodiscard]] bool in_shares() const;

  /// Of a block: number of passes, and the steps per pass during which the stationary operand
  /// stays.
  struct Steps {
    double passes = 1;
    double of_pass = 1;
    [[nodiscard]] double pass_cycles(const Mapping& mapping) const {
      return std::max(static_cast<double>(mapping.least), mapping.cycles * of_pass) +
             static_cast<double>(mapping.start);
    }
    [[nodiscard]] double cycles(const Mapping& mapping) const {
      return passes * pass_cycles(mapping);
    }
  };
  [[nodiscard]] Steps steps_of(const Block& block) const;
  /// A pass of a single place waits for the sums of the pass before it, unless it is the first one
  /// of its channels with these inputs.
  [[nodiscard]] double waiting(const Block& block) const;
  [[nodiscard]] double positions(std::int64_t rows, std::int64_t columns) const;

  /// Cycles of the passes on one array.
  [[nodiscard]] double working(const Block& block) const;

  /// Groups or images that are computed in parallel share one output path, one after the other.
  [[nodiscard]] std::int64_t groups_beside() const { return std::min(nest_.G, unroll_.G); }
  [[nodiscard]] double beside() const;
  /// Outputs of a block, clipped to the actual extents.
  [[nodiscard]] double made_of(const Block& block) const;

  /// Computing a block, and moving its results out of the array.
  struct BlockCost {
    double compute = 0;
    double output = 0;
    BoundBy bound_by = BoundBy::mac;
  };
  [[nodiscard]] BlockCost block_cost(const Block& block, bool only) const;

  [[nodiscard]] ArrayCost cost(const Extent& h, const Extent& w, std::int64_t k) const;

  [[nodiscard]] double rows_read(const Extent& h) const;
  [[nodiscard]] double columns_read(const Extent& w) const;

  [[nodiscard]] bool in_stages() const;
  [[nodiscard]] bool overlapped() const { return rule_.transfers == BlockTransfers::overlapped; }

  /// Cycles of reading the input of a block, and of writing its result.
  struct Transfers {
    double read = 0;
    double write = 0;
  };
  [[nodiscard]] Transfers transfers(const Block& block) const;
  /// Nothing overlaps with reading the first block and with writing the last one.
  [[nodiscard]] double first_and_last(const Block& block) const;

  /// Memory reads of the op. The input comes from the block buffer, which each block fills once per
  /// kernel part; without a buffer, it comes from memory in each step. Sums stay in the array.
  void find_traffic(const Extent& h, const Extent& w, std::int64_t k, ArrayCost& cost) const;

  const tiling::OpLoops& loops_;
  const Engine& engine_;
  const BlockRule& rule_;
  const Mapping& mapping_;
  const ArrayPort& port_;
  Counts unroll_;
  Counts at_least_;
  Counts most_;
  tiling::LoopNest nest_;
  StepPixels pixels_{loops_, nest_, unroll_};
  BlockShape given_;  ///< its input replaces the one that follows from its output
  double rate_ = 0;
  double channel_rate_ = 0;
  std::int64_t reduced_ = 1;  ///< steps of the reduced loops, per output channel and pass
  std::int64_t taps_ = 1;     ///< of these, the ones over kernel rows and columns
  /// With stationary weights: passes per tap, and steps of a pass at each place.
  std::int64_t passes_of_tap_ = 1, steps_of_place_ = 1;
  std::int64_t input_blocks_ = 1;  ///< parts of the input channels
  std::int64_t part_r_ = 1, part_s_ = 1, parts_ = 1;
  std::int64_t best_k_ = 1, best_h_ = 1, best_w_ = 1;
  double taken_cycles_ = 0, taken_size_ = 0;
  /// rows x columns that the last small block read that replaced a candidate
  double held_of_small_ = 0;
};

}  // namespace tessera::cost
