#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <optional>

#include "tessera/plan.h"
#include "tessera/tile.h"
#include "tests/support/convolutions.h"
#include "tests/support/machines.h"

namespace tessera::planner {
namespace {

/// Its first tile lacks a halo on two sides and needs less than tiles in the middle.
Network one_convolution() {
  return testing::convolutions(1, {.channels = 4, .rows = 16, .columns = 8});
}

Hardware machine(Size capacity, Size alignment) {
  Hardware hardware = testing::toy_machine(capacity);
  hardware.memories[0].space.alignment = alignment;
  hardware.tiling.reduction = {1};
  return hardware;
}

std::string more(Size bytes) {
  return "needs " + std::to_string(bytes) + (bytes == 1 ? " byte more" : " bytes more");
}

// The oracle is the search itself: with this many more bytes a tile fits, with one byte less none
// does.
TEST(TileNeed, IsHowManyBytesMakeTheSmallestTileFit) {
  const Network network = one_convolution();
  for (const Size alignment : {1, 16, 64}) {
    for (const Size capacity : {16, 37, 50, 64, 79, 100}) {
      SCOPED_TRACE(std::to_string(capacity) + " bytes, alignment " + std::to_string(alignment));
      const TileParams params{.ops = {0, 0}};
      const TileReport none = find_largest_tile(network, machine(capacity, alignment), params);
      if (none.status == Status::feasible) continue;
      ASSERT_EQ(none.status, Status::infeasible);
      const Size need = none.lacking;
      ASSERT_GT(need, 0);
      EXPECT_THAT(none.reason, ::testing::HasSubstr(more(need)));
      EXPECT_EQ(find_largest_tile(network, machine(capacity + need, alignment), params).status,
                Status::feasible);
      if (need > 1) {
        EXPECT_EQ(
            find_largest_tile(network, machine(capacity + need - 1, alignment), params).status,
            Status::infeasible);
      }
      const NetworkPlan plan = plan_network(network, machine(capacity, alignment), {});
      ASSERT_EQ(plan.status, Status::infeasible);
      EXPECT_THAT(plan.reason, ::testing::HasSubstr(more(need)));
    }
  }
}

// Sums in parts need less at a time, and the message states how much.
TEST(TileNeed, CountsSumsInParts) {
  const Network network = one_convolution();
  for (const Size capacity : {4, 9, 13, 16}) {
    Hardware hardware = machine(capacity, 1);
    const Size at_once = find_largest_tile(network, hardware, {.ops = {0, 0}}).lacking;
    hardware.tiling.reduction = {1, 2, 4};
    const NetworkPlan plan = plan_network(network, hardware, {});
    ASSERT_EQ(plan.status, Status::infeasible);
    Size need = 0;
    for (Size more_bytes = at_once; more_bytes > 0 && need == 0; --more_bytes)
      if (plan.reason.find(more(more_bytes)) != std::string::npos) need = more_bytes;
    ASSERT_GT(need, 0) << plan.reason;
    EXPECT_LT(need, at_once);
    hardware.memories[0].space.capacity = capacity + need;
    EXPECT_EQ(plan_network(network, hardware, {}).status, Status::feasible);
    hardware.memories[0].space.capacity = capacity + need - 1;
    EXPECT_EQ(plan_network(network, hardware, {}).status, Status::infeasible);
  }
}

TEST(TileNeed, IsOneByteWhereOneByteIsMissing) {
  const Network network = one_convolution();
  for (const Size alignment : {1, 16}) {
    const TileParams params{.ops = {0, 0}};
    const Size capacity = 16;
    const Size enough =
        capacity + find_largest_tile(network, machine(capacity, alignment), params).lacking;
    const TileReport close = find_largest_tile(network, machine(enough - 1, alignment), params);
    EXPECT_EQ(close.status, Status::infeasible);
    EXPECT_EQ(close.lacking, 1);
    EXPECT_THAT(close.reason, ::testing::HasSubstr("needs 1 byte more than the memory has"));
  }
}

/// All one-element tiles differ: the input channel of the sum depends on the channel, and the
/// padding of the convolutions on the row and the column.
Network many_tiles() {
  Network network = testing::convolutions(12, {.channels = 1500, .rows = 9, .columns = 9});
  Op sum;
  sum.name = "sum";
  sum.kind = OpKind::elementwise;
  sum.function = "add";
  sum.inputs = {network.inputs[0], network.outputs[0]};
  sum.outputs = {testing::add_tensor(network, {1, 1500, 9, 9}, TensorKind::activation)};
  network.outputs = sum.outputs;
  network.ops.push_back(std::move(sum));
  return network;
}

TileParams of_all(const Network& network, HaloPolicy halo) {
  TileParams params{.ops = {0, network.ops.size() - 1}};
  params.variants = {{.double_buffer = false, .weights = WeightPolicy::refetch, .halo = halo}};
  return params;
}

/// Peak resident memory of this process.
Size most_resident() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Size{usage.ru_maxrss} << 10U;
}

TEST(TileNeed, NoTileIsBuiltWhereVolumesSayIt) {
  const Network network = many_tiles();
  const Size before = most_resident();
  const TileReport none =
      find_largest_tile(network, machine(1000, 1), of_all(network, HaloPolicy::recompute));
  EXPECT_EQ(none.status, Status::infeasible);
  EXPECT_EQ(none.stop, StopReason::completed);
  EXPECT_THAT(none.reason, ::testing::HasSubstr(more(none.lacking)));
  // 121,500 tiles with their regions are more than a gigabyte.
  EXPECT_LT(most_resident() - before, Size{200} << 20U);
}

/// The result after a limit.
void expect_cut(const TileReport& none, StopReason stop) {
  EXPECT_EQ(none.status, Status::infeasible);  // proved before the limit
  EXPECT_EQ(none.stop, stop);
  EXPECT_GT(none.lacking, 0);
  EXPECT_THAT(none.reason, ::testing::HasSubstr("needs at least "));
}

TEST(TileNeed, KeepsToTheLimits) {
  using namespace std::chrono_literals;
  const Network network = many_tiles();
  const Hardware small = machine(1000, 1);
  TileParams params = of_all(network, HaloPolicy::keep);  // no volumes: every tile is evaluated
  params.limits.timeout = 40ms;
  const auto begin = std::chrono::steady_clock::now();
  expect_cut(find_largest_tile(network, small, params), StopReason::time_limit);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  params.limits.timeout.reset();
  params.limits.memory = 1;
  expect_cut(find_largest_tile(network, small, params), StopReason::memory_limit);
}

}  // namespace
}  // namespace tessera::planner
