// The finished candidates of a sweep, wave by wave: those that no other beats, and the best one.
//
//   Finished finished;
//   finished.add({{.candidate = 3, .point = point, .score = 0.9}});
//   if (const auto other = finished.who_beats(least)) ...    // no need to plan that one
//
// A wave costs what it has itself and what is on the front, so that sweeps of many thousands of
// candidates are not slower for each of them. Private to explorer/.
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
  /// Each once.
  void add(const std::vector<One>& wave);
  /// Somebody on the front is no worse in anything than this, and better in something.
  [[nodiscard]] std::optional<std::size_t> who_beats(const Point& least) const;
  /// Candidates with their points, ascending.
  [[nodiscard]] const std::vector<std::pair<std::size_t, Point>>& front() const { return front_; }
  /// The first of those with the lowest score.
  [[nodiscard]] std::optional<std::size_t> best() const;

 private:
  std::vector<std::pair<std::size_t, Point>> front_;
  std::optional<std::pair<double, std::size_t>> best_;  ///< score and candidate
};

}  // namespace tessera::explorer
