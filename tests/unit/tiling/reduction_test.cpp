#include "tiling/reduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/validate.h"
#include "tests/support/convolutions.h"
#include "tests/support/machines.h"
#include "tests/support/random_network.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::tiling {
namespace {

using ::testing::ElementsAre;

std::size_t local_named(const Subgraph& part, const std::string& name) {
  for (std::size_t t = 0; t < part.tensors.size(); ++t)
    if (part.tensor(t).name == name) return t;
  throw std::out_of_range(name);
}

struct TwoConvolutions {
  Network net = testing::convolutions(2, {.channels = 6, .rows = 8, .columns = 8});
  Hardware hardware = testing::toy_machine(1 << 20);
  Subgraph part = make_subgraph(net, {0, 1}, last_readers(net), hardware);
};

TEST(Reduction, IsAsManyOpsAsParts) {
  const TwoConvolutions f;
  ASSERT_EQ(reducible_step(f.part, f.hardware), 0);
  const auto split = split_reduction(f.part, f.hardware, 3);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->steps(), 4U);
  EXPECT_EQ(split->planned_op(0), 0U);
  EXPECT_EQ(split->planned_op(2), 0U);
  EXPECT_EQ(split->planned_op(3), 1U);
  const Tensor& whole = f.net.tensors[f.net.inputs[0]];
  Dim channels = 0;
  for (int k = 1; k <= 3; ++k) {
    const std::size_t t = local_named(*split, whole.name + ".part" + std::to_string(k));
    const LocalTensor& local = split->tensors[t];
    ASSERT_TRUE(local.slice);
    EXPECT_EQ(local.slice->begin, channels);
    EXPECT_EQ(split->planned(local.tensor), f.net.inputs[0]);
    EXPECT_TRUE(is_loaded(local));
    channels += split->tensor(t).shape[1];
  }
  EXPECT_EQ(channels, whole.shape[1]);
}

// One buffer for all sums, from the first part to the last; two parts are live at a time.
TEST(Reduction, SumsAreAddedToInPlace) {
  const TwoConvolutions f;
  const auto split = split_reduction(f.part, f.hardware, 3);
  ASSERT_TRUE(split);
  const TileSpace space = tile_space(*split);
  const std::string sums = f.net.tensors[f.net.ops[0].outputs[0]].name + ".sums";
  for (const bool twice : {false, true}) {
    const Lowering l =
        lower(*split, space, f.hardware,
              {.double_buffer = twice, .weights = WeightPolicy::refetch, .reduction = 3});
    EXPECT_TRUE(validate(l.problem).empty());
    const auto buffer = std::ranges::find(l.problem.buffers, sums, &Buffer::id);
    ASSERT_NE(buffer, l.problem.buffers.end());
    EXPECT_EQ(std::ranges::count_if(l.problem.buffers,
                                    [&](const Buffer& b) { return b.id.starts_with(sums); }),
              1);
    const auto part = std::ranges::find(
        l.problem.buffers, f.net.tensors[f.net.inputs[0]].name + ".part2", &Buffer::id);
    ASSERT_NE(part, l.problem.buffers.end());
    if (twice) {
      EXPECT_THAT(buffer->live, ElementsAre(StepRange{0, 3}, StepRange{4, 7}));
      EXPECT_THAT(part->live, ElementsAre(StepRange{0, 2}, StepRange{4, 6}));
    } else {
      EXPECT_THAT(buffer->live, ElementsAre(StepRange{0, 3}));
      EXPECT_THAT(buffer->write, ElementsAre(0, 1));
      EXPECT_THAT(buffer->read, ElementsAre(1, 2));
      EXPECT_THAT(part->live, ElementsAre(StepRange{1, 2}));
    }
  }
}

// The parts of a tile together read the same input as the whole, each element once.
TEST(Reduction, PartsReadWhatTheWholeReads) {
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Network net = testing::random_network(seed, {.ops = 3, .extent = 9, .channels = 6});
    const Hardware hardware = testing::toy_machine(1 << 20);
    const Subgraph part = make_subgraph(net, {0, net.ops.size() - 1}, last_readers(net), hardware);
    const auto split = split_reduction(part, hardware, 2);
    if (!split) continue;
    ++seen;
    TileGeometry whole(part, HaloPolicy::recompute);
    TileGeometry parts(*split, HaloPolicy::recompute);
    ASSERT_EQ(whole.space().whole, parts.space().whole);
    TileShape shape = whole.space().whole;
    for (std::size_t axis = 0; axis < tile_axes; ++axis)
      if (whole.space().axis[axis]) shape.extent[axis] = (shape.extent[axis] + 1) / 2;
    const TileRegions all = whole.tile_at(shape, {0, 0, 0});
    const TileRegions cut = parts.tile_at(shape, {0, 0, 0});
    for (std::size_t t = 0; t < part.tensors.size(); ++t) {
      Box read = nothing(part.tensor(t).shape.size());
      std::int64_t elements = 0;
      for (std::size_t s = 0; s < split->tensors.size(); ++s) {
        const LocalTensor& local = split->tensors[s];
        if (split->planned(local.tensor) != part.tensors[t].tensor || local.in_place_of ||
            split->tensor(s).name.find(".sums") != std::string::npos)
          continue;
        const Box& box = cut.needed[s];
        read = hull(read, local.slice ? in_whole(*local.slice, box) : box);
        elements += volume(box);
      }
      EXPECT_EQ(elements, volume(all.needed[t])) << seed << ' ' << part.tensor(t).name;
      if (!part.tensors[t].weight) {
        EXPECT_EQ(read, all.needed[t]) << seed << ' ' << part.tensor(t).name;
      }
    }
  }
  EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace tessera::tiling
