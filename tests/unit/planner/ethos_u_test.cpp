// Compares machines with the estimates of their own compilers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cost/mapping.h"
#include "tessera/files.h"
#include "tests/support/one_op.h"

namespace tessera::planner {
namespace {

using testing::convolution;
using testing::One;
using testing::Shape;

double cycles(const One& one, const Hardware& hardware) {
  const Op& op = one.net.ops[0];
  const tiling::OpLoops loops = tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
  return cost::array_cost(op, loops, hardware.engines[0], cost::port_of(hardware)).cycles;
}

struct Known {
  const char* profile;
  bool depthwise;
  Shape shape;
  double cycles;
};

class EthosU : public ::testing::TestWithParam<Known> {};

// Estimates of Vela 3.10 for layers of public networks, in compute cycles.
TEST_P(EthosU, TakesWhatItsOwnCompilerEstimates) {
  const Known& known = GetParam();
  const double ours =
      cycles(convolution(known.shape, known.depthwise), load_profile(known.profile));
  EXPECT_NEAR(ours / known.cycles, 1, 0.03) << known.profile;
}

INSTANTIATE_TEST_SUITE_P(
    Layers, EthosU,
    ::testing::Values(Known{"ethos-u55-256", false, {32, 32, 32, 32, 32, 32, 1, 1}, 8848},
                      Known{"ethos-u55-256", false, {64, 16, 16, 64, 16, 16, 1, 1}, 5120},
                      Known{"ethos-u55-256", false, {128, 8, 8, 128, 8, 8, 1, 1}, 5120},
                      Known{"ethos-u55-256", false, {16, 32, 32, 16, 32, 32, 3, 1}, 14830},
                      Known{"ethos-u55-256", false, {32, 16, 16, 64, 8, 8, 3, 2}, 5648},
                      Known{"ethos-u55-256", true, {8, 64, 64, 8, 64, 64, 3, 1}, 15808},
                      Known{"ethos-u55-256", true, {32, 32, 32, 32, 16, 16, 3, 2}, 3760},
                      Known{"ethos-u55-256", true, {64, 16, 16, 64, 16, 16, 3, 1}, 9984},
                      Known{"ethos-u55-128", false, {8, 64, 64, 16, 64, 64, 1, 1}, 33280},
                      Known{"ethos-u55-128", true, {32, 32, 32, 32, 32, 32, 3, 1}, 30912},
                      Known{"ethos-u65-512", false, {32, 32, 32, 32, 32, 32, 1, 1}, 4432},
                      Known{"ethos-u65-512", true, {64, 16, 16, 64, 16, 16, 3, 1}, 4992}));

struct KnownBlock {
  const char* profile;
  const char* map;
  bool depthwise;
  Shape shape;
  cost::BlockShape block;
  double cycles;
};

class EthosUBlocks : public ::testing::TestWithParam<KnownBlock> {};

// Estimates of Vela 5.1 for layers of public networks, with its block shapes.
TEST_P(EthosUBlocks, TakeWhatItsOwnCompilerEstimates) {
  const KnownBlock& known = GetParam();
  const Hardware hardware = load_profile(known.profile);
  const Engine& engine = hardware.engines[0];
  One one = convolution(known.shape, known.depthwise);
  one.net.ops[0].fused.resize(1);
  const Op& op = one.net.ops[0];
  const tiling::OpLoops loops = tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
  const auto map = std::ranges::find(engine.maps, known.map, &Mapping::name) - engine.maps.begin();
  const cost::ArrayCost cost = cost::array_cost_of_block(
      op, loops, engine, cost::port_of(hardware), static_cast<std::size_t>(map), known.block);
  EXPECT_NEAR(cost.cycles, known.cycles, 2) << known.profile;
}

INSTANTIATE_TEST_SUITE_P(
    Layers, EthosUBlocks,
    ::testing::Values(
        KnownBlock{"ethos-u85-256",
                   "part_kernel",
                   false,
                   {16, 32, 32, 16, 32, 32, 3, 1},
                   {16, 8, 16},
                   13037},
        KnownBlock{
            "ethos-u85-256", "depthwise", true, {8, 64, 64, 8, 64, 64, 3, 1}, {16, 16, 16}, 25301},
        KnownBlock{"ethos-u85-1024",
                   "part_kernel_3",
                   false,
                   {8, 64, 64, 16, 64, 64, 1, 1},
                   {16, 8, 64},
                   4800},
        KnownBlock{
            "ethos-u85-2048", "depthwise", true, {8, 64, 64, 8, 64, 64, 3, 1}, {16, 44, 32}, 3890},
        KnownBlock{"ethos-u55-256-v5",
                   "part_kernel",
                   false,
                   {16, 32, 32, 16, 32, 32, 3, 1},
                   {16, 12, 16},
                   14038},
        KnownBlock{"ethos-u65-512-v5",
                   "part_kernel",
                   false,
                   {16, 32, 32, 16, 32, 32, 3, 1},
                   {16, 12, 16},
                   7051}));

TEST(EthosUProfiles, MultiplyAsOftenAsTheirNamesSay) {
  EXPECT_EQ(cost::peak_macs(load_profile("ethos-u55-128").engines[0]), 128);
  EXPECT_EQ(cost::peak_macs(load_profile("ethos-u55-256").engines[0]), 256);
  EXPECT_EQ(cost::peak_macs(load_profile("ethos-u65-256").engines[0]), 256);
  EXPECT_EQ(cost::peak_macs(load_profile("ethos-u65-512").engines[0]), 512);
  for (const int macs : {256, 512, 1024, 2048})
    EXPECT_EQ(cost::peak_macs(load_profile("ethos-u85-" + std::to_string(macs)).engines[0]), macs);
}

}  // namespace
}  // namespace tessera::planner
