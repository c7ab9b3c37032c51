// The finished candidates of a sweep, wave by wave: the Pareto front, and the best candidate.
//
//   Finished finished;
//   finished.add({{.candidate = 3, .point = point, .score = 0.9}});
//   if (const auto other = finished.dominating(least)) ...    // no need to plan that one
//
// The cost of adding a wave depends on its own size and the size of the front, so sweeps with many
// thousands of candidates stay fast. Private to explorer/.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "explorer/front.h"

namespace tessera::explorer {

class Finished {
 public:
  struct One {
    std::size_t candidate = 0;
    Point point{};
    double score = 0;
  };
  /// Each candidate is added once.
  void add(const std::vector<One>& wave);
  /// A candidate on the front that dominates `least`.
  [[nodiscard]] std::optional<std::size_t> dominating(const Point& least) const;
  /// The front: candidates with their points, ascending.
  [[nodiscard]] const std::vector<std::pair<std::size_t, Point>>& front() const { return front_; }
  /// The first candidate with the lowest score.
  [[nodiscard]] std::optional<std::size_t> best() const;

 private:
  std::vector<std::pair<std::size_t, Point>> front_;
  std::optional<std::pair<double, std::size_t>> best_;  ///< score and candidate
};

}  // namespace tessera::explorer
