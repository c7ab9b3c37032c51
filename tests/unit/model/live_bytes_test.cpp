#include "model/live_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "model/random.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(LiveBytes, OfNothing) {
  EXPECT_THAT(live_bytes({}), IsEmpty());
}

TEST(LiveBytes, CountSharedAddressesOnce) {
  const std::vector<Segment> occupied{
      {{0, 3}, {0, 20'000}}, {{1, 4}, {0, 20'000}}, {{1, 2}, {10'000, 30'000}}};
  EXPECT_THAT(live_bytes(occupied), ElementsAre(Pair(0, 20'000), Pair(1, 30'000), Pair(2, 20'000),
                                                Pair(3, 20'000), Pair(4, 0)));
}

TEST(LiveBytes, AreTheAddressesThatAreLive) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Segment> occupied;
    for (std::int64_t n = random.between(1, 12); n > 0; --n) {
      const Step from = random.between(0, 9);
      const Offset at = random.between(0, 19);
      occupied.push_back({{from, from + random.between(1, 5)}, {at, at + random.between(1, 9)}});
    }
    std::map<Step, Size> expected;
    for (const Segment& each : occupied)
      for (const Step step : {each.steps.lower, each.steps.upper}) {
        std::set<Offset> live;
        for (const Segment& other : occupied)
          for (Offset at = other.range.begin; at < other.range.end; ++at)
            if (other.steps.contains(step)) live.insert(at);
        expected[step] = static_cast<Size>(live.size());
      }
    const auto curve = live_bytes(occupied);
    EXPECT_EQ((std::map<Step, Size>(curve.begin(), curve.end())), expected);
    EXPECT_EQ(curve.size(), expected.size());
  }
}

}  // namespace
}  // namespace tessera
