#include "search/partition/run_kinds.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "search/partition/structure.h"
#include "tessera/network.h"
#include "tests/support/one_op.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/reach.h"

namespace tessera::search {
namespace {

TEST(RunKinds, AreTheSequencesOfNumbers) {
  std::mt19937_64 rng(3);
  for (int i = 0; i < 300; ++i) {
    const std::size_t ops = 1 + rng() % 12;
    const std::size_t longest = 1 + rng() % (ops + 2);
    std::vector<std::uint32_t> like;
    for (std::size_t op = 0; op < ops; ++op) like.push_back(static_cast<std::uint32_t>(rng() % 3));
    Poll poll;
    const RunKinds kinds(ops, like, longest, poll);
    std::map<std::vector<std::uint32_t>, std::vector<std::pair<std::size_t, std::size_t>>> runs;
    for (std::size_t first = 0; first < ops; ++first) {
      const std::size_t end = std::min(ops, first + longest);
      ASSERT_EQ(kinds.from(first).size(), end - first);
      for (std::size_t last = first; last < end; ++last) {
        ASSERT_EQ(kinds.from(first)[last - first], kinds.of(first, last));
        runs[{like.begin() + static_cast<std::ptrdiff_t>(first),
              like.begin() + static_cast<std::ptrdiff_t>(last + 1)}]
            .emplace_back(first, last);
      }
    }
    ASSERT_EQ(kinds.count(), runs.size());
    for (const auto& [numbers, same] : runs) {
      const std::uint32_t kind = kinds.of(same.front().first, same.front().second);
      ASSERT_EQ(kinds.run(kind), same.front());
      ASSERT_EQ(kinds.members(kind), same.size());
      for (const auto& [first, last] : same) ASSERT_EQ(kinds.of(first, last), kind);
    }
  }
}

TEST(RunKinds, WithoutNumbersNoTwoRunsAreAlike) {
  Poll poll;
  const RunKinds kinds(7, {}, 3, poll);
  EXPECT_EQ(kinds.count(), 7U + 6U + 5U);
}

TEST(RunKinds, AThousandEqualOpsHaveAThousandKinds) {
  Poll poll;
  EXPECT_EQ(RunKinds(1000, std::vector<std::uint32_t>(1000, 4), 1000, poll).count(), 1000U);
}

// Columns of an input of the network may be folded into channels (tiling/loops.h).
TEST(StructureKey, TellsWhatStridesOverAnInputOfTheNetwork) {
  for (const Dim stride : {1, 2}) {
    testing::One one = testing::convolution({4, 8, 8, 4, 8 / stride, 8 / stride, 1, stride}, false);
    const std::string made = structure_key(tiling::make_subgraph(one.net, {0, 0}));
    one.net.inputs = {one.net.ops[0].inputs[0]};
    const std::string given = structure_key(tiling::make_subgraph(one.net, {0, 0}));
    EXPECT_EQ(made == given, stride == 1);
  }
}

TEST(RunKinds, EndWithTheBudget) {
  std::stop_source source;
  source.request_stop();
  Poll poll(Budget{.stop = source.get_token()});
  EXPECT_THROW(RunKinds(100, {}, 100, poll), BudgetEnded);
}

/// Appends a copy of the network, fed by its outputs if the shapes allow it.
Network twice(const Network& net) {
  Network both = net;
  const std::size_t tensors = net.tensors.size();
  for (Tensor tensor : net.tensors) {
    tensor.name += "_again";
    if (tensor.view_of) *tensor.view_of += tensors;
    both.tensors.push_back(tensor);
  }
  for (Op op : net.ops) {
    op.name += "_again";
    for (TensorIndex& t : op.inputs) t += tensors;
    for (TensorIndex& t : op.outputs) t += tensors;
    for (Fused& fused : op.fused)
      for (TensorIndex& t : fused.operands) t += tensors;
    both.ops.push_back(op);
  }
  for (const TensorIndex t : net.inputs) both.inputs.push_back(t + tensors);
  for (const TensorIndex t : net.outputs) both.outputs.push_back(t + tensors);
  return both;
}

// Checks like_ops() against the full description of each group.
TEST(RunKinds, RunsOfAKindHaveOneStructure) {
  std::int64_t shared = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Network net = twice(testing::random_network(seed, {.ops = 6}));
    const auto readers = tiling::last_readers(net);
    // Half of them with some resident tensors, on a machine whose array accesses a single memory.
    testing::Random random(seed ^ 0x11fe);
    Hardware hardware = testing::random_machine(random, {.needed = 4096});
    std::vector<TensorIndex> stays;
    if (seed % 2 == 1) {
      testing::split_reach(random, hardware);
      for (const TensorIndex t : tiling::may_stay(net, readers))
        if (random.chance(50)) stays.push_back(t);
    }
    const std::vector<std::uint32_t> like =
        like_ops(net, readers, stays, tiling::made_in(net, stays, hardware));
    Poll poll;
    const RunKinds kinds(net.ops.size(), like, net.ops.size(), poll);
    std::map<std::uint32_t, std::string> keys;
    for (OpIndex first = 0; first < net.ops.size(); ++first)
      for (OpIndex last = first; last < net.ops.size(); ++last) {
        const std::string key =
            structure_key(tiling::make_subgraph(net, {first, last}, readers, hardware, stays));
        const auto [known, added] = keys.try_emplace(kinds.of(first, last), key);
        if (!added) ++shared;
        ASSERT_EQ(known->second, key) << "seed " << seed << ", " << first << ".." << last;
      }
  }
  EXPECT_GT(shared, 150);
}

}  // namespace
}  // namespace tessera::search
