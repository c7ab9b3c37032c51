#include "tiling/joined.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/validate.h"
#include "tests/support/machines.h"
#include "tests/support/one_op.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::tiling {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// Two branches over x with the given channels, which `join` concatenates for `last`.
struct Branches {
  explicit Branches(Dim left, Dim right = 8) {
    const auto tensor = [&](Dim channels) { return one.tensor({1, channels, 8, 8}); };
    x = tensor(4);
    a = tensor(left);
    b = tensor(right);
    joined = tensor(left + right);
    y = tensor(left + right);
    const auto add = [&](const char* name, OpKind kind, std::vector<TensorIndex> inputs,
                         TensorIndex output) {
      one.net.ops.push_back(
          {.name = name, .kind = kind, .inputs = std::move(inputs), .outputs = {output}});
    };
    const auto conv = [&](const char* name, TensorIndex output, Dim channels) {
      add(name, OpKind::conv, {x, one.tensor({channels, 4, 1, 1}, TensorKind::weight)}, output);
      Op& op = one.net.ops.back();
      op.kernel = op.stride = op.dilation = {1, 1};
      op.pad_begin = op.pad_end = {0, 0};
    };
    conv("a", a, left);
    conv("b", b, right);
    add("join", OpKind::concat, {a, b}, joined);
    one.net.ops.back().axes = {1};
    add("last", OpKind::elementwise, {joined}, y);
    one.net.ops.back().function = "relu";
    one.net.inputs = {x};
    one.net.outputs = {y};
  }
  [[nodiscard]] Subgraph part(OpRange ops, std::vector<TensorIndex> stays = {}) const {
    return make_subgraph(one.net, ops, last_readers(one.net), machine, stays);
  }
  /// Names of tensors that are made in place, inside another tensor.
  [[nodiscard]] std::vector<std::string> in_place(const Subgraph& part) const {
    std::vector<std::string> names;
    for (const LocalTensor& local : part.tensors)
      if (local.in_place_of)
        names.push_back(local.tensor == a ? "a" : local.tensor == b ? "b" : "another");
    return names;
  }

  testing::One one;
  TensorIndex x = 0, a = 0, b = 0, joined = 0, y = 0;
  Hardware machine = testing::toy_machine(1 << 20);
};

TEST(Joined, WhatTheRunMakesForItAloneHasNoBuffer) {
  const Branches net(8);
  const Subgraph part = net.part({0, 3});
  EXPECT_THAT(net.in_place(part), ElementsAre("a", "b"));
  const TileSpace space = tile_space(part);
  for (const bool twice : {false, true}) {
    const Lowering lowering = lower(part, space, net.machine, {.double_buffer = twice});
    EXPECT_TRUE(validate(lowering.problem).empty());
    EXPECT_THAT(lowering.in_place, SizeIs(2));
    for (std::size_t k = 0; k < lowering.buffers.size(); ++k) {
      const TensorIndex tensor = part.tensors[lowering.buffers[k].tensor].tensor;
      EXPECT_TRUE(tensor != net.a && tensor != net.b);
      if (tensor != net.joined || twice) continue;
      // From the first op that writes into it; the concatenation has no work left.
      EXPECT_THAT(lowering.problem.buffers[k].live, ElementsAre(StepRange{0, 4}));
      EXPECT_THAT(lowering.problem.buffers[k].write, ElementsAre(0, 1));
    }
  }
}

TEST(Joined, OthersAreCopied) {
  const Branches net(8);
  // b comes from elsewhere, or is resident from an earlier group.
  EXPECT_THAT(net.in_place(net.part({2, 3})), SizeIs(0));
  EXPECT_THAT(net.in_place(net.part({1, 3})), ElementsAre("b"));
  EXPECT_THAT(net.in_place(net.part({1, 3}, {net.a})), ElementsAre("b"));
  EXPECT_THAT(makers_of(net.part({1, 3}), 2), ElementsAre(0));

  Branches read_twice(8);
  read_twice.one.net.ops.back().inputs.push_back(read_twice.one.tensor({1, 16, 8, 8}));
  read_twice.one.net.ops[3].inputs[1] = read_twice.joined;
  read_twice.one.net.ops[2].inputs = {read_twice.a, read_twice.a};
  EXPECT_THAT(read_twice.in_place(read_twice.part({0, 3})), SizeIs(0)) << "it stands twice";

  Branches rows(8);
  rows.one.net.ops[2].axes = {2};
  EXPECT_THAT(rows.in_place(rows.part({0, 3})), SizeIs(0)) << "not along channels";

  Branches fused(8);
  const TensorIndex slope = fused.one.tensor({16}, TensorKind::weight);
  fused.one.net.ops[2].fused = {{.function = "prelu", .operands = {slope}}};
  EXPECT_THAT(fused.in_place(fused.part({0, 3})), SizeIs(0)) << "every element is computed";

  Branches wide(8);
  wide.one.net.tensors[wide.joined].type = ElementType::int16;
  EXPECT_THAT(wide.in_place(wide.part({0, 3})), SizeIs(0)) << "of another type";

  Branches rows_at_once(8);
  rows_at_once.one.net.ops[0].kind = OpKind::softmax;
  rows_at_once.one.net.ops[0].inputs = {rows_at_once.one.tensor({1, 8, 8, 8})};
  rows_at_once.one.net.ops[0].axes = {3};
  EXPECT_THAT(rows_at_once.in_place(rows_at_once.part({0, 3})), ElementsAre("b"))
      << "a tile of a softmax computes whole rows";
}

TEST(Joined, ChannelsBeginABrick) {
  for (const Dim left : {8, 6}) {
    Branches net(left);
    for (HardwareMemory& memory : net.machine.memories) memory.layout.brick = 4;
    if (left == 8)
      EXPECT_THAT(net.in_place(net.part({0, 3})), ElementsAre("a", "b"));
    else
      EXPECT_THAT(net.in_place(net.part({0, 3})), ElementsAre("a")) << "b begins within a brick";
  }
}

TEST(Joined, BoxesOfWhatIsCopied) {
  const Branches net(8);
  const Subgraph part = net.part({1, 3});
  TileGeometry geometry(part, HaloPolicy::recompute);
  const TileGrid grid = geometry.grid(geometry.space().whole);
  const std::vector<Box> copied = copied_boxes(part, grid.tiles.front(), 1);
  ASSERT_THAT(copied, SizeIs(1));
  EXPECT_EQ(copied[0][1], (Span{0, 8}));
}

// Of 80 channels the second operand has 16 to 31: no tile at the begin, middle or end contains it.
TEST(Joined, WhatIsFarFromBeginMiddleAndEndMovesAlongAsWell) {
  testing::One one;
  std::vector<TensorIndex> parts;
  for (int k = 0; k < 5; ++k) parts.push_back(one.tensor({1, 16, 4, 4}));
  const TensorIndex joined = one.tensor({1, 80, 4, 4});
  one.net.ops.push_back(
      {.name = "join", .kind = OpKind::concat, .inputs = parts, .outputs = {joined}});
  one.net.ops.back().axes = {1};
  one.net.inputs = parts;
  one.net.outputs = {joined};
  const Subgraph part = make_subgraph(one.net, {0, 0});
  const TileSpace space = tile_space(part);
  constexpr auto channels = static_cast<std::size_t>(TileAxis::channels);
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    EXPECT_EQ(space.follows[channels][t], 1U) << t;
    EXPECT_TRUE(space.moving[channels][t].test(1)) << t;
  }
}

}  // namespace
}  // namespace tessera::tiling
