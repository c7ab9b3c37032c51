#include "tessera/hardware_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "tests/support/machines.h"

namespace tessera {
namespace {

/// The field of the reported defect after a change of the machine; "" for none.
std::string blamed(const std::function<void(Hardware&)>& change) {
  Hardware hardware = testing::toy_machine(4096);
  change(hardware);
  const std::vector<HardwareDefect> defects = check_hardware(hardware);
  if (defects.empty()) return "";
  EXPECT_TRUE(defects.front().message.ends_with('.')) << defects.front().message;
  return defects.front().field;
}

TEST(HardwareCheck, AMachineAsItShouldBe) {
  EXPECT_EQ(blamed([](Hardware&) {}), "");
  EXPECT_EQ(blamed([](Hardware& h) { h.engines.clear(); }), "") << "enough to place into";
}

TEST(HardwareCheck, NumbersThatNoMachineHas) {
  const double nan = std::nan("");
  for (const double clock : {-1.0, 1e-300, 1e300, nan, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(blamed([&](Hardware& h) { h.clock_hz = clock; }), "clock") << clock;
  for (const double amount : {0.0, -1.0, 1e-300, 1e300, nan})
    EXPECT_EQ(blamed([&](Hardware& h) {
                for (HardwareMemory& m : h.memories)
                  if (m.offchip) m.bandwidth = Bandwidth{amount, false};
              }),
              "bandwidth")
        << amount;
  for (const Size burst : {Size{0}, Size{-1}, Size{1} << 31})
    EXPECT_EQ(blamed([&](Hardware& h) { h.memories.back().burst = burst; }), "burst") << burst;
  EXPECT_EQ(blamed([](Hardware& h) { h.memories.back().burst = Size{1} << 30; }), "");
  EXPECT_EQ(blamed([](Hardware& h) { h.dma.channels = 0; }), "channels");
  EXPECT_EQ(blamed([](Hardware& h) { h.dma.setup = -1; }), "setup");
  EXPECT_EQ(blamed([&](Hardware& h) { h.engines.front().energy_pj = nan; }), "energy");
  EXPECT_EQ(blamed([](Hardware& h) { h.engines.back().lanes = 0; }), "lanes");
  EXPECT_EQ(blamed([](Hardware& h) {
              h.engines.front().unroll = {{"C", 1 << 24}, {"K", 1 << 24}};
            }),
            "unroll");
  EXPECT_EQ(blamed([&](Hardware& h) { h.objective.latency = nan; }), "latency");
}

TEST(HardwareCheck, StructureThatNoReaderLetsThrough) {
  EXPECT_EQ(blamed([](Hardware& h) { h.name.clear(); }), "name");
  EXPECT_EQ(blamed([](Hardware& h) { h.memories.clear(); }), "memories");
  EXPECT_EQ(blamed([](Hardware& h) { h.tiling.halo.clear(); }), "halo");
  EXPECT_EQ(blamed([](Hardware& h) { h.tiling.weights = {static_cast<WeightPolicy>(7)}; }),
            "weights");
  EXPECT_EQ(blamed([](Hardware& h) { h.engines.push_back(h.engines.front()); }), "name");
  EXPECT_EQ(blamed([](Hardware& h) {
              h.restrictions.push_back({RelationKind::different_banks, {"input", "rows"}});
            }),
            "restrictions");
  EXPECT_EQ(blamed([](Hardware& h) { h.memories.front().space.alignment = 0; }), "alignment");
}

}  // namespace
}  // namespace tessera
