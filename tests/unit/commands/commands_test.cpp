// A convolution in four tiles: every command by hand.
#include "tessera/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "commands/check.h"
#include "commands/read.h"
#include "tessera/plan.h"

namespace tessera {
namespace {

/// 2 channels of 8 x 4 pixels, a 3 x 3 kernel, stride 1, padding 1.
Network one_convolution() {
  Network net;
  net.name = "four tiles";
  net.tensors = {
      {.name = "x", .shape = {1, 2, 8, 4}, .type = ElementType::int8},
      {.name = "w", .shape = {2, 2, 3, 3}, .type = ElementType::int8, .kind = TensorKind::weight},
      {.name = "b", .shape = {2}, .type = ElementType::int32, .kind = TensorKind::weight},
      {.name = "y", .shape = {1, 2, 8, 4}, .type = ElementType::int8}};
  Op conv{.name = "conv", .kind = OpKind::conv, .inputs = {0, 1, 2}, .outputs = {3}};
  conv.kernel = {3, 3};
  conv.stride = conv.dilation = conv.pad_begin = conv.pad_end = {1, 1};
  net.ops = {conv};
  net.inputs = {0};
  net.outputs = {3};
  return net;
}

/// Two rows of the output fit: 2 x (2 x 4 x 4) of the input, 2 x (2 x 2 x 4) of the output,
/// weights.
Hardware small_machine(bool double_buffer) {
  Hardware h;
  h.name = "small";
  h.clock_hz = 1e9;
  h.engines = {{.name = "mac", .kind = EngineKind::mac_array, .unroll = {{"C", 2}, {"K", 2}}}};
  HardwareMemory sram{.space = {.name = "sram", .capacity = double_buffer ? 140 : 92}};
  HardwareMemory dram{.space = {.name = "dram", .base = 4096}, .offchip = true};
  dram.bandwidth = Bandwidth{.amount = 8, .per_cycle = true};
  dram.burst = 8;
  dram.latency = 10;
  h.memories = {sram, dram};
  h.tiling.double_buffer = {double_buffer};
  h.tiling.weights = {WeightPolicy::resident};
  h.tiling.halo = {HaloPolicy::recompute};
  h.tiling.stationary = {Stationary::none};
  h.tiling.one_copy = {OneCopy::none};
  h.tiling.reduction = {1};
  return h;
}

/// One position, 10 channels, and 4-bit weights in parts of 5 channels: 45 weights per filter.
Network half_bytes() {
  Network net = one_convolution();
  net.tensors[0].shape = {1, 10, 3, 3};
  net.tensors[1].shape = {2, 10, 3, 3};
  net.tensors[1].type = ElementType::int4;
  net.tensors[3].shape = {1, 2, 1, 1};
  net.ops.front().pad_begin = net.ops.front().pad_end = {0, 0};
  return net;
}

Hardware splitting_machine() {
  Hardware h = small_machine(false);
  h.memories.front().space.capacity = 120;
  h.tiling.weights = {WeightPolicy::refetch};
  h.tiling.reduction = {2};
  return h;
}

struct Planned {
  Network network;
  Hardware hardware;
  NetworkPlan plan;
  std::string text;

  explicit Planned(bool double_buffer) : Planned(one_convolution(), small_machine(double_buffer)) {}
  Planned(Network net, Hardware machine) : network(std::move(net)), hardware(std::move(machine)) {
    PlanParams params;
    params.tile_shapes = 0;
    params.proof_shapes = 0;
    plan = plan_network(network, hardware, params);
    write_commands(network, hardware, plan, {}, [&](std::string_view part) { text += part; });
  }
  [[nodiscard]] std::vector<commands::Command> commands() const {
    std::istringstream lines(text);
    commands::CommandReader reader(lines, "test", network, hardware);
    std::vector<commands::Command> all;
    while (auto next = reader.next()) all.push_back(*std::move(next));
    return all;
  }
  [[nodiscard]] CommandsVerdict judged(const std::string& lines) const {
    std::istringstream stream(lines);
    return commands::check_text(stream, "test", network, hardware, plan);
  }
};

std::vector<commands::CommandKind> kinds(const std::vector<commands::Command>& all) {
  std::vector<commands::CommandKind> list;
  for (const commands::Command& each : all) list.push_back(each.kind);
  return list;
}

tiling::Box rows(Dim from, Dim to) {
  tiling::Box box = tiling::whole({1, 2, 8, 4});
  box[2] = {from, to};
  return box;
}

TEST(Commands, FourTilesOneAfterTheOther) {
  const Planned planned(false);
  ASSERT_EQ(planned.plan.subgraphs.at(0).counts, (std::array<Dim, 3>{1, 4, 1}));
  const std::vector<commands::Command> all = planned.commands();
  using enum commands::CommandKind;
  // Weights and bias are resident: only the first tile loads them.
  EXPECT_EQ(kinds(all), (std::vector{load, load, load, compute, store, load, compute, store, load,
                                     compute, store, load, compute, store}));
  const std::vector<std::pair<Dim, Dim>> read{{0, 3}, {1, 5}, {3, 7}, {5, 8}};
  std::vector<commands::Command> loads;
  std::vector<commands::Command> computes;
  std::vector<commands::Command> stores;
  for (const commands::Command& each : all) {
    if (each.kind == load && each.tensor == 0) loads.push_back(each);
    if (each.kind == compute) computes.push_back(each);
    if (each.kind == store) stores.push_back(each);
  }
  ASSERT_EQ(loads.size(), 4);
  for (std::size_t k = 0; k < 4; ++k) {
    SCOPED_TRACE("tile " + std::to_string(k));
    const auto tile = static_cast<Dim>(k);
    const auto [from, to] = read[k];
    const Offset home = loads[0].copies.at(0).src->address;
    // Two channels, 32 bytes apart off-chip, of consecutive rows of 4 bytes.
    EXPECT_EQ(loads[k].box, rows(from, to));
    EXPECT_EQ(loads[k].copies.at(0).src->address, home + from * 4);
    EXPECT_EQ(loads[k].copies.at(0).src->dims,
              (std::vector<commands::Level>{{2, 32}, {(to - from) * 4, 1}}));
    // Per channel: 12 bytes at 0 mod 8 are 2 bursts, 16 at 4 mod 8 are 3, 12 at 4 mod 8 are 2.
    EXPECT_EQ(loads[k].bytes, 8 * 2 * (k == 0 || k == 3 ? 2 : 3));
    EXPECT_EQ(computes[k].out.at(0).box, rows(2 * tile, 2 * tile + 2));
    EXPECT_EQ(computes[k].in.at(0)->box, rows(from, to));
    EXPECT_EQ(computes[k].pad,
              (std::vector<std::pair<Dim, Dim>>{{k == 0 ? 1 : 0, k == 3 ? 1 : 0}, {1, 1}}));
    EXPECT_EQ(stores[k].box, rows(2 * tile, 2 * tile + 2));
    EXPECT_EQ(stores[k].bytes, 8 * 2);
    EXPECT_EQ(stores[k].after, std::vector<commands::CommandId>{computes[k].id});
    if (k > 0) {
      EXPECT_TRUE(std::ranges::count(loads[k].after, computes[k - 1].id) == 1);
    }
  }
  EXPECT_EQ(planned.judged(planned.text).wrong, std::vector<std::string>{});
}

TEST(Commands, TwoCopiesLetLoadsRunAhead) {
  const Planned planned(true);
  const std::int64_t tiles = planned.plan.subgraphs.at(0).tile_count();
  ASSERT_GE(tiles, 3);
  std::vector<std::string> buffers;
  std::vector<commands::CommandId> loads;
  std::vector<commands::CommandId> computes;
  for (const commands::Command& each : planned.commands()) {
    if (each.kind == commands::CommandKind::load && each.tensor == 0) {
      buffers.push_back(each.buffer);
      loads.push_back(each.id);
    }
    if (each.kind == commands::CommandKind::compute) computes.push_back(each.id);
  }
  for (std::size_t k = 0; k < buffers.size(); ++k)
    EXPECT_EQ(buffers[k], k % 2 == 0 ? "x.ping" : "x.pong");
  EXPECT_LT(loads.at(1), computes.at(0));  // issued before the first tile runs
  EXPECT_EQ(planned.judged(planned.text).wrong, std::vector<std::string>{});
}

/// Four convolutions whose weights do not fit beside each other in front of a backing memory.
struct Staged {
  Network network;
  Hardware hardware = small_machine(false);
  NetworkPlan plan;
  std::string text;

  explicit Staged(Size front = 1200, Size burst = 4) {
    network.name = "staged";
    network.tensors = {{.name = "t0", .shape = {1, 16, 4, 4}, .type = ElementType::int8}};
    network.inputs = {0};
    for (int k = 0; k < 4; ++k) {
      const std::string number = std::to_string(k);
      Op conv{.name = "c" + number, .kind = OpKind::conv};
      const TensorIndex next = network.tensors.size();
      conv.inputs = {k == 0 ? 0 : next - 1, next};
      conv.outputs = {next + 1};
      conv.kernel = conv.stride = conv.dilation = {1, 1};
      conv.pad_begin = conv.pad_end = {0, 0};
      network.ops.push_back(conv);
      network.tensors.push_back({.name = "w" + number,
                                 .shape = {16, 16, 1, 1},
                                 .type = ElementType::int8,
                                 .kind = TensorKind::weight});
      network.tensors.push_back(
          {.name = "t" + std::to_string(k + 1), .shape = {1, 16, 4, 4}, .type = ElementType::int8});
    }
    network.outputs = {network.tensors.size() - 1};
    hardware.memories[0].space.capacity = 800;
    hardware.memories[1].space.capacity = front;
    HardwareMemory ram{.space = {.name = "ram"}, .offchip = true};
    ram.behind = "dram";
    ram.bandwidth = Bandwidth{.amount = 2, .per_cycle = true};
    ram.burst = burst;
    hardware.memories.push_back(ram);
    PlanParams params;
    params.tile_shapes = 0;
    params.proof_shapes = 0;
    params.max_ops = 1;
    params.residency = false;
    plan = plan_network(network, hardware, params);
  }
  void write() {
    write_commands(network, hardware, plan, {}, [&](std::string_view part) { text += part; });
  }
  [[nodiscard]] std::vector<std::string> wrong(const std::string& lines) const {
    std::istringstream stream(lines);
    return commands::check_text(stream, "test", network, hardware, plan).wrong;
  }
};

TEST(Commands, FetchesFromABackingMemory) {
  Staged staged;
  staged.write();
  ASSERT_GE(staged.plan.behind.fetches.size(), 2U);
  EXPECT_EQ(staged.wrong(staged.text), std::vector<std::string>{});
  std::istringstream lines(staged.text);
  commands::CommandReader reader(lines, "test", staged.network, staged.hardware);
  std::size_t fetches = 0;
  while (const std::optional<commands::Command> command = reader.next())
    if (command->queue == "memory ram") ++fetches;
  EXPECT_EQ(fetches, staged.plan.behind.fetches.size());
  // A group that begins without its fetch, a fetch that is too early, too short, too quick.
  const std::string fetch = "\"queue\":\"memory ram\"";
  const std::string waits = "\"group\":1,\"after\":[";
  const std::size_t barrier = staged.text.find(waits);
  ASSERT_NE(barrier, std::string::npos);
  std::string other = staged.text;
  other.replace(barrier, waits.size(), "\"group\":1,\"with\":[");
  EXPECT_NE(staged.wrong(other), std::vector<std::string>{});
  for (const auto& [what, into] : {std::pair<std::string, std::string>{"[256,1]", "[255,1]"},
                                   {"\"cycles\":", "\"cycles\":1"}}) {
    other = staged.text;
    for (std::size_t at = other.find(fetch); at != std::string::npos;
         at = other.find(fetch, at + 1))
      if (const std::size_t place = other.find(what, at); place != std::string::npos)
        other.replace(place, what.size(), into);
    EXPECT_NE(staged.wrong(other), std::vector<std::string>{}) << what;
  }
}

TEST(Commands, StreamsAreRefusedWithAdvice) {
  Staged staged(700, 1);
  ASSERT_EQ(staged.plan.status, Status::feasible) << staged.plan.reason;
  try {
    staged.write();
    ADD_FAILURE() << "no weight is streamed";
  } catch (const BadInput& bad) {
    EXPECT_THAT(bad.what(), testing::HasSubstr("streams 'w"));
    EXPECT_THAT(bad.hint, testing::HasSubstr("a larger memories.dram.capacity"));
  }
}

/// The line with the first occurrence of `what`, changed.
std::string changed(const std::string& text, const std::string& line_with, const std::string& what,
                    const std::string& into) {
  const std::size_t line = text.find(line_with);
  const std::size_t at = text.find(what, line);
  EXPECT_NE(line, std::string::npos);
  EXPECT_NE(at, std::string::npos);
  std::string other = text;
  return other.replace(at, what.size(), into);
}

TEST(Commands, DamageIsFound) {
  const Planned planned(false);
  const std::string compute = "\"kind\":\"compute\",\"group\":0,\"tile\":1";
  const std::string store = "\"kind\":\"store\",\"group\":0,\"tile\":2";
  for (const auto& [line, what, into] : std::vector<std::array<std::string, 3>>{
           {compute, "[1,5]", "[1,6]"},
           {compute, "\"pad\":[[0,0]", "\"pad\":[[1,0]"},
           {compute, "\"tensor\":\"y\"", "\"tensor\":\"x\""},
           {compute, "\"tile\":1", "\"tile\":4"},
           {compute, "\"buffer\":\"y\"", "\"buffer\":\"z\""},
           {compute, "\"buffer\":\"y\"", "\"buffer\":\"\""},
           {store, "\"buffer\":\"y\"", "\"buffer\":\"w\""},
           {store, "\"bytes\":16", "\"bytes\":24"},
           {store, "\"after\":[", "\"cycles\":["},
           {store, "[8,1]", "[8,2]"},
           {store, "\"group\":0", "\"group\":-1"},
           {store, "\"box\":[[0,1]", "\"box\":[[-1,1]"},
           {store, "\"box\":[[0,1]", "\"box\":[[0,2]"},
           {compute, "\"element_bytes\":1", "\"element_bytes\":-1"},
           {store, "\"tensor\":\"y\",\"box\":[[0,1],[0,2],[4,6]",
            "\"tensor\":\"y\",\"box\":[[0,1],[0,2],[4,7]"}}) {
    SCOPED_TRACE(what + " -> " + into);
    const std::string other = changed(planned.text, line, what, into);
    try {
      EXPECT_NE(planned.judged(other).wrong, std::vector<std::string>{});
    } catch (const BadInput&) {  // also refused
    }
  }
  // A command less, and no end.
  const std::size_t line = planned.text.find(store);
  const std::size_t begin = planned.text.rfind('\n', line) + 1;
  std::string shorter = planned.text;
  shorter.erase(begin, shorter.find('\n', begin) + 1 - begin);
  EXPECT_NE(planned.judged(shorter).wrong, std::vector<std::string>{});
  // A copy that never ends.
  std::string endless = planned.text;
  const std::string dims = "[8,1]";
  for (std::size_t at = 0; (at = endless.find(dims, at)) != std::string::npos;)
    endless.replace(at, dims.size(), "[1000000000000000,0]");
  EXPECT_NE(endless, planned.text);
  EXPECT_THROW(static_cast<void>(planned.judged(endless)), BadInput);
  const std::string open = planned.text.substr(0, planned.text.find("{\"end\""));
  EXPECT_NE(planned.judged(open).wrong, std::vector<std::string>{});
}

// The last weight of a filter and the first one of the next filter share a byte.
TEST(Commands, WeightsOfHalfABytePerElementInParts) {
  const Planned planned(half_bytes(), splitting_machine());
  ASSERT_EQ(planned.plan.subgraphs.at(0).variant.reduction, 2);
  EXPECT_EQ(planned.judged(planned.text).wrong, std::vector<std::string>{});
  const std::string operand = "\"bits\":4,\"memory\":\"sram\"";
  const std::string strides = "\"strides\":[45,9,3,1]";
  for (const std::string other : {"[44,9,3,1]", "[46,9,3,1]", "[45,9,3,2]"}) {
    SCOPED_TRACE(other);
    EXPECT_NE(planned.judged(changed(planned.text, operand, strides, "\"strides\":" + other)).wrong,
              std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace tessera
