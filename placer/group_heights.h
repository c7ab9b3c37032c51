// The heights of memories that share buffers, lexicographically: the largest, then the next.
//
//   GroupHeights heights(problem, {0, 2}, params, best);   // best: a placement
//   auto stopped = heights.minimise();                     // best: the lowest that was found
//   heights.least_largest();                               // the largest height is at least this
//
// Which memory has the largest height is open, so a question about the next one is asked once for
// each memory that could have it. Private to placer/.
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

  /// Lowers `best`. The reason to stop before all heights are proved, if there is one.
  std::optional<StopReason> minimise();

  /// Of `best`, largest first.
  [[nodiscard]] std::vector<Size> reached() const;
  /// Proved, of the largest height.
  [[nodiscard]] Size least_largest() const { return least_.front(); }

 private:
  /// Per memory of the group: the most it may be high; nothing: it is among those asked about.
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
  std::vector<Size> least_;   ///< proved of the largest height, the next, ...
  std::vector<Limits> open_;  ///< what may be limited where: one of these in any lower placement
};

}  // namespace tessera::placer
