#include "planner/joined.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tessera/check.h"
#include "tessera/network_shapes.h"
#include "tessera/plan.h"
#include "tests/support/convolutions.h"
#include "tests/support/machines.h"

namespace tessera::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Pointwise convolutions and concatenations over an input of 8 x 16 x 16, by name.
class Joins {
 public:
  Joins() {
    x = add_tensor({1, 8, 16, 16}, "x");
    net.inputs = {x};
  }
  TensorIndex conv(const char* name, TensorIndex from, Dim channels) {
    Op op{.name = name, .kind = OpKind::conv, .inputs = {from}};
    op.inputs.push_back(
        testing::add_tensor(net, {channels, net.tensors[from].shape[1], 1, 1}, TensorKind::weight));
    op.kernel = op.stride = op.dilation = {1, 1};
    op.pad_begin = op.pad_end = {0, 0};
    return made(std::move(op), channels, name);
  }
  TensorIndex join(const char* name, std::vector<TensorIndex> from) {
    Dim channels = 0;
    for (const TensorIndex t : from) channels += net.tensors[t].shape[1];
    Op op{.name = name, .kind = OpKind::concat, .inputs = std::move(from)};
    op.axes = {1};
    return made(std::move(op), channels, name);
  }
  /// "a in c: 0 .. 4"
  [[nodiscard]] std::vector<std::string> joined(const Hardware& hardware) const {
    EXPECT_THAT(check_network(net), IsEmpty());
    std::vector<std::string> list;
    for (const PlannedJoin& each : joined_of(joined_off_chip(net, hardware)))
      list.push_back(each.tensor + " in " + each.whole + ": " + std::to_string(each.begin) +
                     " .. " + std::to_string(each.end));
    return list;
  }

  Network net;
  TensorIndex x = 0;

 private:
  TensorIndex add_tensor(std::vector<Dim> shape, const char* name) {
    const TensorIndex t = testing::add_tensor(net, std::move(shape), TensorKind::activation);
    net.tensors[t].name = name;
    return t;
  }
  TensorIndex made(Op op, Dim channels, const char* name) {
    op.outputs = {add_tensor({1, channels, 16, 16}, name)};
    net.outputs = op.outputs;
    net.ops.push_back(std::move(op));
    return net.outputs.front();
  }
};

/// Places of `a` and `b`, a concatenation of these in the given order, `c` that reads it, and a
/// concatenation of the tensors in `last`.
std::vector<std::string> of_two_joins(const std::vector<std::string>& first,
                                      const std::vector<std::string>& last) {
  Joins of;
  std::map<std::string, TensorIndex> named;
  const auto all = [&](const std::vector<std::string>& names) {
    std::vector<TensorIndex> tensors;
    for (const std::string& name : names) tensors.push_back(named.at(name));
    return tensors;
  };
  named["a"] = of.conv("a", of.x, 4);
  named["b"] = of.conv("b", named["a"], 2);
  named["first"] = of.join("first", all(first));
  named["c"] = of.conv("c", named["first"], 2);
  of.conv("y", of.join("last", all(last)), 2);
  return of.joined(testing::toy_machine(4096));
}

TEST(Joined, LastConcatenationsHaveWhatOthersJoinBefore) {
  // the order of dense networks in frameworks
  EXPECT_THAT(of_two_joins({"a", "b"}, {"a", "b", "c"}),
              ElementsAre("a in last: 0 .. 4", "b in last: 4 .. 6", "first in last: 0 .. 6",
                          "c in last: 6 .. 8"));
}

TEST(Joined, AJoinOfAJoinLiesInTheLast) {
  EXPECT_THAT(of_two_joins({"a", "b"}, {"c", "first"}),
              ElementsAre("a in last: 2 .. 6", "b in last: 6 .. 8", "first in last: 2 .. 8",
                          "c in last: 0 .. 2"));
}

TEST(Joined, NothingLiesInTwoPlaces) {
  EXPECT_THAT(of_two_joins({"b", "a"}, {"a", "b", "c"}),
              ElementsAre("a in last: 0 .. 4", "b in last: 4 .. 6", "c in last: 6 .. 8"));
}

TEST(Joined, CallersSayWhereInputsAndResultsLie) {
  Joins of;
  const TensorIndex a = of.conv("a", of.x, 4);
  of.conv("y", of.join("xa", {of.x, a}), 2);
  EXPECT_THAT(of.joined(testing::toy_machine(4096)), IsEmpty());
  Joins results;
  const TensorIndex b = results.conv("b", results.x, 4);
  const TensorIndex c = results.conv("c", b, 4);
  results.join("bc", {b, c});
  EXPECT_THAT(results.joined(testing::toy_machine(4096)), SizeIs(2));
  results.net.outputs.push_back(b);
  EXPECT_THAT(results.joined(testing::toy_machine(4096)), IsEmpty());
}

TEST(Joined, OnlyWhereItPaysAndTheMachineLetsIt) {
  Joins of;
  const TensorIndex a = of.conv("a", of.x, 4);
  of.conv("y", of.join("ab", {a, of.conv("b", a, 4)}), 2);
  Hardware machine = testing::toy_machine(4096);
  EXPECT_THAT(of.joined(machine), SizeIs(2));
  machine.tiling.concat = Concat::copied;
  EXPECT_THAT(of.joined(machine), IsEmpty());
  machine.tiling.concat = Concat::in_place;
  // Adjacent channels, of which one burst holds sixteen times as many as `a` has per pixel.
  machine.memories.back().layout.order = {0, 2, 3, 1};
  machine.memories.back().burst = 64;
  EXPECT_THAT(of.joined(machine), IsEmpty());
  machine.memories.back().burst = 4;
  EXPECT_THAT(of.joined(machine), SizeIs(2));
  machine.memories.back().layout = {};
  // Bricks of eight channels: `b` would begin within one.
  machine.memories.front().layout.brick = machine.memories.back().layout.brick = 8;
  EXPECT_THAT(of.joined(machine), IsEmpty());
}

TEST(Joined, APlanMovesNothingForAJoinAndSaysWhatLiesWhere) {
  Joins of;
  const TensorIndex a = of.conv("a", of.x, 8);
  const TensorIndex b = of.conv("b", a, 8);
  const TensorIndex ab = of.join("ab", {a, b});
  of.conv("y", ab, 8);
  Hardware machine = testing::toy_machine(2048);
  PlanParams params{.max_ops = 1};
  params.residency = false;
  NetworkPlan plan = plan_network(of.net, machine, params);
  ASSERT_EQ(plan.status, Status::feasible);
  ASSERT_THAT(plan.joined, SizeIs(2));
  EXPECT_EQ(plan.subgraphs[2].metrics.dram_bytes, 0);
  EXPECT_EQ(plan.subgraphs[2].metrics.latency_cycles, 0);
  machine.tiling.concat = Concat::copied;
  const NetworkPlan copied = plan_network(of.net, machine, params);
  EXPECT_THAT(copied.joined, IsEmpty());
  EXPECT_EQ(copied.baseline, plan.baseline);
  // `ab` is loaded and stored once more as a whole.
  EXPECT_EQ(copied.totals.dram_bytes, plan.totals.dram_bytes + 2 * 16 * 16 * 16);
  machine.tiling.concat = Concat::in_place;
  const std::string text = plan_json(plan);
  EXPECT_THAT(text, HasSubstr(R"({"tensor": "b", "in": "ab", "channels": [8, 16]})"));
  EXPECT_EQ(plan_json(load_plan_text(text, "plan.json", of.net, machine)), text);
  EXPECT_THAT(plan_trace(of.net, machine, plan), HasSubstr("ab"));
  ASSERT_THAT(plan.offchip, SizeIs(1));
  for (const OffchipBuffer& buffer : plan.offchip.front().buffers)
    EXPECT_TRUE(buffer.id != "a" && buffer.id != "b") << "is part of ab";
  plan.joined.pop_back();
  EXPECT_THAT(check_plan(of.net, machine, plan), ElementsAre(HasSubstr("does not state that 'b'")));
  plan.joined = {{"a", "ab", 8, 16}};
  EXPECT_THAT(check_plan(of.net, machine, plan), ElementsAre(HasSubstr("which does not hold")));
}

}  // namespace
}  // namespace tessera::planner
