// How scores depend on one key while the others stay as in the best candidate: the smallest value
// at which a network fits, below which its score suffers, beyond which nothing is gained.
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
  std::size_t point = 0;  ///< of the curve
  bool proved = false;
  double gap = 0;  ///< of a score, relative: what is not proved; 0 where `open` says it
  std::vector<std::string> open;  ///< values of which it is not known
};

struct Curve {
  std::size_t key = 0;
  std::string network;             ///< "*": the set
  std::vector<CurvePoint> points;  ///< by number, ascending; at least two
  std::optional<Knee> fits;        ///< the smallest value with a plan; proved: below none has one
  std::optional<Knee> suffers;  ///< the largest below `enough` whose score is worse than tolerated
  std::optional<Knee> enough;   ///< the smallest that no larger value beats
};

/// A score this much over the best of its curve suffers.
inline constexpr double tolerated_loss = 0.01;

/// Values as numbers, where all of them are: with units, in one kind of unit.
[[nodiscard]] std::optional<std::vector<double>> numbers_of(const std::vector<std::string>& values);

/// Of every key whose values are numbers and of which there are two or more beside the best
/// candidate, network by network, the set last. None where there is no best.
[[nodiscard]] std::vector<Curve> curves(const ExploreResult& result);

}  // namespace tessera::explorer
