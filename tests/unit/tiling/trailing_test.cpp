#include "tiling/trailing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tessera/validate.h"
#include "tests/support/machines.h"
#include "tests/support/one_op.h"
#include "tiling/lower.h"

namespace tessera::tiling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// x -> conv -> a -> conv -> b -> relu -> c -> add (and a) -> y, on an array and lanes.
struct TwoEngines {
  TwoEngines() {
    const auto tensor = [&] { return one.tensor({1, 4, 8, 8}); };
    x = tensor(), a = tensor(), b = tensor(), c = tensor(), y = tensor();
    const auto conv = [&](TensorIndex from, TensorIndex to) {
      Op op{.name = to == a ? "first" : "second", .kind = OpKind::conv};
      op.inputs = {from, one.tensor({4, 4, 1, 1}, TensorKind::weight)};
      op.outputs = {to};
      op.kernel = op.stride = op.dilation = {1, 1};
      op.pad_begin = op.pad_end = {0, 0};
      one.net.ops.push_back(op);
    };
    conv(x, a);
    conv(a, b);
    one.net.ops.push_back({.name = "relu",
                           .kind = OpKind::elementwise,
                           .function = "relu",
                           .inputs = {b},
                           .outputs = {c}});
    one.net.ops.push_back({.name = "add",
                           .kind = OpKind::elementwise,
                           .function = "add",
                           .inputs = {c, a},
                           .outputs = {y}});
    one.net.inputs = {x};
    one.net.outputs = {y};
    machine.engines = {Engine{.name = "mac", .unroll = {{"K", 4}}},
                       Engine{.name = "vec", .kind = EngineKind::vector, .lanes = 4}};
    machine.tiling.engines = EngineOrder::side_by_side;
  }
  [[nodiscard]] Subgraph part(OpRange ops = {0, 3}) const {
    return make_subgraph(one.net, ops, last_readers(one.net), machine);
  }
  [[nodiscard]] const Buffer& named(const Lowering& lowering, const std::string& id) const {
    for (const Buffer& buffer : lowering.problem.buffers)
      if (buffer.id == id) return buffer;
    throw std::out_of_range(id);
  }
  [[nodiscard]] std::string name(TensorIndex t) const { return one.net.tensors[t].name; }

  testing::One one;
  TensorIndex x = 0, a = 0, b = 0, c = 0, y = 0;
  Hardware machine = testing::toy_machine(1 << 20);
};

TEST(Trailing, StagesPartWhereTheEngineChanges) {
  TwoEngines f;
  EXPECT_THAT(trailing_choices(f.part(), f.machine), ElementsAre(2));
  EXPECT_THAT(trailing_choices(f.part({0, 1}), f.machine), IsEmpty()) << "one engine";
  EXPECT_THAT(trailing_choices(f.part({3, 3}), f.machine), IsEmpty()) << "one op";
  for (Engine& engine : f.machine.engines) engine.queue = "one";
  EXPECT_THAT(trailing_choices(f.part(), f.machine), IsEmpty()) << "one queue";
  f.machine.engines.push_back({.name = "pool", .maps = {{.name = "p", .ops = {"elementwise"}}}});
  EXPECT_THAT(trailing_choices(f.part(), f.machine), ElementsAre(2)) << "of another engine";
  f.machine.tiling.engines = EngineOrder::in_turn;
  EXPECT_THAT(trailing_choices(f.part(), f.machine), IsEmpty());
}

/// conv -> a -> a function of another engine -> b, and a is resident for a later op.
TEST(Trailing, TrailingOpsReadNoResidentTensorThatIsComputedTwice) {
  for (const Dim window : {1, 3}) {
    TwoEngines f;
    f.one.net.ops.erase(f.one.net.ops.begin() + 1, f.one.net.ops.begin() + 3);
    Op pool{.name = "pool", .kind = OpKind::max_pool, .inputs = {f.a}, .outputs = {f.c}};
    pool.kernel = {window, window};
    pool.stride = pool.dilation = {1, 1};
    pool.pad_begin = pool.pad_end = {window / 2, window / 2};
    f.one.net.ops.insert(f.one.net.ops.begin() + 1, pool);
    const auto readers = last_readers(f.one.net);
    const std::vector<TensorIndex> stays{f.a};
    const Subgraph resident = make_subgraph(f.one.net, {0, 1}, readers, f.machine, stays);
    if (window == 1) {
      EXPECT_THAT(trailing_choices(resident, f.machine), ElementsAre(1));
    } else {
      EXPECT_THAT(trailing_choices(resident, f.machine), IsEmpty()) << "rows of two tiles";
    }
    EXPECT_THAT(trailing_choices(f.part({0, 1}), f.machine), ElementsAre(1)) << "two copies";
  }
}

TEST(Trailing, StepsOfASlot) {
  const Timeline line{.steps = 4, .leading = 3};
  EXPECT_EQ(line.used_by(2), 2);
  EXPECT_EQ(line.used_by(3), 7) << "in the next slot";
  EXPECT_EQ(line.of(7).step, 3);
  EXPECT_EQ(line.of(7).tiles_back, 0);
  EXPECT_EQ(line.of(3).tiles_back, 1) << "what trails in a tile's own slot is of the one before";
  EXPECT_EQ(line.of(-1).tiles_back, 2);
  EXPECT_EQ(line.of(4).tiles_back, -1);
  EXPECT_EQ(line.ended_by(3), 2);
  EXPECT_EQ(line.begun_by(3), 4);
  EXPECT_EQ(line.ended_by(-1), -2);
  EXPECT_EQ(line.among_leading(3), line.among_leading(4));
  EXPECT_EQ(line.among_leading(-4), -3);
}

TEST(Trailing, WhatTrailingOpsUseIsThereAllTheTime) {
  const TwoEngines f;
  const Subgraph part = f.part();
  const Lowering l =
      lower(part, tile_space(part), f.machine, {.double_buffer = true, .trailing = 2});
  EXPECT_TRUE(validate(l.problem).empty());
  EXPECT_EQ(l.timeline().leading, 2);
  for (const TensorIndex handed_over : {f.a, f.b})
    for (const char* copy : {".ping", ".pong"})
      EXPECT_THAT(f.named(l, f.name(handed_over) + copy).live, ElementsAre(StepRange{0, 8}));
  EXPECT_THAT(f.named(l, f.name(f.c)).live, ElementsAre(StepRange{0, 8})) << "theirs alone";
  for (const char* copy : {".ping", ".pong"})
    EXPECT_THAT(f.named(l, f.name(f.y) + copy).live, ElementsAre(StepRange{0, 8}));
  // Loaded while the previous tile leads; the steps of the trailing ops use it exclusively.
  EXPECT_THAT(f.named(l, f.name(f.x) + ".ping").live,
              ElementsAre(StepRange{0, 1}, StepRange{4, 8}));
}

TEST(Trailing, NobodyKnowsWhenTrailingOpsDoTheirs) {
  const TwoEngines f;
  const Subgraph part = f.part();
  const Lowering l =
      lower(part, tile_space(part), f.machine, {.double_buffer = true, .trailing = 2});
  const Buffer& handed_over = f.named(l, f.name(f.b) + ".ping");
  EXPECT_THAT(handed_over.write, ElementsAre(1)) << "by one that leads";
  EXPECT_THAT(handed_over.read, ElementsAre(4, 5, 6, 7)) << "in the next slot";
  const Buffer& result = f.named(l, f.name(f.y) + ".pong");
  EXPECT_THAT(result.write, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(result.read, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << "until the next one is made";
}

TEST(Trailing, ResultsOfLeadingOpsLeaveAsInARunOfThose) {
  // Two results of one input: by the array and by the lanes.
  TwoEngines f;
  f.one.net.ops.erase(f.one.net.ops.begin() + 1, f.one.net.ops.begin() + 3);
  f.one.net.ops[1].inputs = {f.x};
  f.one.net.outputs = {f.a, f.y};
  const Subgraph part = f.part({0, 1});
  const Lowering l =
      lower(part, tile_space(part), f.machine, {.double_buffer = true, .trailing = 1});
  // As in a group of one op: the next tile has another copy.
  EXPECT_THAT(f.named(l, f.name(f.a) + ".ping").live, ElementsAre(StepRange{0, 4}));
}

}  // namespace
}  // namespace tessera::tiling
