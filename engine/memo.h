// Earlier results of a session, and what they imply for other sizes.
//
//   Memo memo(problem);
//   if (memo.refutes(layer)) return infeasible;                    // larger did not fit either
//   if (auto known = memo.placement_for(layer)) use(*known);       // right for these sizes
//   ... ask an engine ...
//   memo.placed(layer, placement);  or  memo.refuted(layer);
//
// If no placement exists at some sizes and capacities, none exists at larger sizes and smaller
// capacities. A placement for some sizes is valid for smaller ones. The relation `adjacent` breaks
// this, because the size of a buffer moves its neighbour: the sizes of the buffers it names have to
// be equal. The same applies to buffers in rules that may not hold for smaller buffers
// (model/rules.h). If sizes are neither all larger nor all smaller, the checker is asked about
// earlier placements.
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
  /// Copies the problem; its sizes are those of the last query. At most `tries` earlier placements
  /// are checked, the latest first. For engines that solve in microseconds, more than one is too
  /// slow.
  explicit Memo(const PlacementProblem& problem, std::size_t tries = 8);

  /// The number of refutations added.
  [[nodiscard]] std::size_t refutations() const { return told_; }
  /// Do the refutations number `since` and later imply that no placement exists?
  [[nodiscard]] bool refutes(const SizeLayer& layer, std::size_t since = 0) const;
  /// An earlier placement that is valid for these numbers; null if none is known.
  [[nodiscard]] std::shared_ptr<const Placement> placement_for(const SizeLayer& layer);

  /// require: the status holds for the problem with these numbers.
  void refuted(const SizeLayer& layer);
  void placed(const SizeLayer& layer, std::shared_ptr<const Placement> placement);

 private:
  /// The oldest entries are dropped, because a search may run for days.
  static constexpr std::size_t most_refutations = 4096;
  static constexpr std::size_t most_placements = 512;

  struct Refuted {
    SizeLayer layer;
    std::size_t number = 0;  ///< position among all refutations
  };
  struct Placed {
    SizeLayer layer;
    std::shared_ptr<const Placement> placement;
  };
  /// Is no size smaller and no memory larger in `large`, with equal sizes where required? Then a
  /// refutation of `small` holds for `large`, and a placement for `large` is valid for `small`.
  [[nodiscard]] bool covers(const SizeLayer& large, const SizeLayer& small) const;

  PlacementProblem problem_;
  std::size_t most_tries_;
  std::vector<BufferIndex> exact_;  ///< buffers whose sizes have to be equal
  std::deque<Refuted> refuted_;     ///< none covers another; least ones; the latest last
  std::deque<Placed> placed_;       ///< likewise
  std::size_t told_ = 0;
};

}  // namespace tessera::engine
