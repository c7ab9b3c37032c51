#include "io/hardware_yaml.h"

#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::spill;

Hardware read_hardware(const std::string& text) {
  return read_hardware_yaml(text, "t.yaml");
}

std::vector<fs::path> folders() {
  return {testing::source_path("hw_profiles")};
}

TEST(HardwareYaml, ReadsEveryKey) {
  const Hardware hardware = read_hardware(
      testing::slurp(testing::source_path("tests/fuzz/corpus/hardware_yaml/full.yaml")));
  EXPECT_EQ(hardware.name, "full");
  EXPECT_DOUBLE_EQ(hardware.clock_hz, 1e9);
  EXPECT_DOUBLE_EQ(hardware.static_power_mw, 50);
  EXPECT_THAT(hardware.provenance,
              ElementsAre(Pair("memories.cbuf", "somewhere"), Pair("clock", "assumed")));
  ASSERT_EQ(hardware.engines.size(), 2U);
  const Engine& mac = hardware.engines[0];
  EXPECT_EQ(mac.name, "mac");
  EXPECT_EQ(mac.kind, EngineKind::mac_array);
  EXPECT_THAT(mac.unroll, ElementsAre(Pair("C", 64), Pair("K", 32)));
  EXPECT_EQ(mac.dtype, "int8");
  EXPECT_THAT(mac.dtype_factor, ElementsAre(Pair("int16", 2.0)));
  EXPECT_EQ(mac.fill, 20);
  EXPECT_DOUBLE_EQ(mac.energy_pj, 0.23);
  const Engine& vec = hardware.engines[1];
  EXPECT_EQ(vec.kind, EngineKind::vector);
  EXPECT_EQ(vec.lanes, 16);
  EXPECT_EQ(vec.startup, 32);
  EXPECT_DOUBLE_EQ(vec.default_cycles_per_vector, 1);
  EXPECT_THAT(vec.cycles_per_vector, ElementsAre(Pair("softmax", 6.0)));
  ASSERT_EQ(hardware.memories.size(), 2U);
  const HardwareMemory& cbuf = hardware.memories[0];
  EXPECT_EQ(cbuf.space.capacity, 16 * 32768);
  EXPECT_EQ(cbuf.space.banks.size(), 16U);
  EXPECT_EQ(cbuf.space.alignment, 64);
  EXPECT_THAT(cbuf.space.reserved, ElementsAre(AddressRange{0, 64}));
  ASSERT_EQ(cbuf.space.modes.size(), 1U);
  EXPECT_EQ(cbuf.space.modes[0].roles[7], Role::read_write);
  EXPECT_EQ(cbuf.space.modes[0].roles[8], Role::weight);
  EXPECT_EQ(cbuf.energy, (AccessEnergy{1.2, 1.4}));
  EXPECT_EQ(cbuf.bandwidth, (Bandwidth{64, true}));
  EXPECT_FALSE(cbuf.offchip);
  const HardwareMemory& dram = hardware.memories[1];
  EXPECT_TRUE(dram.offchip);
  EXPECT_EQ(dram.space.capacity, unbounded);
  EXPECT_EQ(dram.bandwidth, (Bandwidth{12e9, false}));
  EXPECT_EQ(dram.burst, 128);
  EXPECT_EQ(dram.latency, 250);
  EXPECT_EQ(dram.energy, (AccessEnergy{64, 64})) << "one figure is for both";
  EXPECT_EQ(hardware.dma.channels, 1);
  EXPECT_EQ(hardware.dma.outstanding, 8);
  EXPECT_EQ(hardware.dma.setup, 40);
  EXPECT_EQ(hardware.mode_switch.cycles, 64);
  EXPECT_DOUBLE_EQ(hardware.mode_switch.energy_pj, 500);
  ASSERT_EQ(hardware.restrictions.size(), 1U);
  EXPECT_EQ(hardware.restrictions[0].kind, RelationKind::different_banks);
  EXPECT_THAT(hardware.restrictions[0].operands, ElementsAre("input", "output"));
  EXPECT_THAT(hardware.tiling.double_buffer, ElementsAre(false, true));
  EXPECT_THAT(hardware.tiling.weights, ElementsAre(WeightPolicy::resident, WeightPolicy::refetch));
  EXPECT_THAT(hardware.tiling.halo, ElementsAre(HaloPolicy::recompute));
  EXPECT_DOUBLE_EQ(hardware.objective.latency, 0.4);
  EXPECT_DOUBLE_EQ(hardware.objective.peak_memory, 0.1);
  EXPECT_DOUBLE_EQ(hardware.objective.peak_bandwidth, 0);
}

TEST(HardwareYaml, PlacementNeedsOnlyMemories) {
  const Hardware hardware =
      read_hardware("tessera: hardware/1\nname: x\nmemories: {s: {capacity: 1 KiB}}\n");
  EXPECT_EQ(placement_memories(hardware).size(), 1U);
  EXPECT_EQ(hardware.clock_hz, 0);
}

TEST(HardwareYaml, TheThreeBankMachine) {
  const Hardware hardware =
      read_hardware_yaml_file(find_profile("patent-three-banks", folders()), folders());
  const std::vector<Memory> memories = placement_memories(hardware);
  ASSERT_EQ(memories.size(), 1U);
  EXPECT_EQ(memories[0].capacity, 12);
  ASSERT_EQ(memories[0].modes.size(), 2U);
  EXPECT_THAT(memories[0].modes[0].roles, ElementsAre(Role::read, Role::read, Role::write));
  EXPECT_THAT(memories[0].modes[1].roles, ElementsAre(Role::write, Role::write, Role::read));
}

TEST(HardwareYaml, EveryShippedProfileReads) {
  const std::vector<std::string> names = profile_names(folders());
  EXPECT_GE(names.size(), 9U);
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("npu"))) << "bases are not listed";
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Hardware hardware = read_hardware_yaml_file(find_profile(name, folders()), folders());
    EXPECT_EQ(hardware.name, name);
    EXPECT_FALSE(hardware.provenance.empty());
  }
}

// Shipped profiles must reach more than a few percent of their stated bandwidth.
TEST(HardwareYaml, ShippedProfilesReachTheirBandwidth) {
  std::size_t memories = 0;
  for (const std::string& name : profile_names(folders())) {
    SCOPED_TRACE(name);
    const Hardware hardware = read_hardware_yaml_file(find_profile(name, folders()), folders());
    for (const HardwareMemory& memory : hardware.memories) {
      if (!memory.offchip || !memory.bandwidth || hardware.clock_hz <= 0) continue;
      ++memories;
      const auto burst = static_cast<double>(memory.burst);
      const auto reads = static_cast<double>(hardware.dma.outstanding);
      EXPECT_GE(burst * reads, memory.bandwidth->bytes_per_cycle(hardware.clock_hz) *
                                   static_cast<double>(memory.latency))
          << "reading " << memory.space.name;
      if (!memory.writable) continue;
      const auto writes =
          static_cast<double>(hardware.dma.outstanding_writes.value_or(hardware.dma.outstanding));
      const Bandwidth& stated = memory.write_bandwidth.value_or(*memory.bandwidth);
      EXPECT_GE(burst * writes,
                stated.bytes_per_cycle(hardware.clock_hz) *
                    static_cast<double>(memory.write_latency.value_or(memory.latency)))
          << "writing " << memory.space.name;
    }
  }
  EXPECT_GE(memories, 12U);
}

TEST(HardwareYaml, InheritMergesDeeply) {
  const Folder folder;
  fs::create_directory(folder / "base");
  spill(folder / "base/a.yaml",
        "tessera: hardware/1\nname: base/a\nclock: 1 GHz\n"
        "memories:\n  s: {capacity: 1 KiB, alignment: 8}\n  t: {capacity: 2 KiB}\n"
        "tiling: {weights: [resident, refetch]}\n");
  spill(folder / "b.yaml",
        "tessera: hardware/1\nname: b\ninherit: base/a\n"
        "memories:\n  s: {capacity: 4 KiB}\n  t: null\n  u: {capacity: 8 KiB}\n"
        "tiling: {weights: [refetch]}\n");
  spill(folder / "c.yaml",
        "tessera: hardware/1\nname: c\ninherit: b\nmemories: {s: {alignment: 16}}\n");
  const Hardware b = read_hardware_yaml_file(folder / "b.yaml");
  EXPECT_EQ(b.name, "b");
  EXPECT_DOUBLE_EQ(b.clock_hz, 1e9);
  ASSERT_EQ(b.memories.size(), 2U);
  EXPECT_EQ(b.memories[0].space.capacity, 4096);
  EXPECT_EQ(b.memories[0].space.alignment, 8) << "inherited within the same map";
  EXPECT_EQ(b.memories[1].space.name, "u") << "null takes t away";
  EXPECT_THAT(b.tiling.weights, ElementsAre(WeightPolicy::refetch)) << "lists are replaced";
  const std::vector<fs::path> shelf{folder.path()};
  const Hardware c = read_hardware_yaml_file(find_profile("c", shelf), shelf);
  EXPECT_EQ(c.memories[0].space.alignment, 16) << "over two levels";
}

TEST(HardwareYaml, AReplacedFigureLosesItsSource) {
  const Folder folder;
  spill(
      folder / "a.yaml",
      "tessera: hardware/1\nname: a\nclock: 1 GHz\nmemories: {s: {capacity: 1 KiB, alignment: 8}}\n"
      "provenance: {clock: measured, memories.s.capacity: data sheet, memories.s: somewhere}\n");
  spill(folder / "b.yaml",
        "tessera: hardware/1\nname: b\ninherit: a\nclock: 2 GHz\nmemories: {s: {capacity: 2 KiB}}\n"
        "provenance: {memories.s.capacity: assumed}\n");
  EXPECT_THAT(read_hardware_yaml_file(folder / "b.yaml").provenance,
              ElementsAre(Pair("memories.s.capacity", "assumed"), Pair("memories.s", "somewhere")));
}

TEST(HardwareYaml, WhatIsTakenAwayTakesItsSourcesAlong) {
  const Folder folder;
  spill(folder / "a.yaml",
        "tessera: hardware/1\nname: a\nclock: 1 GHz\nmemories: {s: {capacity: 64}}\n"
        "engines: {mac: {kind: mac_array, unroll: {C: 4}}}\n"
        "provenance: {engines.mac.unroll: measured, engines.mac: data sheet}\n");
  spill(folder / "b.yaml", "tessera: hardware/1\nname: b\ninherit: a\nengines: {mac: null}\n");
  const Hardware hardware = read_hardware_yaml_file(folder / "b.yaml");
  EXPECT_TRUE(hardware.engines.empty());
  EXPECT_TRUE(hardware.provenance.empty());
}

TEST(HardwareYaml, BasesAreFoundOnShelvesToo) {
  const Folder folder;
  spill(folder / "mine.yaml",
        "tessera: hardware/1\nname: mine\ninherit: base/npu\nmemories: {s: {capacity: 1 KiB}}\n");
  EXPECT_EQ(read_hardware_yaml_file(folder / "mine.yaml", folders()).engines.size(), 2U);
  EXPECT_REFUSED(read_hardware_yaml_file(folder / "mine.yaml"), 3, "unknown profile `base/npu`");
}

TEST(HardwareYaml, ABaseNamesOthersAsItsHeirsDo) {
  const Folder folder;
  std::filesystem::create_directory(folder / "base");
  spill(folder / "base" / "a.yaml",
        "tessera: hardware/1\nname: base/a\nmemories: {s: {capacity: 1 KiB}}\n");
  spill(folder / "base" / "b.yaml", "tessera: hardware/1\nname: base/b\ninherit: base/a\n");
  spill(folder / "mine.yaml", "tessera: hardware/1\nname: mine\ninherit: base/b\n");
  EXPECT_EQ(read_hardware_yaml_file(folder / "mine.yaml").memories.size(), 1U);
}

TEST(HardwareYaml, ErrorsNameTheFileTheLineIsIn) {
  const Folder folder;
  spill(folder / "a.yaml",
        "tessera: hardware/1\nname: a\nclock: 1 GHz\n\nmemories: {s: {capacity: 1 K}}\n");
  spill(folder / "b.yaml", "tessera: hardware/1\nname: b\ninherit: a\n");
  const auto error = testing::refusal([&] { return read_hardware_yaml_file(folder / "b.yaml"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->file, (folder / "a.yaml").string());
  EXPECT_EQ(error->line, 5U);
}

TEST(HardwareYaml, CirclesEnd) {
  const Folder folder;
  spill(folder / "a.yaml", "tessera: hardware/1\nname: a\ninherit: b\n");
  spill(folder / "b.yaml", "tessera: hardware/1\nname: b\ninherit: a\n");
  EXPECT_REFUSED(read_hardware_yaml_file(folder / "a.yaml"), 3, "levels deep");
}

TEST(HardwareYaml, FindsProfilesByNameAndPath) {
  EXPECT_EQ(find_profile("nvdla-like", folders()), folders()[0] / "nvdla-like.yaml");
  const fs::path path = folders()[0] / "gap9-like.yaml";
  EXPECT_EQ(find_profile(path.string(), {}), path);
  const auto error = testing::refusal([] { return find_profile("nvdla-lik", folders()); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->hint, "did you mean `nvdla-like`?");
  const auto far = testing::refusal([] { return find_profile("zzzzzzzzzzzz", folders()); });
  ASSERT_TRUE(far);
  EXPECT_THAT(far->hint, HasSubstr("profiles are ascend-910b-like, "));
}

}  // namespace
}  // namespace tessera::io
