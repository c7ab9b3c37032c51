// Earlier answers of a session, and what they say of other sizes.
//
//   Memo memo(problem);
//   if (memo.refutes(layer)) return infeasible;                    // larger did not fit either
//   if (auto known = memo.placement_for(layer)) use(*known);       // right for these sizes
//   ... ask an engine ...
//   memo.placed(layer, placement);  or  memo.refuted(layer);
//
// What has no placement at some sizes and capacities has none at larger sizes and smaller
// capacities, and where everything lay for some sizes it still may for smaller ones. Only the
// relation adjacent breaks this: a buffer of another size moves its neighbour. So the sizes of
// buffers it names have to be equal (this is the one place that knows). Where sizes are neither all
// larger nor all smaller, an earlier placement is tried, and the checker decides.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "model/size_layer.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::engine {

class Memo {
 public:
  /// Copies the problem; its sizes are those of the last question. The checker is asked about at
  /// most `tries` earlier placements, the latest first: where engines answer in microseconds it is
  /// not worth more than one.
  explicit Memo(const PlacementProblem& problem, std::size_t tries = 8);

  /// How many refutations it was told of.
  [[nodiscard]] std::size_t refutations() const { return told_; }
  /// Is there certainly no placement, by one of the refutations told since there were `since`?
  [[nodiscard]] bool refutes(const SizeLayer& layer, std::size_t since = 0) const;
  /// An earlier placement that is right for these numbers; null where none is known to be.
  [[nodiscard]] std::shared_ptr<const Placement> placement_for(const SizeLayer& layer);

  /// require: true of the problem with these numbers.
  void refuted(const SizeLayer& layer);
  void placed(const SizeLayer& layer, std::shared_ptr<const Placement> placement);

 private:
  /// The oldest are forgotten: a search loop may ask for days.
  static constexpr std::size_t most_refutations = 4096;
  static constexpr std::size_t most_placements = 512;

  struct Refuted {
    SizeLayer layer;
    std::size_t number = 0;  ///< among all that were told
  };
  struct Placed {
    SizeLayer layer;
    std::shared_ptr<const Placement> placement;
  };
  /// Nothing is smaller, no memory larger, and what has to be equal is: what is refuted of `small`
  /// is refuted of `large`, what is placed in `large` is placed in `small`.
  [[nodiscard]] bool covers(const SizeLayer& large, const SizeLayer& small) const;

  PlacementProblem problem_;
  std::size_t most_tries_;
  std::vector<BufferIndex> exact_;  ///< sizes that have to be equal
  std::deque<Refuted> refuted_;     ///< no one covers another, least ones, the latest last
  std::deque<Placed> placed_;       ///< likewise
  std::size_t told_ = 0;
};

}  // namespace tessera::engine
