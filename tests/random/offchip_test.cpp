// Executes small plans element by element off-chip: each tile reads what was written before, or the
// input of the network.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_offchip_test        repeats one of them
#include "planner/offchip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "model/off_chip.h"
#include "model/stored.h"
#include "planner/joined.h"
#include "planner/piece.h"
#include "tessera/check.h"
#include "tessera/network_shapes.h"
#include "tessera/plan.h"
#include "tessera/validate.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/geometry.h"
#include "tiling/walk.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

/// Advances to the next element of the box, the last axis fastest; false after the last one.
bool go_on(const tiling::Box& box, std::vector<Dim>& place) {
  std::size_t axis = box.rank;
  while (axis > 0 && ++place[axis - 1] == box[axis - 1].end) {
    --axis;
    place[axis] = box[axis].begin;
  }
  return axis > 0;
}

/// Memories that record for each byte which byte of which tensor it holds.
class Dram {
 public:
  Dram(const Network& network, const Layout& layout, const std::vector<OffchipMemory>& memories)
      : network_(network), layout_(layout) {
    for (const OffchipMemory& memory : memories) {
      const Home home{.memory = bytes_.size()};
      bytes_.emplace_back(static_cast<std::size_t>(memory.height), std::pair(no_tensor, Size{0}));
      for (const OffchipBuffer& buffer : memory.buffers)
        homes_[buffer.id] = {home.memory, buffer.offset};
      for (const OffchipBuffer& buffer : memory.buffers)
        if (buffer.weights) fill({home.memory, buffer.offset}, weights, buffer.size);
    }
  }

  [[nodiscard]] bool has(TensorIndex t) const {
    const auto& place = network_.tensors[t].joined;
    return homes_.contains(network_.tensors[place ? place->whole : t].name);
  }
  void give(TensorIndex t) { each_byte(t, tiling::whole(network_.tensors[t].shape), true); }
  void write(TensorIndex t, const tiling::Box& box) { each_byte(t, box, true); }
  /// Are these the bytes of the tensor?
  [[nodiscard]] bool read(TensorIndex t, const tiling::Box& box) {
    return each_byte(t, box, false);
  }
  [[nodiscard]] bool weights_are_there(const OffchipBuffer& buffer) const {
    const Home home = homes_.at(buffer.id);
    for (Size k = 0; k < buffer.size; ++k)
      if (at(home, k) != std::pair(weights, k)) return false;
    return true;
  }

 private:
  static constexpr std::int64_t no_tensor = -1;
  static constexpr std::int64_t weights = -2;

  struct Home {
    std::size_t memory = 0;
    Offset offset = 0;
  };
  using Byte = std::pair<std::int64_t, Size>;

  [[nodiscard]] const Byte& at(const Home& home, Size k) const {
    return bytes_[home.memory][static_cast<std::size_t>(home.offset + k)];
  }
  Byte& at(const Home& home, Size k) {
    return bytes_[home.memory][static_cast<std::size_t>(home.offset + k)];
  }
  void fill(const Home& home, std::int64_t who, Size count) {
    for (Size k = 0; k < count; ++k) at(home, k) = {who, k};
  }

  /// Row by row; tensors with a channel layout in whole bricks.
  [[nodiscard]] Size index_of(const std::vector<Dim>& shape, const std::vector<Dim>& place,
                              const Layout& layout) const {
    Size index = 0;
    if (shape.size() != 4 && shape.size() != 2) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        index = index * shape[axis] + place[axis];
      return index;
    }
    for (const std::size_t axis : layout.order) {
      if (axis >= shape.size()) continue;
      const bool bricks = axis == 1;
      index = index * (bricks ? (shape[1] + layout.brick - 1) / layout.brick : shape[axis]) +
              (bricks ? place[1] / layout.brick : place[axis]);
    }
    return index * layout.brick + place[1] % layout.brick;
  }

  /// Element by element, the last axis fastest. A joined tensor is a part of the other one.
  bool each_byte(TensorIndex t, const tiling::Box& box, bool write) {
    if (const auto& place = network_.tensors[t].joined) {
      tiling::Box there = box;
      there[1] = {box[1].begin + place->begin, box[1].end + place->begin};
      return each_byte(place->whole, there, write);
    }
    const Tensor& tensor = network_.tensors[t];
    const Size element = element_bytes(tensor.type);
    const Home home = homes_.at(tensor.name);
    std::vector<Dim> place;
    for (std::size_t axis = 0; axis < box.rank; ++axis) place.push_back(box[axis].begin);
    for (;;) {
      const Size index =
          index_of(tensor.shape, place, is_outside(network_, t) ? unbricked(layout_) : layout_);
      for (Size byte = index * element; byte < (index + 1) * element; ++byte) {
        Byte& cell = at(home, byte);
        const std::pair own(static_cast<std::int64_t>(t), byte);
        if (write)
          cell = own;
        else if (cell != own)
          return false;
      }
      if (!go_on(box, place)) return true;
    }
  }

  const Network& network_;
  Layout layout_;
  std::map<std::string, Home> homes_;
  std::vector<std::vector<Byte>> bytes_;
};

/// Elements of resident tensors that have been made.
class OnChip {
 public:
  explicit OnChip(const Network& network) : network_(network) {}
  void write(TensorIndex t, const tiling::Box& box) {
    each(t, box, [](char& made) { return (made = 1) != 0; });
  }
  [[nodiscard]] bool read(TensorIndex t, const tiling::Box& box) {
    return each(t, box, [](const char& made) { return made != 0; });
  }

 private:
  template <typename What>
  bool each(TensorIndex t, const tiling::Box& box, const What& what) {
    const std::vector<Dim>& shape = network_.tensors[t].shape;
    std::vector<char>& made = made_[t];
    made.resize(static_cast<std::size_t>(tiling::volume(tiling::whole(shape))), 0);
    std::vector<Dim> place(box.rank);
    for (std::size_t axis = 0; axis < box.rank; ++axis) place[axis] = box[axis].begin;
    for (;;) {
      std::size_t index = 0;
      for (std::size_t axis = 0; axis < box.rank; ++axis)
        index =
            index * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(place[axis]);
      if (!what(made[index])) return false;
      if (!go_on(box, place)) return true;
    }
  }

  const Network& network_;
  std::map<TensorIndex, std::vector<char>> made_;
};

/// The first tile that reads wrong data; empty if there is none.
std::string executed(const Network& net, const Hardware& hardware, const NetworkPlan& plan) {
  const Network network = planner::network_of(net, hardware, plan.joined);
  const HardwareMemory* home = off_chip::activations(hardware);
  Dram dram(network, home == nullptr ? Layout{} : home->layout, plan.offchip);
  for (const TensorIndex t : network.inputs)
    if (dram.has(storage_of(network, t))) dram.give(storage_of(network, t));
  const auto readers = tiling::last_readers(network);
  OnChip on_chip(network);
  for (const PlannedSubgraph& s : plan.subgraphs) {
    const tiling::Subgraph part =
        tiling::make_subgraph(network, s.ops, readers, hardware, planner::kept_tensors(network, s));
    tiling::TileGeometry geometry(part, s.variant.halo);
    const tiling::TileGrid grid = geometry.grid({s.extent});
    const tiling::TileWalk walk(grid, tiling::lower(part, geometry.space(), hardware, s.variant));
    // Channels are the outermost loop, or the innermost one with stationary inputs.
    const bool last = s.variant.stationary == Stationary::inputs;
    for (Dim before = 0; before < (last ? 1 : s.counts[0]); ++before)
      for (Dim place = 0; place < s.counts[1] * s.counts[2]; ++place)
        for (Dim after = 0; after < (last ? s.counts[0] : 1); ++after) {
          const Dim c = last ? after : before;
          const Dim h = place / s.counts[2];
          const Dim w = place % s.counts[2];
          const tiling::TileRegions tile = geometry.tile_at({s.extent}, {c, h, w});
          for (std::size_t t = 0; t < part.tensors.size(); ++t) {
            const TensorIndex own = part.tensors[t].tensor;
            if (!tiling::is_loaded(part.tensors[t]) || part.tensors[t].weight ||
                !walk.loads(t, walk.level_at({c, h, w})))
              continue;
            if (!tile.fresh[t].none && !dram.read(own, tile.fresh[t]))
              return part.tensor(t).name + " is not there when op " + std::to_string(s.ops.first) +
                     " reads it in tile " + std::to_string(c) + ", " + std::to_string(h) + ", " +
                     std::to_string(w);
          }
          for (std::size_t t = 0; t < part.tensors.size(); ++t) {
            if (!tiling::is_stored(part.tensors[t])) continue;
            const TensorIndex own = part.tensors[t].tensor;
            if (!tile.stored[t].none) dram.write(own, tile.stored[t]);
          }
          for (std::size_t t = 0; t < part.tensors.size(); ++t) {
            const tiling::LocalTensor& local = part.tensors[t];
            if (!local.kept || tile.fresh[t].none) continue;
            if (local.producer)
              on_chip.write(local.tensor, tile.fresh[t]);
            else if (!on_chip.read(local.tensor, tile.fresh[t]))
              return part.tensor(t).name + " is not on the chip when op " +
                     std::to_string(s.ops.first) + " reads it";
          }
        }
  }
  for (const TensorIndex t : network.outputs) {
    const TensorIndex own = storage_of(network, t);
    if (dram.has(own) && !dram.read(own, tiling::whole(network.tensors[own].shape)))
      return network.tensors[own].name + " is not there at the end";
  }
  for (const OffchipMemory& memory : plan.offchip)
    for (const OffchipBuffer& buffer : memory.buffers)
      if (buffer.weights && !dram.weights_are_there(buffer)) return "weights are gone";
  return {};
}

/// Is there a concatenation without work, of off-chip tensors?
bool has_a_free_join(const Network& network, const Hardware& hardware, const NetworkPlan& plan) {
  return std::ranges::any_of(plan.subgraphs, [&](const PlannedSubgraph& s) {
    const tiling::Subgraph part = tiling::make_subgraph(
        network, s.ops, tiling::last_readers(network), hardware, planner::kept_tensors(network, s));
    return std::ranges::any_of(part.tensors, &tiling::LocalTensor::in_its_place);
  });
}

TEST(RandomOffchip, WhatIsReadIsWhatWasWritten) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(50, 6));
  std::size_t planned = 0;
  std::size_t lower = 0;
  std::size_t several = 0;
  std::size_t keeping = 0;
  std::size_t by_runs = 0;
  std::size_t coarser = 0;
  std::size_t between = 0;
  std::size_t damaged = 0;
  std::size_t noticed = 0;
  std::size_t in_place = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_CASES=1 TESSERA_SEED=" + std::to_string(seed));
    Random random(seed);
    const bool dense = random.chance(40);
    const testing::RandomNetworkParams size{
        .ops = static_cast<std::size_t>(random.between(2, 7)) + (dense ? 3 : 0),
        .extent = 10,
        .channels = 6};
    const Network network =
        dense ? testing::random_dense_network(seed, size) : testing::random_network(seed, size);
    const Size needed = testing::bytes_of(network);
    Hardware hardware = testing::random_machine(
        random, {.needed = needed, .least_percent = 10, .most_percent = 60});
    if (random.chance(40)) testing::add_flash(random, hardware);
    for (HardwareMemory& each : hardware.memories) {
      if (!each.offchip) continue;
      if (random.chance(40)) each.space.alignment = random.between(2, 64);
      if (random.chance(30)) each.space.reserved = {{random.between(0, 99), 200}};
      if (random.chance(20)) each.space.capacity = needed + random.between(200, 1'000);
    }
    if (random.chance(40)) testing::randomize_stored(random, hardware);
    testing::split_reach(random, hardware);
    testing::reach_off_chip(random, hardware);
    PlanParams params{.proof_shapes = 0};
    params.tile_shapes = dense || random.chance(60) ? 4 : 0;
    params.max_ops = static_cast<std::size_t>(random.between(1, 3));
    NetworkPlan plan = plan_network(network, hardware, params);
    if (plan.status != Status::feasible) continue;
    ++planned;
    for (const PlannedSubgraph& s : plan.subgraphs) keeping += s.kept.empty() ? 0U : 1U;
    ASSERT_FALSE(plan.offchip.empty());
    several += plan.offchip.size() > 1 ? 1U : 0U;
    for (const OffchipMemory& memory : plan.offchip) {
      const auto each = std::ranges::find_if(hardware.memories, [&](const HardwareMemory& m) {
        return m.space.name == memory.memory;
      });
      ASSERT_NE(each, hardware.memories.end());
      ASSERT_LE(memory.height, each->space.capacity);
      EXPECT_LE(memory.lower_bound, memory.height);
      EXPECT_LE(memory.height, memory.whole_tensors);
      lower += memory.height < memory.whole_tensors ? 1U : 0U;
      for (const OffchipBuffer& buffer : memory.buffers) {
        EXPECT_EQ(buffer.offset % each->space.alignment, 0);
        if (plan.offchip.size() > 1) {
          EXPECT_NE(buffer.weights, each->writable) << buffer.id;
        }
      }
    }
    ASSERT_EQ(executed(network, hardware, plan), "");
    const Network own = planner::network_of(network, hardware, plan.joined);
    in_place += has_a_free_join(own, hardware, plan) ? 1U : 0U;
    ASSERT_TRUE(validate(planner::offchip_question(own, hardware, plan.subgraphs, {})).empty());
    for (const std::string& wrong : check_plan(network, hardware, plan)) ADD_FAILURE() << wrong;
    // With rows or planes merged.
    NetworkPlan rough = plan;
    rough.offchip =
        planner::place_offchip(own, hardware, plan.subgraphs, {}, {}, random.between(1, 60))
            .memories;
    if (!rough.offchip.empty()) {
      ASSERT_EQ(rough.offchip.size(), plan.offchip.size());
      ASSERT_EQ(executed(network, hardware, rough), "");
      for (std::size_t m = 0; m < rough.offchip.size(); ++m) {
        EXPECT_LE(plan.offchip[m].lower_bound, rough.offchip[m].lower_bound);
        coarser += rough.offchip[m].lower_bound > plan.offchip[m].lower_bound ? 1U : 0U;
        between += rough.offchip[m].height < rough.offchip[m].whole_tensors ? 1U : 0U;
        rough.offchip[m].lower_bound = 0;  // belongs to coarser parts
      }
      for (const std::string& wrong : check_plan(network, hardware, rough)) ADD_FAILURE() << wrong;
    }
    // After a time limit: whole tensors, group by group.
    NetworkPlan quick = plan;
    quick.offchip = planner::place_offchip(own, hardware, plan.subgraphs, {},
                                           {.deadline = std::chrono::steady_clock::time_point{}})
                        .memories;
    if (!quick.offchip.empty()) {
      ++by_runs;
      ASSERT_EQ(executed(network, hardware, quick), "");
      for (const std::string& wrong : check_plan(network, hardware, quick)) ADD_FAILURE() << wrong;
    }
    // At another address: the checker reports every resulting error.
    OffchipMemory& one = plan.offchip[random.below(plan.offchip.size())];
    OffchipBuffer& moved = one.buffers[random.below(one.buffers.size())];
    moved.offset = random.between(0, one.height - moved.size);
    if (executed(network, hardware, plan).empty()) continue;
    ++damaged;
    noticed += check_plan(network, hardware, plan).empty() ? 0U : 1U;
  }
  std::cout << planned << " plans, " << several << " with two memories, " << lower
            << " lower than with whole tensors; " << noticed << " of " << damaged
            << " damaged ones refused\n";
  EXPECT_GT(planned, cases / 3);
  EXPECT_GT(by_runs, planned / 2);
  if (cases >= 30) {  // too rare for the few cases under a sanitizer
    EXPECT_GT(in_place, cases / 20);
    EXPECT_GT(lower, 0U);
    EXPECT_GT(several, cases / 20);
    EXPECT_GT(keeping, cases / 20);
    EXPECT_GT(coarser, 0U);
    EXPECT_GT(between, 0U);
  }
  EXPECT_EQ(noticed, damaged);
}

}  // namespace
}  // namespace tessera
