// The last placement of a session, pushed together anew for other sizes.
//
//   Repack repack(problem);
//   repack.follow(placement);                                // of an engine, for some sizes
//   if (const auto again = repack.with(other_sizes)) use(*again);
//
// The buffers keep their order and every one is put as low as those below it allow. Sizes that
// change a little, as those of a tile or of a layer do, mostly leave room for that, and it takes no
// search. Only for one memory without banks, and for buffers that may lie anywhere in it.
#pragma once

#include <optional>
#include <vector>

#include "model/size_layer.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::placer {

class Repack {
 public:
  /// Of the problem only its sizes and capacities may be replaced later on.
  explicit Repack(const PlacementProblem& problem);

  /// Can it say anything of this problem?
  [[nodiscard]] bool usable() const { return usable_; }

  /// Are the numbers certainly those of a valid problem, if each by itself is?
  [[nodiscard]] bool surely_valid(const SizeLayer& layer) const;

  /// Keeps the order of this placement from now on. require: it is right for some sizes.
  void follow(const Placement& placement);

  /// In that order, if it fits. require: surely_valid(layer).
  [[nodiscard]] std::optional<Placement> with(const SizeLayer& layer);

 private:
  bool usable_ = false;
  std::vector<Size> alignments_;
  std::vector<char> together_;  ///< row by row: do the two ever live at one step?
  std::vector<BufferIndex> order_;
  /// Those below the k-th of the order that live together with it end at below_ends_[k].
  std::vector<BufferIndex> below_;
  std::vector<std::size_t> below_ends_;
  std::vector<Offset> tops_;
};

}  // namespace tessera::placer
