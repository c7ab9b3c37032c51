// A more capable machine is never slower. For groups of one op, in tiles of one size, on random
// machines: more bandwidth of any memory in any direction, more outstanding requests and more cores
// never take more cycles, nor does an array with an additional map.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_faster_machine_test        repeats one of them
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "cost/tiled_group.h"
#include "model/derived.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

constexpr Size room = Size{1} << 40;

Hardware machine(Random& random) {
  Hardware h;
  h.name = "random";
  h.clock_hz = 1e9;
  const Engine lanes = testing::random_lanes(random, true);
  h.engines = {testing::random_array(random), lanes};
  for (int m = 0; m < (random.chance(30) ? 2 : 1); ++m) {
    HardwareMemory chip;
    chip.space.name = "sram" + std::to_string(m);
    chip.space.capacity = room;
    h.memories.push_back(chip);
  }
  HardwareMemory dram;
  dram.space.name = "dram";
  dram.offchip = true;
  h.memories.push_back(dram);
  testing::randomize_link(random, h);
  return h;
}

/// Improves the second machine; empty if the first lacks the feature.
std::string improve(Random& random, Hardware& h) {
  const auto more = [&](auto& number) {
    number *= static_cast<std::remove_reference_t<decltype(number)>>(random.between(2, 5));
  };
  HardwareMemory& memory = h.memories[static_cast<std::size_t>(
      random.between(0, static_cast<std::int64_t>(h.memories.size()) - 1))];
  Engine& mac = h.engines.front();
  switch (random.between(0, 6)) {
    case 0:
      if (!memory.bandwidth) return {};
      // Without a bandwidth of its own, writing keeps at least its bandwidth.
      more(memory.bandwidth->amount);
      return "bandwidth of " + memory.space.name;
    case 1:
      if (!memory.write_bandwidth) return {};
      more(memory.write_bandwidth->amount);
      return "bandwidth for writing to " + memory.space.name;
    case 2:
      if (!h.dma.outstanding_writes) h.dma.outstanding_writes = h.dma.outstanding;
      more(h.dma.outstanding);
      return "reads under way";
    case 3:
      if (!h.dma.outstanding_writes) return {};
      more(*h.dma.outstanding_writes);
      return "writes under way";
    case 4:
      mac.cores += random.between(1, 4);
      return "cores";
    case 5: {
      if (mac.maps.empty()) return {};
      Mapping other = testing::random_mapping(random, mac.maps.front().ops);
      mac.maps.push_back(std::move(other));
      return "another map";
    }
    default:
      if (memory.write_bandwidth || !memory.bandwidth) return {};
      memory.write_bandwidth = memory.bandwidth;  // the two directions stop sharing it
      return "a way for writing to " + memory.space.name;
  }
}

/// Buffers placed in sequence, in memories chosen at random.
PlannedPlacement placed(Random& random, const PlacementProblem& problem) {
  PlannedPlacement result;
  result.problem = problem;
  std::vector<Offset> free(problem.memories.size(), 0);
  for (const Buffer& buffer : problem.buffers) {
    const auto m = static_cast<MemoryIndex>(
        random.between(0, static_cast<std::int64_t>(problem.memories.size()) - 1));
    result.placement.places.push_back({.memory = m, .offset = free[m]});
    free[m] += buffer.size;
  }
  result.placement.modes.resize(problem.memories.size());
  return result;
}

TEST(FasterMachine, IsNeverSlower) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(3000));
  std::uint64_t compared = 0;
  for (std::uint64_t k = 0; k < cases; ++k) {
    Random random((first + k) ^ 0xfa57e4);
    const Network net = testing::random_network(
        static_cast<std::uint64_t>(random.between(1, 1 << 30)),
        {.ops = 1, .extent = 12, .channels = 24, .views = false, .spatial_only = true});
    const Hardware slow = machine(random);
    Hardware fast = slow;
    const std::string what = improve(random, fast);
    if (what.empty()) continue;
    const tiling::Subgraph part = tiling::make_subgraph(net, {0, 0});
    tiling::TileGeometry geometry(part, HaloPolicy::recompute);
    tiling::TileShape shape = geometry.space().whole;
    for (std::size_t axis = 0; axis < shape.extent.size(); ++axis)
      if (geometry.space().axis[axis] && random.chance(50))
        shape.extent[axis] = random.between(1, shape.extent[axis]);
    const tiling::TileGrid grid = geometry.grid(shape);
    const TileVariant options{
        .double_buffer = random.chance(50),
        .weights = random.chance(50) ? WeightPolicy::resident : WeightPolicy::refetch};
    const tiling::Lowering lowering = tiling::lower(part, geometry.space(), slow, options);
    const PlannedPlacement placement = placed(random, lowering.problem);
    cost::TiledGroup run;
    run.subgraph = &part;
    run.grid = &grid;
    run.lowering = &lowering;
    run.hardware = &slow;
    run.placements = {&placement};
    const auto cycles = [&] { return cost::group_cost(run).metrics.latency_cycles; };
    const std::int64_t before = cycles();
    run.hardware = &fast;
    const std::int64_t after = cycles();
    EXPECT_LE(after, before) << "TESSERA_SEED=" << first + k << " TESSERA_CASES=1: " << what;
    ++compared;
  }
  if (cases > 100) {
    EXPECT_GT(compared, cases / 2);
  }
}

}  // namespace
}  // namespace tessera
