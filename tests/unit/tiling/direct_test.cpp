#include "tiling/direct.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/one_op.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::tiling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// An array that reads and writes both memories.
Hardware reaching_machine() {
  Hardware hardware;
  HardwareMemory memory;
  memory.space = {.name = "sram", .capacity = 1 << 20};
  hardware.memories.push_back(memory);
  memory.space = {.name = "dram"};
  memory.offchip = true;
  hardware.memories.push_back(memory);
  Engine mac{.name = "mac", .unroll = {{"C", 4}}};
  mac.reach = {.input = {"sram", "dram"}, .weights = {}, .output = {"sram", "dram"}};
  hardware.engines = {mac};
  return hardware;
}

const Network net = [] {
  testing::One one = testing::convolution({8, 6, 6, 4, 6, 6, 3, 1}, false);
  one.net.inputs = {one.net.ops[0].inputs[0]};
  one.net.outputs = one.net.ops[0].outputs;
  Op& op = one.net.ops[0];
  op.kernel = {3, 3};
  op.pad_begin = op.pad_end = {1, 1};
  return one.net;
}();

TEST(Direct, IsWhatTheEngineReachesOfAnOpThatRunsAlone) {
  Hardware hardware = reaching_machine();
  const Subgraph part = make_subgraph(net, {0, 0}, last_readers(net), hardware);
  const auto x = DirectAccess{0, true};
  const std::size_t y = part.made_at[0].front();
  EXPECT_THAT(direct_accesses(part, hardware, Direct::none), IsEmpty());
  EXPECT_THAT(direct_accesses(part, hardware, Direct::inputs), ElementsAre(x));
  EXPECT_THAT(direct_accesses(part, hardware, Direct::outputs),
              ElementsAre(DirectAccess{y, false}));
  EXPECT_EQ(direct_accesses(part, hardware, Direct::inputs_outputs).size(), 2U);
  EXPECT_THAT(direct_choices(part, hardware),
              ElementsAre(Direct::none, Direct::inputs, Direct::outputs, Direct::inputs_outputs));
  hardware.tiling.direct = {Direct::inputs_outputs};
  EXPECT_THAT(direct_choices(part, hardware), ElementsAre(Direct::inputs_outputs));
  hardware.engines[0].reach.output.clear();
  EXPECT_THAT(direct_choices(part, hardware), ElementsAre(Direct::inputs)) << "what there is of it";
  hardware.engines[0].reach.input.clear();
  EXPECT_THAT(direct_choices(part, hardware), ElementsAre(Direct::none));
}

TEST(Direct, HasNoBuffer) {
  const Hardware hardware = reaching_machine();
  const Subgraph part = make_subgraph(net, {0, 0}, last_readers(net), hardware);
  TileGeometry geometry(part, HaloPolicy::recompute);
  const Lowering all = lower(part, geometry.space(), hardware, {.double_buffer = true});
  const Lowering direct = lower(part, geometry.space(), hardware,
                                {.double_buffer = true, .direct = Direct::inputs_outputs});
  EXPECT_EQ(all.buffers.size(), 5U) << "weights, and two copies of the input and of the output";
  ASSERT_EQ(direct.buffers.size(), 1U);
  EXPECT_TRUE(part.tensors[direct.buffers[0].tensor].weight);
}

}  // namespace
}  // namespace tessera::tiling
