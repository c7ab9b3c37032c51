// Searching variants in parallel does not change results.
#include <gtest/gtest.h>

#include "tessera/tile.h"
#include "tests/support/convolutions.h"
#include "tests/support/machines.h"

namespace tessera::placer {
namespace {

Hardware machine(Size capacity) {
  Hardware hardware = testing::toy_machine(capacity);
  hardware.tiling.double_buffer = {true, false};
  hardware.tiling.weights = {WeightPolicy::resident, WeightPolicy::refetch};
  hardware.tiling.halo = {HaloPolicy::recompute, HaloPolicy::keep};
  return hardware;
}

/// Everything except times.
std::string without_times(const TileReport& report) {
  TileReport same = report;
  same.seconds = 0;
  for (ProbeReport& probe : same.probes) probe.seconds = 0;
  std::erase_if(same.stats, [](const Stat& stat) { return stat.name == "engine_microseconds"; });
  std::string text = tile_json(same);
  const std::string seconds = "\"seconds\": ";  // of the placements, too
  for (std::size_t at = text.find(seconds); at != std::string::npos; at = text.find(seconds, at)) {
    at += seconds.size();
    text.erase(at, text.find_first_of(",}\n", at) - at);
  }
  return text;
}

TEST(TileThreads, ChangeNoAnswer) {
  const Network network = testing::convolutions(3, {.channels = 8, .rows = 24, .columns = 16});
  for (const Size capacity : {200, 900, 1500, 2500, 4000, 9000, 40'000}) {
    for (const bool all : {false, true}) {
      SCOPED_TRACE(capacity);
      TileParams params{.ops = {0, 2}, .limits = {.threads = 1}, .all = all};
      const std::string alone =
          without_times(find_largest_tile(network, machine(capacity), params));
      params.limits.threads = 3;
      EXPECT_EQ(without_times(find_largest_tile(network, machine(capacity), params)), alone);
    }
    for (const Dim rows : {2, 8, 24}) {
      TileParams params{.ops = {0, 2}, .shape = {{0, rows, 0}}, .limits = {.threads = 1}};
      const std::string alone =
          without_times(find_largest_tile(network, machine(capacity), params));
      params.limits.threads = 3;
      EXPECT_EQ(without_times(find_largest_tile(network, machine(capacity), params)), alone);
    }
  }
}

TEST(TileThreads, ProgressCountsVariantsAndShapes) {
  const Network network = testing::convolutions(2, {.channels = 8, .rows = 24, .columns = 16});
  TileProgress last;
  std::int64_t shapes = 0;
  TileParams params{.ops = {0, 1}};
  params.progress = [&](const TileProgress& progress) {
    EXPECT_GE(progress.finished, last.finished);
    EXPECT_GE(progress.shapes, last.shapes);
    last = progress;
    shapes = std::max(shapes, progress.shapes);
  };
  const TileReport report = find_largest_tile(network, machine(4000), params);
  ASSERT_EQ(report.status, Status::feasible);
  EXPECT_EQ(last.variants, 8U);
  EXPECT_EQ(last.finished, 8U);
  EXPECT_GE(shapes, static_cast<std::int64_t>(report.probes.size()));
  EXPECT_EQ(last.fewest_tiles, report.tile_count());
}

}  // namespace
}  // namespace tessera::placer
