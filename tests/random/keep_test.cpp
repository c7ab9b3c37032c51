// Plans of machines that cannot write off-chip: every tensor stays where it was made.
//
// The check does not use the planner: the network determines when tensors are needed, the
// placements where they lie. No partition of the network is better than a plan reported as proved.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_keep_test        repeats one of them
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "cost/score.h"
#include "planner/candidates.h"
#include "tessera/network_shapes.h"
#include "tessera/plan.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/subgraph.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

Hardware flash_machine(Random& random, Size needed) {
  Hardware h = testing::random_machine(
      random, {.needed = needed, .least_percent = 20, .most_percent = 110, .writes = false});
  h.objective = {.latency = 0.5, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0};
  if (random.chance(40)) testing::randomize_stored(random, h);
  return h;
}

struct Life {
  std::size_t from = 0;
  std::size_t until = 0;  ///< the last group that needs it
};

/// Of every activation with memory of its own that crosses a cut point, or is an input or a result.
std::map<std::string, Life> lives(const Network& network, const NetworkPlan& plan) {
  std::vector<std::size_t> run_of(network.ops.size());
  for (std::size_t r = 0; r < plan.subgraphs.size(); ++r)
    for (OpIndex op = plan.subgraphs[r].ops.first; op <= plan.subgraphs[r].ops.last; ++op)
      run_of[op] = r;
  const std::size_t runs = plan.subgraphs.size();
  std::vector<std::size_t> from(network.tensors.size(), runs);
  std::vector<std::size_t> until(network.tensors.size(), 0);
  std::vector<bool> needed(network.tensors.size(), false);
  std::vector<bool> outside(network.tensors.size(), false);
  for (const TensorIndex t : network.inputs) {
    from[storage_of(network, t)] = 0;
    outside[storage_of(network, t)] = true;
  }
  for (OpIndex op = 0; op < network.ops.size(); ++op) {
    for (const TensorIndex t : network.ops[op].outputs) from[storage_of(network, t)] = run_of[op];
    for (const TensorIndex t : operands(network.ops[op])) {
      until[storage_of(network, t)] = run_of[op];
      needed[storage_of(network, t)] = true;
    }
  }
  for (const TensorIndex t : network.outputs) {
    until[storage_of(network, t)] = runs - 1;
    needed[storage_of(network, t)] = outside[storage_of(network, t)] = true;
  }
  std::map<std::string, Life> found;
  for (TensorIndex t = 0; t < network.tensors.size(); ++t) {
    if (network.tensors[t].kind == TensorKind::weight || network.tensors[t].view_of || !needed[t])
      continue;
    if (from[t] == runs || (from[t] == until[t] && !outside[t])) continue;
    found[network.tensors[t].name] = {from[t], until[t]};
  }
  return found;
}

void expect_kept(const Network& network, const NetworkPlan& plan) {
  for (const auto& [name, life] : lives(network, plan)) {
    std::optional<BufferPlace> place;
    for (std::size_t r = life.from; r <= life.until; ++r)
      for (const PlannedPlacement& p : plan.subgraphs[r].placements) {
        const auto buffer = std::ranges::find(p.problem.buffers, name, &Buffer::id);
        ASSERT_NE(buffer, p.problem.buffers.end()) << name << " is not there in run " << r;
        const auto index = static_cast<std::size_t>(buffer - p.problem.buffers.begin());
        if (!place) place = p.placement.places[index];
        EXPECT_EQ(*place, p.placement.places[index]) << name << " moved before run " << r;
        ASSERT_EQ(buffer->live.size(), 1U);
        for (BufferIndex b = 0; b < p.problem.buffers.size(); ++b) {
          if (b == index) continue;
          const Offset begin = p.placement.places[b].offset;
          const Size size = p.problem.buffers[b].size;
          EXPECT_TRUE(begin + size <= place->offset || place->offset + buffer->size <= begin)
              << p.problem.buffers[b].id << " is on top of " << name << " in run " << r;
        }
      }
  }
}

/// The minimum sum over all partitions into groups that fit separately.
double best_cover_of(const Network& network, const Hardware& hardware, const cost::Score& score) {
  planner::Candidates candidates(network, hardware, {}, make_plan_memory());
  std::vector<double> best(network.ops.size() + 1, std::numeric_limits<double>::infinity());
  best[0] = 0;
  for (OpIndex first = 0; first < network.ops.size(); ++first)
    for (OpIndex last = first; last < network.ops.size(); ++last) {
      auto answer = candidates.answer({first, last});
      for (int effort = 1; !answer->final; ++effort)
        answer = candidates.answer({first, last}, effort);
      for (const PlannedSubgraph& s : answer->options)
        best[last + 1] =
            std::min(best[last + 1], best[first] + cost::additive_score(score, s.metrics));
    }
  return best.back();
}

TEST(Keep, TensorsStayWhereTheyAre) {
  const std::uint64_t first_seed = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(80));
  int planned = 0;
  int proved = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    SCOPED_TRACE("repeat with TESSERA_SEED=" + std::to_string(seed) + " TESSERA_CASES=1");
    Random random(seed ^ 0x6e3b);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(1, 8)),
                                       .extent = 6,
                                       .channels = 3,
                                       .views = true,
                                       .spatial_only = random.chance(60)});
    const Size bytes = testing::bytes_of(network);
    const Hardware hardware = flash_machine(random, bytes);
    const NetworkPlan plan = plan_network(network, hardware, {.tile_shapes = 0});
    if (plan.status != Status::feasible) continue;
    ++planned;
    expect_kept(network, plan);
    const cost::Score score{plan.weights, plan.reference.totals};
    const double best = best_cover_of(network, hardware, score);
    EXPECT_LE(plan.bound, plan.score * (1 + 1e-9));
    EXPECT_LE(plan.bound, best * (1 + 1e-9));
    EXPECT_GE(plan.score, best * (1 - 1e-9));
    if (!plan.optimal) continue;
    ++proved;
    EXPECT_NEAR(plan.score, best, 1e-9 * std::max(1.0, best));
  }
  EXPECT_GT(planned, static_cast<int>(cases / 4));
  EXPECT_GT(proved, static_cast<int>(cases / 8));
}

/// Only weights are moved: without weights, nothing is.
TEST(Keep, NothingButWeightsIsMoved) {
  Network network;
  for (const char* name : {"x", "t", "y"})
    network.tensors.push_back({.name = name,
                               .shape = {1, 4, 16, 16},
                               .type = ElementType::int8,
                               .kind = TensorKind::activation,
                               .view_of = std::nullopt});
  for (TensorIndex t = 0; t < 2; ++t) {
    Op op;
    op.name = t == 0 ? "first" : "second";
    op.kind = OpKind::elementwise;
    op.function = "relu";
    op.inputs = {t};
    op.outputs = {t + 1};
    network.ops.push_back(op);
  }
  network.inputs = {0};
  network.outputs = {2};
  Random random(1);
  Hardware hardware = flash_machine(random, 4096);
  hardware.memories[0].space = {.name = "sram", .capacity = 3072};
  const NetworkPlan plan = plan_network(network, hardware, {.max_ops = 1});
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_EQ(plan.totals.dram_bytes, 0);
  expect_kept(network, plan);
  // Two tensors of 1024 bytes have to be resident at once.
  hardware.memories[0].space.capacity = 2047;
  const NetworkPlan none = plan_network(network, hardware, {.max_ops = 1});
  EXPECT_EQ(none.status, Status::infeasible);
  EXPECT_NE(none.reason.find("with any tile"), std::string::npos) << none.reason;
  // A tensor that is said to move is found.
  NetworkPlan moved = plan;
  BufferPlace& place = moved.subgraphs[1].placements[0].placement.places[0];
  place.offset = place.offset == 0 ? 2048 : 0;
  EXPECT_FALSE(check_plan(network, hardware, moved).empty());
}

}  // namespace
}  // namespace tessera
