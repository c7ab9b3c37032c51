// Operand reads of an array, counted by hand and compared with SCALE-Sim (Samajdar et al., ISPASS
// 2020): a product of M x K by K x N is folded onto S x S cells. A fold takes 2 S + S + T - 2
// cycles for T steps. In each step every row and column of cells takes one element from outside;
// the stationary operand is read once per fold.
#include <gtest/gtest.h>

#include <array>

#include "cost/mapping.h"
#include "tests/support/one_op.h"
#include "tiling/ceil_div.h"

namespace tessera::cost {
namespace {

using testing::convolution;
using testing::One;

ArrayCost cost_of(const One& one, const Engine& engine) {
  const Op& op = one.net.ops[0];
  return array_cost(op, tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape), engine,
                    {});
}

One product(Dim m, Dim k, Dim n) {
  One one;
  Op op{.name = "product", .kind = OpKind::matmul};
  op.inputs = {one.tensor({m, k}), one.tensor({k, n}, TensorKind::weight)};
  op.outputs = {one.tensor({m, n})};
  one.net.ops = {op};
  return one;
}

/// 56 x 56 positions, 9 taps, 64 / 16 groups of input channels and 64 / 16 of output channels are
/// 451,584 steps. Each step reads 16 input channels of one pixel for all 16 columns of the array;
/// 16 x 16 weights are read for each of 9 x 4 x 4 passes.
TEST(OperandReads, OfASixteenBySixteenArrayByHand) {
  const One one = convolution({64, 56, 56, 64, 56, 56, 3, 1}, false);
  const ArrayCost cost = cost_of(one, {.name = "mac", .unroll = {{"C", 16}, {"K", 16}}});
  EXPECT_EQ(cost.cycles, 451'584);
  EXPECT_EQ(cost.input_bytes, 451'584.0 * 16);
  EXPECT_EQ(cost.weight_bytes, 9.0 * 4 * 4 * 16 * 16);
}

TEST(OperandReads, OfAProductAreThoseOfScaleSim) {
  constexpr std::int64_t side = 16;
  const auto machine = [&](StationaryOperand stationary, LoopCounts unroll) {
    return Engine{.name = "mac",
                  .maps = {{.name = "m",
                            .ops = {"matmul"},
                            .unroll = std::move(unroll),
                            .stationary = stationary,
                            .start = 3 * side - 2}}};
  };
  const auto folds = [](Dim extent) { return static_cast<double>(tiling::ceil_div(extent, side)); };
  for (const auto& [m, k, n] : {std::array<Dim, 3>{48, 32, 64}, {50, 40, 70}, {7, 100, 9}}) {
    const One one = product(m, k, n);
    const auto rows = static_cast<double>(m);
    const auto summed = static_cast<double>(k);
    const auto columns = static_cast<double>(n);
    const double fill = 3 * side - 2;
    // Rows of cells are the reduction, columns are filters, steps are rows of the product.
    ArrayCost cost = cost_of(one, machine(StationaryOperand::weights, {{"C", side}, {"K", side}}));
    EXPECT_EQ(cost.cycles, (fill + rows) * folds(k) * folds(n));
    EXPECT_EQ(cost.input_bytes, summed * rows * folds(n));
    EXPECT_EQ(cost.weight_bytes, summed * columns);
    // Rows are those of the product, columns are filters, steps are the reduction.
    cost = cost_of(one, machine(StationaryOperand::outputs, {{"W", side}, {"K", side}}));
    EXPECT_EQ(cost.cycles, (fill + summed) * folds(m) * folds(n));
    EXPECT_EQ(cost.input_bytes, summed * rows * folds(n));
    EXPECT_EQ(cost.weight_bytes, summed * columns * folds(m));
    // Rows are the reduction, columns are rows of the product, steps are filters.
    cost = cost_of(one, machine(StationaryOperand::inputs, {{"C", side}, {"W", side}}));
    EXPECT_EQ(cost.cycles, (fill + columns) * folds(k) * folds(m));
    EXPECT_EQ(cost.input_bytes, summed * rows);
    EXPECT_EQ(cost.weight_bytes, summed * columns * folds(m));
  }
}

TEST(OperandReads, OfRowsThatOutputsShareAreOnePerStep) {
  // 14 output rows with 3 kernel rows need 16 input rows; 6 with 3 taps need 8.
  const One one = convolution({4, 20, 5, 8, 20, 5, 3, 1}, false);
  ArrayCost cost = cost_of(one, {.name = "mac", .unroll = {{"C", 4}, {"R", 3}, {"H", 14}}});
  EXPECT_EQ(cost.input_bytes, 8.0 * 4 * (16 + 8) * 5 * 3);
  EXPECT_EQ(cost.weight_bytes, 8.0 * 4 * 9);
  // All nine taps of 3 x 3 outputs need 5 x 5 pixels; a single tap needs 3 x 3.
  const One square = convolution({4, 6, 6, 8, 6, 6, 3, 1}, false);
  cost = cost_of(square, {.name = "mac", .unroll = {{"C", 4}, {"H", 3}, {"W", 3}, {"T", 9}}});
  EXPECT_EQ(cost.input_bytes, 8.0 * 4 * 4 * 25);
  cost = cost_of(square, {.name = "mac", .unroll = {{"C", 4}, {"H", 3}, {"W", 3}}});
  EXPECT_EQ(cost.input_bytes, 8.0 * 4 * 4 * 9 * 9);
}

TEST(OperandReads, OfGroupsAreTheirOwnChannels) {
  // Channels share nothing: every step reads one pixel of a channel.
  const One one = convolution({32, 8, 8, 32, 8, 8, 3, 1}, true);
  const ArrayCost cost = cost_of(one, {.name = "mac", .unroll = {{"C", 16}, {"K", 16}}});
  EXPECT_EQ(cost.input_bytes, 32.0 * 64 * 9);
  EXPECT_EQ(cost.weight_bytes, 32.0 * 9);
}

TEST(OperandReads, ALastBlockIsAsLargeAsWhatIsLeft) {
  const One one = convolution({8, 9, 8, 8, 9, 8, 1, 1}, false);
  Engine engine{.name = "mac",
                .maps = {{.name = "m", .ops = {"conv"}, .unroll = {{"C", 8}, {"K", 8}}}},
                .blocks = {.buffer = 1 << 20, .most = {{"K", 8}, {"H", 4}, {"W", 8}}},
                .output_cycles = 0.125};
  // Four rows are computed and read at once: blocks of 4, 4 and 1 rows.
  engine.maps[0].unroll.push_back({"H", 4});
  ArrayCost cost = cost_of(one, engine);
  EXPECT_EQ(cost.cycles, 32 + 32 + 8 + 8) << "4 + 4 + 1 rows leave, 8 columns compute before";
  EXPECT_EQ(cost.input_bytes, (4 + 4 + 4) * 8.0 * 8);
  engine.blocks.partial = PartialBlocks::whole;
  cost = cost_of(one, engine);
  EXPECT_EQ(cost.cycles, 3 * 32 + 8);
}

TEST(OperandReads, OneTapAtATimeReadsTheInputForEach) {
  const One one = convolution({8, 8, 8, 8, 8, 8, 3, 1}, false);
  const auto cost = [&](LoopCounts most) {
    most.insert(most.end(), {{"K", 8}, {"H", 8}, {"W", 8}});
    return cost_of(one, {.name = "mac",
                         .unroll = {{"C", 8}, {"K", 8}},
                         .blocks = {.buffer = 1 << 20, .most = std::move(most)}});
  };
  EXPECT_EQ(cost({}).input_bytes, 64.0 * 8);
  EXPECT_EQ(cost({{"R", 8}, {"S", 8}}).input_bytes, 64.0 * 8);
  EXPECT_EQ(cost({{"R", 1}, {"S", 3}}).input_bytes, 3 * 64.0 * 8);
  EXPECT_EQ(cost({{"R", 3}, {"S", 1}}).input_bytes, 3 * 64.0 * 8);
  EXPECT_EQ(cost({{"R", 1}, {"S", 1}}).input_bytes, 9 * 64.0 * 8);
}

}  // namespace
}  // namespace tessera::cost
