#include "cost/compute.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "cost/score.h"

namespace tessera::cost {
namespace {

Hardware machine() {
  Hardware h;
  h.name = "toy";
  h.clock_hz = 1e9;
  Engine mac;
  mac.name = "mac";
  mac.unroll = {{"C", 16}, {"K", 32}};
  mac.dtype = "int8";
  mac.dtype_factor = {{"int16", 2}};
  mac.fill = 20;
  mac.energy_pj = 0.5;
  Engine vec;
  vec.name = "vec";
  vec.kind = EngineKind::vector;
  vec.lanes = 8;
  vec.startup = 10;
  vec.cycles_per_vector = {{"softmax", 6}};
  vec.energy_pj = 0.1;
  h.engines = {mac, vec};
  return h;
}

struct Example {
  Network net;
  std::size_t tensor(std::vector<Dim> shape, TensorKind kind = TensorKind::activation,
                     ElementType type = ElementType::int8) {
    net.tensors.push_back({"t" + std::to_string(net.tensors.size()), std::move(shape), type, kind});
    return net.tensors.size() - 1;
  }
};

Op convolution(Example& e, Dim channels, Dim outputs, Dim kernel, Dim groups, ElementType type) {
  Op op;
  op.name = "conv";
  op.kind = OpKind::conv;
  op.inputs = {e.tensor({1, channels, 56, 56}, TensorKind::activation, type),
               e.tensor({outputs, channels / groups, kernel, kernel}, TensorKind::weight, type)};
  op.outputs = {e.tensor({1, outputs, 56, 56}, TensorKind::activation, type)};
  op.groups = groups;
  return op;
}

TEST(Compute, ConvolutionFillsTheArrayBlockByBlock) {
  Example e;
  const Op op = convolution(e, 64, 64, 3, 1, ElementType::int8);
  const std::vector<Dim> out{1, 64, 14, 56};
  const ComputeCost cost = compute_cost(e.net, op, out, machine());
  EXPECT_EQ(cost.engine, 0U);
  EXPECT_EQ(cost.work, 64LL * 64 * 9 * 14 * 56);
  EXPECT_EQ(cost.cycles, (64 / 16) * (64 / 32) * 9LL * 14 * 56 + 20);
  EXPECT_DOUBLE_EQ(cost.energy_pj, 0.5 * static_cast<double>(cost.work));
}

TEST(Compute, PartlyFilledBlocksCostAsMuchAsFullOnes) {
  Example e;
  const Op op = convolution(e, 3, 33, 1, 1, ElementType::int8);
  EXPECT_EQ(compute_cost(e.net, op, std::vector<Dim>{1, 33, 56, 56}, machine()).cycles,
            1 * 2 * 56LL * 56 + 20);
}

TEST(Compute, DepthwiseUsesOneCellPerChannel) {
  Example e;
  const Op op = convolution(e, 32, 32, 3, 32, ElementType::int8);
  const tiling::LoopNest nest = tiling::loops_of(e.net, op, std::vector<Dim>{1, 32, 56, 56}).nest;
  EXPECT_EQ(nest.G, 32);
  EXPECT_EQ(nest.C, 1);
  EXPECT_EQ(nest.K, 1);
  EXPECT_EQ(compute_cost(e.net, op, std::vector<Dim>{1, 32, 56, 56}, machine()).cycles,
            32LL * 9 * 56 * 56 + 20);
}

TEST(Compute, WiderTypesTakeLonger) {
  Example e;
  const Op wide = convolution(e, 16, 32, 1, 1, ElementType::int16);
  EXPECT_EQ(compute_cost(e.net, wide, std::vector<Dim>{1, 32, 56, 56}, machine()).cycles,
            2 * 56LL * 56 + 20);
  const Op wider = convolution(e, 16, 32, 1, 1, ElementType::float32);
  EXPECT_EQ(compute_cost(e.net, wider, std::vector<Dim>{1, 32, 56, 56}, machine()).cycles,
            4 * 56LL * 56 + 20);
}

TEST(Compute, MatrixRowsGoWhereTheArrayUnrollsSpace) {
  Example e;
  Op op;
  op.kind = OpKind::matmul;
  op.inputs = {e.tensor({128, 64}), e.tensor({64, 96})};
  op.outputs = {e.tensor({128, 96})};
  const std::vector<Dim> out{128, 96};
  EXPECT_EQ(compute_cost(e.net, op, out, machine()).cycles, (64 / 16) * (96 / 32) * 128LL + 20);
  Hardware rows = machine();
  rows.engines[0].unroll = {{"C", 16}, {"H", 64}};
  EXPECT_EQ(compute_cost(e.net, op, out, rows).cycles, (64 / 16) * 2LL * 96 + 20);
}

TEST(Compute, VectorOpsPayPerVectorAndStartUp) {
  Example e;
  Op add;
  add.kind = OpKind::elementwise;
  add.function = "add";
  add.inputs = {e.tensor({1, 10}), e.tensor({1, 10})};
  add.outputs = {e.tensor({1, 10})};
  EXPECT_EQ(compute_cost(e.net, add, std::vector<Dim>{1, 10}, machine()).cycles, 10 + 2);
  Op softmax = add;
  softmax.kind = OpKind::softmax;
  softmax.function.clear();
  EXPECT_EQ(compute_cost(e.net, softmax, std::vector<Dim>{1, 10}, machine()).cycles, 10 + 2 * 6);
}

TEST(Compute, SaysWhatIsWrongWithTheMachine) {
  Example e;
  const Op op = convolution(e, 16, 16, 1, 1, ElementType::int8);
  Hardware odd = machine();
  odd.engines.clear();
  EXPECT_THROW(static_cast<void>(compute_cost(e.net, op, std::vector<Dim>{1, 16, 1, 1}, odd)),
               std::invalid_argument);
}

TEST(Score, TheReferenceItselfScoresOne) {
  const Metrics m{
      .latency_cycles = 100, .energy_pj = 5, .dram_bytes = 7, .peak_bytes = 9, .peak_bandwidth = 2};
  const Score score{normalized({.latency = 4, .energy = 3, .dram_bytes = 2, .peak_memory = 1}), m};
  EXPECT_DOUBLE_EQ(score_of(score, m), 1.0);
  Metrics faster = m;
  faster.latency_cycles = 50;
  EXPECT_DOUBLE_EQ(score_of(score, faster), 1.0 - 0.4 * 0.5);
}

TEST(Score, SumsAddAndPeaksAreMaxima) {
  const Metrics a{
      .latency_cycles = 1, .energy_pj = 2, .dram_bytes = 3, .peak_bytes = 4, .peak_bandwidth = 5};
  const Metrics b{.latency_cycles = 10,
                  .energy_pj = 20,
                  .dram_bytes = 30,
                  .peak_bytes = 3,
                  .peak_bandwidth = 6};
  const Metrics sum{.latency_cycles = 11,
                    .energy_pj = 22,
                    .dram_bytes = 33,
                    .peak_bytes = 4,
                    .peak_bandwidth = 6};
  EXPECT_EQ(combine(a, b), sum);
}

TEST(Score, NamesOfMetricsGoBothWays) {
  for (const auto name : {"latency", "energy", "dram_bytes", "peak_memory", "peak_bandwidth"})
    EXPECT_EQ(to_string(metric_from(name).value()), name);
  EXPECT_FALSE(metric_from("speed").has_value());
}

}  // namespace
}  // namespace tessera::cost
