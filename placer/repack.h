// Recompacts the last placement of a session for other sizes.
//
//   Repack repack(problem);
//   repack.follow(placement);                                // of an engine, for some sizes
//   if (const auto again = repack.with(other_sizes)) use(*again);
//
// The buffers keep their order, and each takes the lowest offset that the buffers below allow.
// Small changes of sizes, as between tiles or layers, usually still fit, without a search. Supports
// one memory without banks, and buffers without restrictions on their addresses.
#pragma once

#include <optional>
#include <vector>

#include "model/size_layer.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::placer {

class Repack {
 public:
  /// Only sizes and capacities of the problem may change later.
  explicit Repack(const PlacementProblem& problem);

  /// Is the problem supported?
  [[nodiscard]] bool usable() const { return usable_; }

  /// Are the numbers valid together, given that each one is valid by itself?
  [[nodiscard]] bool surely_valid(const SizeLayer& layer) const;

  /// Takes over the order of this placement. require: it is valid for some sizes.
  void follow(const Placement& placement);

  /// A placement in that order, if it fits. require: surely_valid(layer).
  [[nodiscard]] std::optional<Placement> with(const SizeLayer& layer);

 private:
  bool usable_ = false;
  std::vector<Size> alignments_;
  std::vector<char> together_;  ///< row by row: do both lifetimes overlap?
  std::vector<BufferIndex> order_;
  /// Predecessors of the k-th buffer with overlapping lifetimes end at below_ends_[k].
  std::vector<BufferIndex> below_;
  std::vector<std::size_t> below_ends_;
  std::vector<Offset> tops_;
};

}  // namespace tessera::placer
