// Scores as a function of one key, with the other keys as in the best candidate. Finds the smallest
// value for which a network fits, the value below which its score suffers, and the value beyond
// which nothing improves.
//
//   for (const Curve& curve : curves(result))
//     if (curve.enough) use(curve.points[curve.enough->point].value, curve.enough->proved);
//
// Private to explorer/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tessera/explore.h"

namespace tessera::explorer {

struct CurvePoint {
  std::string value;
  double number = 0;
  SweepStatus status = SweepStatus::limit;
  std::optional<double> score;
  std::optional<double> bound;
};

struct Knee {
  std::size_t point = 0;  ///< index into the points of the curve
  bool proved = false;
  double gap = 0;                 ///< relative unproved part of a score; 0 if `open` lists values
  std::vector<std::string> open;  ///< undecided values
};

struct Curve {
  std::size_t key = 0;
  std::string network;             ///< "*": the set
  std::vector<CurvePoint> points;  ///< by value, ascending; at least two
  std::optional<Knee> fits;  ///< the smallest value with a plan; proved: no smaller value has one
  /// the largest value below `enough` whose score is worse than tolerated
  std::optional<Knee> suffers;
  std::optional<Knee> enough;  ///< the smallest value that no larger value beats
};

/// A score suffers if it exceeds the best of its curve by this share.
inline constexpr double tolerated_loss = 0.01;

/// Values as numbers, if all are numbers of one kind of unit.
[[nodiscard]] std::optional<std::vector<double>> numbers_of(const std::vector<std::string>& values);

/// Curves for every key with numeric values of which at least two differ from the best candidate
/// only in this key; network by network, the set last. Empty without a best candidate.
[[nodiscard]] std::vector<Curve> curves(const ExploreResult& result);

}  // namespace tessera::explorer
