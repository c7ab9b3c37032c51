// Minimises the heights of memories that share buffers lexicographically: the largest, then the
// next.
//
//   GroupHeights heights(problem, {0, 2}, params, best);   // best: a placement
//   auto stopped = heights.minimise();                     // best: the lowest that was found
//   heights.least_largest();                               // the largest height is at least this
//
// It is unknown which memory has the largest height, so a query about the next height is made for
// each memory that may have it. Private to placer/.
#pragma once

#include <optional>
#include <vector>

#include "placer/height.h"

namespace tessera::placer {

class GroupHeights {
 public:
  /// All arguments outlive this. require: `best` has a placement.
  GroupHeights(const PlacementProblem& problem, const std::vector<MemoryIndex>& group,
               const HeightParams& params, Decision& best);

  /// Lowers `best`. Returns the reason if it stops before all heights are proved.
  std::optional<StopReason> minimise();

  /// Heights of `best`, largest first.
  [[nodiscard]] std::vector<Size> reached() const;
  /// Proved lower bound on the largest height.
  [[nodiscard]] Size least_largest() const { return least_.front(); }

 private:
  /// Per memory of the group: its maximum height; none: it takes part in the query.
  using Limits = std::vector<std::optional<Size>>;

  std::optional<StopReason> lower(std::size_t rank);
  [[nodiscard]] Decision ask(Size target) const;
  [[nodiscard]] Decision ask_within(const Limits& limits, Size target) const;
  void give_to_each(Size height);
  [[nodiscard]] bool interchangeable(std::size_t i, std::size_t j) const;

  const PlacementProblem& problem_;
  const std::vector<MemoryIndex>& group_;
  const HeightParams& params_;
  Decision& best_;
  std::vector<Size> least_;        ///< proved lower bounds of the largest height, the next, ...
  std::vector<Limits> undecided_;  ///< undecided limits: any lower placement satisfies one of these
};

}  // namespace tessera::placer
