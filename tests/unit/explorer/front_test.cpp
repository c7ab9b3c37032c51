#include "explorer/front.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "explorer/finished.h"
#include "model/random.h"

namespace tessera::explorer {
namespace {

TEST(Front, IsWhatBruteForceFinds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t axes = static_cast<std::size_t>(random.between(1, 4));
    std::vector<Point> points(static_cast<std::size_t>(random.between(0, 60)));
    // Few distinct values, so that there are ties and equal points.
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

TEST(Finished, KnowsAfterEachWaveWhatAllOfThemSay) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t axes = static_cast<std::size_t>(random.between(1, 4));
    std::vector<std::size_t> order(static_cast<std::size_t>(random.between(1, 60)));
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
    std::vector<Finished::One> all;
    for (const std::size_t candidate : order) {
      Finished::One& one = all.emplace_back();
      one.candidate = candidate;
      for (std::size_t k = 0; k < axes; ++k)
        one.point.push_back(static_cast<double>(random.between(0, 6)));
      one.score = static_cast<double>(random.between(0, 6));
    }
    Finished finished;
    EXPECT_FALSE(finished.best());
    std::vector<Finished::One> so_far;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.size(), at + random.below(9));
      const std::vector<Finished::One> wave(all.begin() + static_cast<std::ptrdiff_t>(at),
                                            all.begin() + static_cast<std::ptrdiff_t>(end));
      at = end;
      finished.add(wave);
      so_far.insert(so_far.end(), wave.begin(), wave.end());
      std::ranges::sort(so_far, {}, &Finished::One::candidate);
      std::vector<Point> points;
      for (const Finished::One& one : so_far) points.push_back(one.point);
      std::vector<std::pair<std::size_t, Point>> expected;
      for (const std::size_t k : front(points))
        expected.emplace_back(so_far[k].candidate, points[k]);
      ASSERT_EQ(finished.front(), expected);
      if (so_far.empty()) continue;
      ASSERT_EQ(finished.best(),
                std::ranges::min_element(so_far, {}, &Finished::One::score)->candidate);
    }
  }
}

}  // namespace
}  // namespace tessera::explorer
