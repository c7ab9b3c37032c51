#include "explorer/front.h"

#include <gtest/gtest.h>

#include "model/random.h"

namespace tessera::explorer {
namespace {

TEST(Front, IsWhatBruteForceFinds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t axes = static_cast<std::size_t>(random.between(1, 4));
    std::vector<Point> points(static_cast<std::size_t>(random.between(0, 60)));
    // Few values, so that there are ties and equal points.
    for (Point& point : points)
      for (std::size_t k = 0; k < axes; ++k)
        point.push_back(static_cast<double>(random.between(0, 6)));
    std::vector<std::size_t> expected;
    for (std::size_t a = 0; a < points.size(); ++a) {
      bool beaten = false;
      for (const Point& b : points) {
        bool no_worse = true, better = false;
        for (std::size_t k = 0; k < axes; ++k) {
          no_worse = no_worse && b[k] <= points[a][k];
          better = better || b[k] < points[a][k];
        }
        beaten = beaten || (no_worse && better);
      }
      if (!beaten) expected.push_back(a);
    }
    EXPECT_EQ(front(points), expected);
  }
}

}  // namespace
}  // namespace tessera::explorer
