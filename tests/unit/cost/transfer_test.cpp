#include "cost/transfer.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <stdexcept>

#include "cost/group_parts.h"
#include "model/stored.h"
#include "tessera/hardware_check.h"
#include "tests/support/machines.h"

namespace tessera::cost {
namespace {

struct Piece {
  std::vector<Dim> shape;
  std::vector<Dim> begin;
  std::vector<Dim> end;
  Size element = 1;
};

BurstCount bursts_of(const Piece& piece, Size burst) {
  tiling::Box box = tiling::whole(piece.shape);
  for (std::size_t d = 0; d < piece.shape.size(); ++d) box[d] = {piece.begin[d], piece.end[d]};
  return bursts(piece.shape, tiling::tidy(box), piece.element, burst);
}

/// Reference, element by element: a row ends if the next element of the box is not at the next
/// address.
BurstCount reference(const Piece& box, Size burst) {
  BurstCount count;
  std::vector<std::int64_t> at(box.begin);
  for (std::size_t d = 0; d < box.shape.size(); ++d)
    if (box.begin[d] >= box.end[d]) return count;
  Offset row_begin = -1;
  Offset expected = -1;
  const auto close = [&] {
    if (row_begin < 0) return;
    ++count.rows;
    count.bursts += (expected - 1) / burst - row_begin / burst + 1;
  };
  while (true) {
    Offset address = 0;
    for (std::size_t d = 0; d < at.size(); ++d) address = address * box.shape[d] + at[d];
    address *= box.element;
    if (address != expected) {
      close();
      row_begin = address;
    }
    expected = address + box.element;
    count.bytes += box.element;
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == box.end[d - 1]) {
      at[d - 1] = box.begin[d - 1];
      --d;
    }
    if (d == 0) break;
  }
  close();
  return count;
}

TEST(Transfer, AWholeTensorIsOneRow) {
  const BurstCount c = bursts_of({{1, 3, 8, 8}, {0, 0, 0, 0}, {1, 3, 8, 8}, 2}, 64);
  EXPECT_EQ(c.rows, 1);
  EXPECT_EQ(c.bytes, 384);
  EXPECT_EQ(c.bursts, 6);
}

TEST(Transfer, RandomBoxesEqualTheDefinition) {
  std::mt19937_64 rng(3);
  for (int i = 0; i < 3000; ++i) {
    Piece box;
    const std::size_t rank = 1 + rng() % 4;
    for (std::size_t d = 0; d < rank; ++d) {
      const auto n = static_cast<std::int64_t>(1 + rng() % 9);
      const auto a = static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
      const auto b = a + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n - a + 1));
      box.shape.push_back(n);
      const bool whole = rng() % 3 == 0;
      box.begin.push_back(whole ? 0 : a);
      box.end.push_back(whole ? n : b);
    }
    box.element = static_cast<Size>(1 + rng() % 4);
    const auto burst = static_cast<Size>(1 + rng() % 40);
    const BurstCount got = bursts_of(box, burst);
    const BurstCount want = reference(box, burst);
    ASSERT_EQ(got.bytes, want.bytes) << i;
    if (want.bytes == 0) continue;
    // Rows that are adjacent across a partly covered axis stay separate commands.
    ASSERT_GE(got.rows, want.rows) << i;
    ASSERT_GE(got.bursts, want.bursts) << i;
    if (got.rows == want.rows) {
      ASSERT_EQ(got.bursts, want.bursts) << i;
    }
  }
}

/// Addresses of the box's elements, in whole bricks, by the definition of a layout.
std::set<std::int64_t> addresses(const std::vector<Dim>& shape, const tiling::Box& box,
                                 const Layout& layout) {
  const auto extent = [&](std::size_t axis) { return axis < shape.size() ? shape[axis] : 1; };
  const Dim bricks = (extent(1) + layout.brick - 1) / layout.brick;
  std::set<std::int64_t> all;
  for (Dim n = box[0].begin; n < box[0].end; ++n)
    for (Dim c = box[1].begin; c < box[1].end; ++c)
      for (Dim h = box.rank > 2 ? box[2].begin : 0; h < (box.rank > 2 ? box[2].end : 1); ++h)
        for (Dim w = box.rank > 3 ? box[3].begin : 0; w < (box.rank > 3 ? box[3].end : 1); ++w)
          for (Dim within = 0; within < layout.brick; ++within) {
            const Dim at[] = {n, c / layout.brick, h, w};
            std::int64_t address = 0;
            for (const std::uint8_t axis : layout.order)
              address = address * (axis == 1 ? bricks : extent(axis)) + at[axis];
            all.insert(address * layout.brick + within);
          }
  return all;
}

TEST(Transfer, LayoutsLieAsTheySay) {
  std::mt19937_64 rng(8);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
  };
  for (int i = 0; i < 2000; ++i) {
    std::vector<Dim> shape;
    const std::size_t rank = rng() % 4 == 0 ? 2 : 4;
    tiling::Box box;
    box.rank = rank;
    box.none = false;
    for (std::size_t d = 0; d < rank; ++d) {
      shape.push_back(1 + below(d == 0 ? 2 : 7));
      const Dim begin = below(shape.back());
      box[d] = rng() % 3 == 0 ? tiling::Span{0, shape.back()}
                              : tiling::Span{begin, begin + 1 + below(shape.back() - begin)};
    }
    static constexpr const char* some[] = {"NHWC", "NCHW2c", "NHCW3c", "NHWC4c", "NWHC", "NCHW"};
    const Layout layout = *layout_from(some[rng() % 6]);
    // the channels of the box begin at a brick
    if (box[1].begin % layout.brick != 0) box[1] = {0, box[1].size()};
    const std::set<std::int64_t> all = addresses(shape, box, layout);
    const Size burst = 1 + below(12);
    const BurstCount got = bursts(shape, box, 1, burst, layout);
    ASSERT_EQ(got.bytes, static_cast<Size>(all.size())) << i;
    std::int64_t rows = 0;
    std::int64_t touched = 0;
    for (auto at = all.begin(); at != all.end();) {
      auto end = at;
      std::int64_t last = *at;
      while (++end != all.end() && *end == last + 1) ++last;
      ++rows;
      touched += last / burst - *at / burst + 1;
      at = end;
    }
    // Rows that are adjacent across a partly covered axis stay separate commands.
    ASSERT_GE(got.rows, rows) << i;
    if (got.rows == rows) {
      ASSERT_EQ(got.bursts, touched) << i;
    }
  }
}

TEST(Transfer, LayoutsAreConvertedAtTheSpeedOfTheDma) {
  Link link{.burst = 8, .read = {.bytes_per_cycle = 8}, .write = {.bytes_per_cycle = 8}};
  const BurstCount count{.bursts = 100, .bytes = 800, .rows = 1};
  EXPECT_EQ(transfer_cost(count, link, true).cycles, 100);
  link.convert = 2;
  EXPECT_EQ(transfer_cost(count, link, true).cycles, 400);
  EXPECT_EQ(transfer_cost(count, link, true).shared, 100);
}

TEST(Transfer, ABurstIsANumberAndNoTable) {
  // The same count for every burst size, compared with counting row by row.
  std::mt19937_64 rng(4);
  for (int i = 0; i < 3000; ++i) {
    Piece box;
    const std::size_t rank = 1 + rng() % 3;
    for (std::size_t d = 0; d < rank; ++d) {
      const auto n = static_cast<std::int64_t>(2 + rng() % 12);
      box.shape.push_back(n);
      box.begin.push_back(static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n)));
      box.end.push_back(box.begin.back() + 1);
      box.end.back() +=
          static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n - box.begin.back()));
    }
    box.element = static_cast<Size>(1 + rng() % 4);
    const Size burst =
        std::int64_t{1} + static_cast<Size>(rng() % (rng() % 4 == 0 ? 1'000'000U : 300U));
    // Row by row: one for each index into all axes except the last.
    std::int64_t want = 0;
    std::vector<std::int64_t> at(box.begin);
    const auto last = rank - 1;
    while (true) {
      Offset address = 0;
      for (std::size_t d = 0; d < rank; ++d) address = address * box.shape[d] + at[d];
      address *= box.element;
      const Size row = (box.end[last] - box.begin[last]) * box.element;
      want += (address + row - 1) / burst - address / burst + 1;
      std::size_t d = last;
      while (d > 0 && ++at[d - 1] == box.end[d - 1]) {
        at[d - 1] = box.begin[d - 1];
        --d;
      }
      if (d == 0) break;
    }
    const BurstCount got = bursts_of(box, burst);
    // A fully covered axis merges several rows into one, which changes the count.
    const bool merged = box.begin[last] == 0 && box.end[last] == box.shape[last];
    if (merged) continue;
    ASSERT_EQ(got.bursts, want) << i;
  }
  const BurstCount huge = bursts_of({{64, 64, 64}, {1, 2, 3}, {60, 61, 62}, 1}, Size{1} << 30);
  EXPECT_EQ(huge.bursts, huge.rows);
}

TEST(Transfer, TwoElementsOfFourBitsTakeAByte) {
  std::mt19937 rng(5);
  for (int i = 0; i < 300; ++i) {
    Piece piece;
    for (int d = 0; d < 3; ++d) {
      const auto extent = static_cast<Dim>(1 + rng() % 9);
      piece.shape.push_back(extent);
      piece.begin.push_back(static_cast<Dim>(rng() % static_cast<unsigned>(extent)));
      piece.end.push_back(piece.begin.back() + 1);
      piece.end.back() +=
          static_cast<Dim>(rng() % static_cast<unsigned>(extent - piece.begin.back()));
    }
    Tensor weight;
    weight.shape = piece.shape;
    weight.type = ElementType::int4;
    weight.kind = TensorKind::weight;
    tiling::Box box = tiling::whole(piece.shape);
    for (std::size_t d = 0; d < 3; ++d) box[d] = {piece.begin[d], piece.end[d]};
    Link link;
    link.burst = static_cast<Size>(1 + rng() % 16);
    const BurstCount got = moved(weight, bytes_of(weight), false, box, link);
    const BurstCount halves = reference(piece, 2 * link.burst);  // addresses in half bytes
    ASSERT_EQ(got.bursts, halves.bursts) << i;
    ASSERT_EQ(got.bytes, (halves.bytes + 1) / 2) << i;
  }
}

TEST(Transfer, ALargeTableTakesNoLongerForManyRows) {
  // 2^30 rows: each boundary strictly inside a row adds one burst.
  const Dim side = 1024;
  const Size burst = (Size{1} << 20) - 3;
  const BurstCount got =
      bursts_of({{side * side, side, side}, {0, 0, 0}, {side * side, side, 3}, 1}, burst);
  std::int64_t want = side * side * side;
  for (Offset border = burst; border < side * side * side * side; border += burst)
    if (border % side == 1 || border % side == 2) ++want;
  EXPECT_EQ(got.rows, side * side * side);
  EXPECT_EQ(got.bursts, want);
}

TransferCost of_bursts(std::int64_t bursts, const Link& link, bool load = true) {
  return transfer_cost({.bursts = bursts, .bytes = 64, .rows = 1}, link, load);
}

TEST(Transfer, WhatNoCounterHoldsIsRefused) {
  const Link slow{.burst = Size{1} << 30, .read = {.bytes_per_cycle = 1e-12, .latency = 100}};
  EXPECT_THROW(static_cast<void>(of_bursts(100, slow)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(of_bursts(std::int64_t{1} << 40, {.burst = Size{1} << 30})),
               std::invalid_argument);
}

TEST(Transfer, TimeIsSetUpPlusOneLatencyPlusStream) {
  Link link{.burst = 64,
            .setup = 40,
            .read = {.bytes_per_cycle = 8, .latency = 100, .outstanding = 8},
            .write = {.bytes_per_cycle = 2, .latency = 10, .outstanding = 1}};
  // Eight bursts in flight bring 64 bytes in 12.5 cycles: less than 8 bytes per cycle.
  EXPECT_EQ(of_bursts(100, link).cycles, 40 + 100 + 100 * 100 / 8);
  EXPECT_EQ(of_bursts(100, link).shared, 800);
  EXPECT_EQ(of_bursts(100, link, false).cycles, 40 + 10 + 6400 / 2);
  link.read.outstanding = 64;
  EXPECT_EQ(of_bursts(100, link).cycles, 40 + 100 + 800);
  EXPECT_EQ(of_bursts(0, link).cycles, 0);
}

TEST(Transfer, MoreBandwidthIsFaster) {
  Link link{.burst = 128, .read = {.bytes_per_cycle = 4, .latency = 500, .outstanding = 64}};
  const auto slow = of_bursts(1000, link).cycles;
  link.read.bytes_per_cycle = 12;
  EXPECT_LT(of_bursts(1000, link).cycles, slow / 2);
}

TEST(Transfer, NoTransferIsFasterThanTheLeastPerByte) {
  const Link link{.burst = 64,
                  .setup = 1,
                  .read = {.bytes_per_cycle = 8, .latency = 100, .outstanding = 8},
                  .write = {.bytes_per_cycle = 8, .latency = 100, .outstanding = 64}};
  EXPECT_DOUBLE_EQ(least_cycles_per_byte(link, true, 1), 100.0 / (8 * 64));
  EXPECT_DOUBLE_EQ(least_cycles_per_byte(link, true, 2), 1.0 / 8);
  EXPECT_DOUBLE_EQ(least_cycles_per_byte(link, false, 1), 1.0 / 8);
}

TEST(Links, GoToTheMemoryThatHoldsIt) {
  Hardware machine = testing::toy_machine(4096);
  EXPECT_FALSE(links_of(machine).apart);
  EXPECT_EQ(links_of(machine).of(true).read.bytes_per_cycle, 4);
  HardwareMemory flash = machine.memories.back();
  flash.space.name = "flash";
  flash.writable = false;
  flash.bandwidth = Bandwidth{.amount = 0.5, .per_cycle = true};
  flash.energy = {.read_pj = 7, .write_pj = 0};
  for (const std::size_t at : {0U, 1U, 2U}) {
    Hardware two = machine;
    two.memories.insert(two.memories.begin() + static_cast<std::ptrdiff_t>(at), flash);
    EXPECT_TRUE(check_hardware(two).empty());
    const Links links = links_of(two);
    EXPECT_TRUE(links.apart);
    EXPECT_EQ(links.of(true).read.bytes_per_cycle, 0.5);
    EXPECT_EQ(links.of(true).energy.read_pj, 7);
    EXPECT_EQ(links.of(false).read.bytes_per_cycle, 4);
  }
  // Flash only: no other data leaves the chip.
  machine.memories.back() = flash;
  EXPECT_FALSE(links_of(machine).apart);
  EXPECT_EQ(links_of(machine).of(false).read.bytes_per_cycle, 0.5);
}

}  // namespace
}  // namespace tessera::cost
