// Partly resident tensors: their gain to the byte and the cycle, and rejected plans.
#include "planner/kept_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "planner/kept_places.h"
#include "planner/piece.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "tessera/plan.h"
#include "tessera/validate.h"
#include "tests/support/small_chain.h"
#include "tiling/kept_rows.h"
#include "tiling/subgraph.h"

namespace tessera::planner {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::small_chain;

Hardware keeping_machine(int capacity) {
  Hardware hardware = testing::small_machine(capacity);
  hardware.tiling.stay = Stay::rows;
  return hardware;
}

/// One tile each, since only the peak would benefit from more.
NetworkPlan planned(const Network& network, const Hardware& hardware) {
  return plan_network(network, hardware, {.max_ops = 1, .tile_shapes = 0, .residency = false});
}

/// Three groups of one op; this many rows of t stay on chip between the first two.
std::vector<PlannedSubgraph> runs_with(const Network& network, const Hardware& hardware, Dim rows) {
  NetworkPlan plan = planned(network, hardware);
  std::vector<PlannedSubgraph> runs = plan.subgraphs;
  for (std::size_t k = 0; k < 2; ++k) runs[k].kept_rows = {{"t", rows}};
  PieceStore pieces(network, hardware);
  for (const auto& [first, end] : tied_runs(hardware, runs))
    EXPECT_EQ(settle_kept(pieces, hardware, std::span(runs).subspan(first, end - first), {}).status,
              Status::feasible);
  return runs;
}

TEST(KeptRows, OnlyTheRestIsMovedOffTheChip) {
  const Network network = small_chain();
  Hardware hardware = keeping_machine(4096);
  const NetworkPlan before = planned(network, hardware);
  // A row of t has 8 channels of 4 bytes; on-chip copies take no time without a stated bandwidth.
  const std::vector<PlannedSubgraph> runs = runs_with(network, hardware, 3);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(before.subgraphs[k].metrics.dram_bytes - runs[k].metrics.dram_bytes, 96);
    EXPECT_EQ(before.subgraphs[k].metrics.latency_cycles - runs[k].metrics.latency_cycles, 96);
    EXPECT_EQ(runs[k].metrics.peak_bytes - before.subgraphs[k].metrics.peak_bytes, 96);
    EXPECT_EQ(runs[k].placements.front().problem.buffers.back().id, "t.stays");
    EXPECT_EQ(runs[k].placements.front().problem.buffers.back().size, 96);
  }
  EXPECT_EQ(runs[0].placements.front().placement.places.back(),
            runs[1].placements.front().placement.places.back());
  EXPECT_EQ(runs[2].metrics, before.subgraphs[2].metrics);
  // All rows: t is not moved off-chip, and its latency is saved as well.
  const std::vector<PlannedSubgraph> all = runs_with(network, hardware, 4);
  EXPECT_EQ(before.subgraphs[0].metrics.latency_cycles - all[0].metrics.latency_cycles, 138);
  EXPECT_EQ(before.subgraphs[0].metrics.dram_bytes - all[0].metrics.dram_bytes, 128);
}

TEST(KeptRows, CopyingThemTakesWhatTheChipTakes) {
  const Network network = small_chain();
  Hardware hardware = keeping_machine(4096);
  hardware.memories.front().bandwidth = Bandwidth{.amount = 4, .per_cycle = true};
  hardware.memories.front().energy = {.read_pj = 3, .write_pj = 5};
  hardware.dma.setup = 7;
  const NetworkPlan before = planned(network, hardware);
  const std::vector<PlannedSubgraph> runs = runs_with(network, hardware, 3);
  // 96 bytes are read and written on chip instead of off-chip: another set-up, and 48 cycles
  // instead of 96.
  EXPECT_EQ(before.subgraphs[0].metrics.latency_cycles - runs[0].metrics.latency_cycles,
            96 - 48 - 7);
  EXPECT_DOUBLE_EQ(before.subgraphs[0].metrics.energy_pj - runs[0].metrics.energy_pj, -96.0 * 5);
}

TEST(KeptRows, WhatHasNoRoomAsAWholeStaysInPart) {
  const Network network = small_chain();
  // The largest op takes 320 bytes in one tile.
  Hardware hardware = keeping_machine(400);
  const NetworkPlan plan = plan_network(network, hardware, {.max_ops = 1});
  Hardware whole = hardware;
  whole.tiling.stay = Stay::whole;
  const NetworkPlan without = plan_network(network, whole, {.max_ops = 1});
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_LE(plan.score, without.score);
  EXPECT_LE(plan.bound, plan.score);
  EXPECT_THAT(plan.proved_over, HasSubstr("whole or in rows"));
  EXPECT_THAT(check_plan(network, hardware, plan), IsEmpty());
}

TEST(KeptRows, PlansThatCannotBeAreRefused) {
  const Network network = small_chain();
  Hardware hardware = keeping_machine(4096);
  NetworkPlan plan = planned(network, hardware);
  plan.subgraphs = runs_with(network, hardware, 3);
  const std::string stays = "of 't' ";
  const auto wrong = [&](NetworkPlan other) { return check_plan(network, hardware, other); };
  NetworkPlan other = plan;
  other.subgraphs[1].kept_rows.front().rows = 5;
  EXPECT_THAT(wrong(other), Contains(HasSubstr("keeps 5 rows of 't', which has 4")));
  other = plan;
  other.subgraphs[1].kept_rows.push_back({"t", 3});
  EXPECT_THAT(wrong(other), Contains(HasSubstr("lists 't' among `kept_rows` twice")));
  other = plan;
  other.subgraphs[2].kept_rows = {{"y", 3}};
  EXPECT_THAT(wrong(other), Contains(HasSubstr("placement")));
  const auto lists = [&](std::vector<PlannedSubgraph> runs) {
    return kept_wrong(network, hardware, runs);
  };
  std::vector<PlannedSubgraph> runs = plan.subgraphs;
  runs[1].kept_rows.clear();
  EXPECT_THAT(lists(runs), ElementsAre(HasSubstr("does not list the rows of 't'")));
  runs = plan.subgraphs;
  runs[1].kept_rows.front().rows = 2;
  EXPECT_THAT(
      lists(runs),
      ElementsAre(HasSubstr("of tensor 't' 3 rows stay on chip in one group, and 2 in another")));
  runs = plan.subgraphs;
  runs[2].kept_rows = {{"t", 3}};
  EXPECT_THAT(lists(runs), ElementsAre(HasSubstr("lists rows of 't' that are not resident there")));
  runs = plan.subgraphs;
  runs[2].kept_rows = {{"y", 3}};
  EXPECT_THAT(lists(runs), ElementsAre(HasSubstr("of tensor 'y' no rows can stay")));
  runs = plan.subgraphs;
  hardware.tiling.stay = Stay::whole;
  EXPECT_THAT(lists(runs), ElementsAre(HasSubstr("profile's `tiling` does not allow")));
}

TEST(KeptRows, ATensorMayHaveTheNameOfTheirBuffer) {
  Network network = small_chain();
  for (Tensor& tensor : network.tensors)
    if (tensor.name == "y") tensor.name = "t.stays";
  const Hardware hardware = keeping_machine(4096);
  for (std::size_t k = 0; k < 2; ++k) {
    PlannedSubgraph run = planned(network, hardware).subgraphs[k];
    run.ops = {k, 2};
    run.kept_rows = {{"t", 1}};
    const tiling::Subgraph part =
        planned_part(network, hardware, run, tiling::last_readers(network));
    const tiling::TileGeometry geometry(part, HaloPolicy::recompute);
    const tiling::Lowering lowering = tiling::lower(part, geometry.space(), hardware, {});
    EXPECT_TRUE(validate(lowering.problem).empty());
  }
}

TEST(KeptRows, TheCHeaderListsThem) {
  const Network network = small_chain();
  const Hardware hardware = keeping_machine(4096);
  NetworkPlan plan = planned(network, hardware);
  plan.subgraphs = runs_with(network, hardware, 3);
  const std::string header = plan_c_header(plan, "net");
  EXPECT_THAT(header, HasSubstr("net_run0_kept_rows[] = {{\"t\", 3u}, {0, 0}};"));
  EXPECT_THAT(header, HasSubstr("\"t.stays\""));
}

TEST(KeptRows, BoxesAreCutAtTheRow) {
  const tiling::Box all = tiling::whole({1, 2, 6, 4});
  EXPECT_EQ(tiling::volume(tiling::among_rows(all, 4)), 32);
  EXPECT_EQ(tiling::volume(tiling::past_rows(all, 4)), 16);
  EXPECT_TRUE(tiling::past_rows(all, 6).none);
  EXPECT_TRUE(tiling::among_rows(all, 0).none);
  EXPECT_EQ(tiling::past_rows(all, 0), all);
}

}  // namespace
}  // namespace tessera::planner
