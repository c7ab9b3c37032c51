// The difference between the needs of two tiles: one backward pass over the ops that only visits
// ops whose outputs differ. Private to tiling/.
//
//   TileChanges changes(subgraph);
//   changes.run(whole_tile, [&](std::size_t t, Box& needed) { ... what is stored of t ... });
//   for (std::size_t t : changes.changed()) use(changes.needed(t));
//
// Along an axis, a tile often differs in a few tensors only: cut along C, all but the last ops of a
// group are needed whole. Halos are not kept here: everything needed is recomputed.
#pragma once

#include <vector>

#include "tiling/box.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// A tile in which some reads may be ignored.
struct KnownTile {
  std::vector<Box> needed;   ///< per local tensor
  std::vector<Box> reads;    ///< in the order of propagate()
  std::vector<bool> counts;  ///< per read
};

class TileChanges {
 public:
  /// require: the subgraph outlives this; no op is opaque.
  explicit TileChanges(const Subgraph& subgraph);

  /// Computes the tile that stores what `store` adds to the boxes of leaving tensors.
  /// require: `base` is the result of propagate() for its stored parts, with the same reads.
  template <typename Store>
  void run(const KnownTile& base, Store&& store);

  /// Tensors whose needed part differs from the base, in the last run.
  [[nodiscard]] const std::vector<std::size_t>& changed() const { return changed_; }
  /// require: t is one of changed().
  [[nodiscard]] const Box& needed(std::size_t t) const { return needed_[t]; }
  /// Reads of ops whose output differs, and their regions.
  [[nodiscard]] const std::vector<std::size_t>& read_anew() const { return read_anew_; }
  [[nodiscard]] const Box& region(std::size_t read) const { return regions_[read]; }

 private:
  struct Read {
    std::size_t step = 0;
    std::size_t local = 0;
  };
  void begin();
  [[nodiscard]] Box hull_of_reads(const KnownTile& base, std::size_t t) const;
  void finalise(const KnownTile& base, std::size_t t, const Box& needed);
  void read_operands(std::size_t step, const Box& made);

  const Subgraph& subgraph_;
  std::vector<Read> reads_;
  std::vector<std::size_t> first_read_;             ///< per step
  std::vector<std::vector<std::size_t>> reads_of_;  ///< per local tensor
  std::vector<std::size_t> from_outside_;           ///< local indices
  std::vector<bool> touched_;                       ///< per local tensor: some reader differs
  std::vector<bool> dirty_;                         ///< per step: an output differs
  std::vector<Box> needed_;
  std::vector<Box> regions_;  ///< per read
  std::vector<std::size_t> changed_;
  std::vector<std::size_t> read_anew_;
};

template <typename Store>
void TileChanges::run(const KnownTile& base, Store&& store) {
  begin();
  for (std::size_t step = subgraph_.steps(); step-- > 0;) {
    const std::vector<std::size_t>& outputs = subgraph_.made_at[step];
    for (const std::size_t t : outputs) {
      if (!touched_[t] && !subgraph_.tensors[t].leaves) continue;
      Box needed = hull_of_reads(base, t);
      if (subgraph_.tensors[t].leaves) store(t, needed);
      finalise(base, t, needed);
    }
    if (dirty_[step])
      read_operands(step, touched_[outputs.front()] ? needed_[outputs.front()]
                                                    : base.needed[outputs.front()]);
  }
  for (const std::size_t t : from_outside_)
    if (touched_[t]) finalise(base, t, hull_of_reads(base, t));
}

}  // namespace tessera::tiling
