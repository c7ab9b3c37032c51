#include "cost/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

namespace tessera::cost {
namespace {

Pipeline load_compute_store(Cycles load, Cycles compute, Cycles store, std::int64_t tiles,
                            bool double_buffer) {
  Pipeline p;
  p.resources = {{"dma in", 1}, {"mac", 1}, {"dma out", 1}};
  p.tasks.resize(3);
  p.tasks[0] = {"load", 0, double_buffer ? 1 : 0, {{1, double_buffer ? 2 : 1}}};
  p.tasks[1] = {"compute", 1, 0, {{0, 0}, {2, double_buffer ? 2 : 1}}};
  p.tasks[2] = {"store", 2, 0, {{1, 0}}};
  p.classes = {{load, compute, store}};
  p.sequence = {{0, tiles}};
  return p;
}

TEST(Pipeline, OneTileIsTheSumOfItsTasks) {
  EXPECT_EQ(simulate(load_compute_store(7, 11, 5, 1, false), {}).cycles, 23);
  EXPECT_EQ(simulate(load_compute_store(7, 11, 5, 1, true), {}).cycles, 23);
}

TEST(Pipeline, DoubleBufferingHidesTheShorterStages) {
  // Compute-bound: first load, ten computes back to back, last store.
  EXPECT_EQ(simulate(load_compute_store(7, 11, 5, 10, true), {}).cycles, 7 + 10 * 11 + 5);
  // Load-bound: ten loads back to back, last compute and store.
  EXPECT_EQ(simulate(load_compute_store(20, 11, 5, 10, true), {}).cycles, 10 * 20 + 11 + 5);
}

TEST(Pipeline, SingleBufferWaitsForItsLastReader) {
  // The load of the next tile starts when compute has read the buffer; the store overlaps both.
  EXPECT_EQ(simulate(load_compute_store(7, 11, 5, 10, false), {}).cycles, 10 * 18 + 5);
}

TEST(Pipeline, ExtrapolationNeedsFewTiles) {
  const PipelineRun run = simulate(load_compute_store(7, 11, 5, 1'000'000, true), {});
  EXPECT_EQ(run.cycles, 7 + 11'000'000 + 5);
  EXPECT_EQ(run.tiles, 1'000'000);
  EXPECT_LT(run.simulated_tiles, 50);
}

TEST(Pipeline, WhatIsNotRecordedIsSkipped) {
  std::vector<PipelineEvent> events;
  const PipelineRun run = simulate(load_compute_store(7, 11, 5, 1'000'000'000, true),
                                   {.events = &events, .max_events = 100});
  EXPECT_EQ(run.cycles, 7 + 11'000'000'000 + 5);
  EXPECT_EQ(events.size(), 100U);
  EXPECT_LT(run.simulated_tiles, 100);
}

TEST(Pipeline, ChannelsShareTheBandwidth) {
  // Each load takes 5 cycles until its first byte and 20 for its bytes.
  Pipeline p;
  p.resources = {{"dma", 2}};
  p.tasks = {{.name = "a", .resource = 0, .after = {}}, {.name = "b", .resource = 0, .after = {}}};
  p.classes = {{25, 25}};
  p.sequence = {{0, 10}};
  EXPECT_EQ(simulate(p, {}).cycles, 10 * 25);  // nothing is shared
  p.buses = 1;
  p.bus_cycles = {{20, 20}};
  for (PipelineTask& task : p.tasks) task.bus = 0;
  EXPECT_EQ(simulate(p, {}).cycles, 5 + 20 * 20);  // latencies overlap, bytes do not
  p.buses = 2;
  p.tasks[1].bus = 1;
  EXPECT_EQ(simulate(p, {}).cycles, 10 * 25);
}

TEST(Pipeline, RejectsADependencyThatIsIssuedLater) {
  Pipeline p = load_compute_store(1, 1, 1, 2, false);
  p.tasks[0].after = {{1, 0}};
  EXPECT_THROW(static_cast<void>(simulate(p, {})), std::invalid_argument);
}

TEST(Pipeline, EventsNeverOverlapOnOneChannel) {
  std::vector<PipelineEvent> events;
  Pipeline p = load_compute_store(9, 4, 3, 20, true);
  p.resources[0].channels = 2;
  const PipelineRun run = simulate(p, {.events = &events});
  ASSERT_EQ(events.size(), 60U);
  Cycles last = 0;
  for (const PipelineEvent& a : events) {
    last = std::max(last, a.end);
    for (const PipelineEvent& b : events) {
      if (&a == &b || p.tasks[a.task].resource != p.tasks[b.task].resource) continue;
      if (a.channel != b.channel) continue;
      EXPECT_TRUE(a.end <= b.begin || b.end <= a.begin);
    }
  }
  EXPECT_EQ(last, run.cycles);
}

std::vector<std::size_t> tiles_of(const Pipeline& p) {
  std::vector<std::size_t> tiles;
  const auto add = [&](const std::vector<TileRun>& runs) {
    for (const TileRun& run : runs)
      tiles.insert(tiles.end(), static_cast<std::size_t>(run.count), run.tile_class);
  };
  add(p.before);
  for (std::int64_t r = 0; r < p.repeat; ++r) add(p.sequence);
  add(p.after);
  return tiles;
}

/// Reference without rings, skipping or run-length coding: one table of end times.
Cycles reference(const Pipeline& p) {
  const std::vector<std::size_t> tiles = tiles_of(p);
  std::vector<std::vector<Cycles>> end(tiles.size(), std::vector<Cycles>(p.tasks.size(), 0));
  std::vector<std::vector<Cycles>> free;
  for (const auto& r : p.resources) free.emplace_back(static_cast<std::size_t>(r.channels), 0);
  std::vector<Cycles> bus(p.buses, 0);
  Cycles last = 0;
  for (std::int64_t slot = -10; slot < static_cast<std::int64_t>(tiles.size()) + 10; ++slot)
    for (std::size_t k = 0; k < p.tasks.size(); ++k) {
      const std::int64_t tile = slot + p.tasks[k].lead;
      if (tile < 0 || tile >= static_cast<std::int64_t>(tiles.size())) continue;
      const auto t = static_cast<std::size_t>(tile);
      Cycles ready = 0;
      for (const auto& d : p.tasks[k].after)
        if (d.tiles_back <= tile)
          ready = std::max(ready, end[t - static_cast<std::size_t>(d.tiles_back)][d.task]);
      auto& queue = free[p.tasks[k].resource];
      auto channel = std::min_element(queue.begin(), queue.end());
      const Cycles duration = p.classes[tiles[t]][k];
      end[t][k] = duration > 0 ? std::max(ready, *channel) + duration : ready;
      const Cycles stream = p.tasks[k].bus ? p.bus_cycles[tiles[t]][k] : 0;
      if (stream > 0) {
        // The transfer occupies the end of the task; it waits for the bus.
        Cycles& busy_until = bus[*p.tasks[k].bus];
        end[t][k] = std::max(end[t][k] - stream, busy_until) + stream;
        busy_until = end[t][k];
      }
      if (duration > 0) *channel = end[t][k];
      last = std::max(last, end[t][k]);
    }
  return last;
}

Pipeline random_pipeline(std::mt19937_64& rng) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(rng() % n); };
  Pipeline p;
  const std::int64_t resources = 1 + below(3);
  for (std::int64_t r = 0; r < resources; ++r)
    p.resources.push_back({"r" + std::to_string(r), 1 + static_cast<int>(below(2))});
  const std::int64_t tasks = 1 + below(6);
  for (std::int64_t k = 0; k < tasks; ++k) {
    PipelineTask task;
    task.name = "t" + std::to_string(k);
    task.resource = static_cast<std::size_t>(below(static_cast<std::uint64_t>(resources)));
    task.lead = static_cast<int>(below(3));
    for (std::int64_t n = below(4); n > 0; --n) {
      const PipelineDependency d{static_cast<std::size_t>(below(static_cast<std::uint64_t>(tasks))),
                                 static_cast<int>(below(4))};
      const int lead_of_d = d.task < p.tasks.size() ? p.tasks[d.task].lead
                                                    : (d.task == p.tasks.size() ? task.lead : 2);
      const int slot = -d.tiles_back - lead_of_d;
      const bool earlier = d.task < p.tasks.size();
      if (slot < -task.lead || (slot == -task.lead && earlier)) task.after.push_back(d);
    }
    p.tasks.push_back(task);
  }
  // A dependency on a later task assumed lead 2; drop those that are illegal.
  for (std::size_t k = 0; k < p.tasks.size(); ++k)
    std::erase_if(p.tasks[k].after, [&](const PipelineDependency& d) {
      const int slot = -d.tiles_back - p.tasks[d.task].lead;
      return !(slot < -p.tasks[k].lead || (slot == -p.tasks[k].lead && d.task < k));
    });
  const std::int64_t classes = 1 + below(3);
  for (std::int64_t c = 0; c < classes; ++c) {
    std::vector<Cycles> durations;
    for (std::int64_t k = 0; k < tasks; ++k) durations.push_back(below(5) == 0 ? 0 : below(30));
    p.classes.push_back(durations);
  }
  if (below(2) == 0) {  // channels that share the bandwidth of their memories
    p.buses = static_cast<std::size_t>(1 + below(2));
    for (PipelineTask& task : p.tasks)
      if (below(2) == 0)
        task.bus = static_cast<std::size_t>(below(static_cast<std::uint64_t>(p.buses)));
    for (const auto& durations : p.classes) {
      std::vector<Cycles>& bus = p.bus_cycles.emplace_back();
      for (const Cycles all : durations) bus.push_back(below(static_cast<std::uint64_t>(all) + 1));
    }
  }
  const auto runs = [&](std::int64_t longest) {
    std::vector<TileRun> list;
    for (std::int64_t n = below(4); n > 0; --n)
      list.push_back({static_cast<std::size_t>(below(static_cast<std::uint64_t>(classes))),
                      below(static_cast<std::uint64_t>(longest))});
    return list;
  };
  p.before = runs(8);
  p.sequence = runs(60);
  p.repeat = 1 + below(12);
  p.after = runs(8);
  return p;
}

TEST(Pipeline, ThousandRandomOnesEqualTheDefinitionAndKeepTheBounds) {
  std::mt19937_64 rng(7);
  std::int64_t stepped = 0;
  std::int64_t tiles = 0;
  for (int i = 0; i < 1000; ++i) {
    const Pipeline p = random_pipeline(rng);
    const PipelineRun fast = simulate(p, {});
    const PipelineRun full = simulate(p, {.extrapolate = false});
    ASSERT_EQ(fast.cycles, full.cycles) << "pipeline " << i;
    ASSERT_EQ(fast.busy, full.busy) << "pipeline " << i;
    ASSERT_EQ(full.cycles, reference(p)) << "pipeline " << i;
    Cycles serial = 0;
    for (std::size_t r = 0; r < p.resources.size(); ++r) {
      ASSERT_GE(full.cycles,
                (full.busy[r] + p.resources[r].channels - 1) / p.resources[r].channels);
      serial += full.busy[r];
    }
    ASSERT_LE(full.cycles, serial);
    for (std::size_t bus = 0; bus < p.buses; ++bus) {
      Cycles streams = 0;
      for (const std::size_t tile : tiles_of(p))
        for (std::size_t k = 0; k < p.tasks.size(); ++k)
          if (p.tasks[k].bus == bus) streams += p.bus_cycles[tile][k];
      ASSERT_GE(full.cycles, streams) << "pipeline " << i;
    }
    stepped += fast.simulated_tiles;
    tiles += fast.tiles;
  }
  EXPECT_LT(stepped * 2, tiles) << "extrapolation should skip most tiles";
}

}  // namespace
}  // namespace tessera::cost
