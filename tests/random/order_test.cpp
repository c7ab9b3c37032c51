// The order search against all orders: least peak over all down-sets, least height over all orders
// with the least placement of each. The oracle reads the graph itself, not the structures of the
// search.
#include "tessera/order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/graph_json.h"
#include "tessera/check.h"
#include "tessera/place.h"
#include "tests/support/random.h"
#include "tests/support/seeds.h"

namespace tessera::testing {
namespace {

/// Ops in the order of their numbers, with shuffled names; every feature of the format occurs.
Graph random_graph(Random& random, std::int64_t most_ops) {
  Graph graph;
  const auto ops = static_cast<std::size_t>(random.between(1, most_ops));
  const auto tensor = [&](const char* name) {
    graph.tensors.push_back({.id = name + std::to_string(graph.tensors.size()),
                             .size = random.between(random.chance(5) ? 0 : 1, 9)});
    return graph.tensors.size() - 1;
  };
  std::vector<std::size_t> there;  // tensors that an op may read
  for (auto k = random.between(0, 2); k > 0; --k) there.push_back(tensor("in"));
  const bool pairs = random.chance(40), weights = random.chance(30), joins = random.chance(30);
  for (std::size_t k = 0; k < ops; ++k) {
    GraphOp op{.id = "op" + std::to_string(k)};
    for (auto n = random.between(there.empty() ? 0 : 1, 3); n > 0 && !there.empty(); --n) {
      const std::size_t t = random.pick(there);
      if (std::ranges::find(op.inputs, t) == op.inputs.end()) op.inputs.push_back(t);
    }
    for (auto n = random.chance(15) ? 2 : 1; n > 0; --n) op.outputs.push_back(tensor("t"));
    if (weights && random.chance(40)) {
      op.inputs.push_back(tensor("w"));
      graph.tensors.back().weight = true;
    }
    if (pairs && !op.inputs.empty() && random.chance(60) && !graph.tensors[op.inputs[0]].weight)
      graph.in_place.emplace_back(op.inputs[0], op.outputs[0]);
    if (pairs && op.inputs.size() > 1 && random.chance(30) && !graph.tensors[op.inputs[1]].weight)
      graph.in_place.emplace_back(op.inputs[1], op.outputs[0]);
    if (joins && random.chance(30) && !op.inputs.empty()) {  // a concatenation without copies
      const std::size_t whole = op.outputs[0];
      for (const std::size_t t : op.inputs)
        if (!graph.tensors[t].inside && !graph.tensors[t].weight && random.chance(70)) {
          graph.tensors[t].inside = whole;
          graph.tensors[whole].size += graph.tensors[t].size;
        }
    }
    there.insert(there.end(), op.outputs.begin(), op.outputs.end());
    graph.ops.push_back(std::move(op));
  }
  for (std::size_t t = graph.tensors.size();
       t-- > 0;) {  // parts are no larger than what contains them
    for (std::size_t at = t; graph.tensors[at].inside; at = *graph.tensors[at].inside)
      graph.tensors[*graph.tensors[at].inside].size =
          std::max(graph.tensors[*graph.tensors[at].inside].size, graph.tensors[at].size);
    if (random.chance(10) && !graph.tensors[t].weight) graph.tensors[t].stays = true;
  }
  if (ops > 2 && random.chance(20)) graph.before.emplace_back(0, ops - 1);
  return graph;
}

/// The rules of the format, word for word.
class LiteralGraph {
 public:
  explicit LiteralGraph(const Graph& graph) : graph_(graph), before_(graph.ops.size()) {
    for (std::size_t k = 0; k < graph.ops.size(); ++k)
      for (const std::size_t t : graph.ops[k].inputs)
        for (std::size_t p = 0; p < graph.ops.size(); ++p)
          if (makes(p, t)) before_[k] |= 1U << p;
    for (const auto& [a, b] : graph.before) before_[b] |= 1U << a;
  }

  [[nodiscard]] bool may_run(unsigned ran, std::size_t op) const {
    return (ran >> op & 1U) == 0 && (before_[op] & ~ran) == 0;
  }

  [[nodiscard]] Size while_running(unsigned ran, std::size_t op) const {
    Size live = 0;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t)
      if (whole(t) == t && live_while(t, ran, op)) live += graph_.tensors[t].size;
    for (std::size_t y = 0; y < graph_.tensors.size(); ++y)
      if (whole(y) == y) live -= saved(y, ran, op);
    return live;
  }

  [[nodiscard]] Size least_peak() const {
    const std::size_t ops = graph_.ops.size();
    std::vector<Size> best(std::size_t{1} << ops, -1);
    best[0] = 0;
    for (unsigned ran = 0; ran + 1 < best.size(); ++ran)
      for (std::size_t op = 0; op < ops && best[ran] >= 0; ++op) {
        if (!may_run(ran, op)) continue;
        Size& next = best[ran | 1U << op];
        const Size peak = std::max(best[ran], while_running(ran, op));
        if (next < 0 || peak < next) next = peak;
      }
    return best.back();
  }

  template <typename Use>
  void all_orders(std::vector<std::size_t>& order, unsigned ran, Use use) const {
    if (order.size() == graph_.ops.size()) use(order);
    for (std::size_t op = 0; op < graph_.ops.size(); ++op) {
      if (!may_run(ran, op)) continue;
      order.push_back(op);
      all_orders(order, ran | 1U << op, use);
      order.pop_back();
    }
  }

 private:
  [[nodiscard]] bool makes(std::size_t op, std::size_t t) const {
    return std::ranges::find(graph_.ops[op].outputs, t) != graph_.ops[op].outputs.end();
  }
  [[nodiscard]] bool reads(std::size_t op, std::size_t t) const {
    return std::ranges::find(graph_.ops[op].inputs, t) != graph_.ops[op].inputs.end();
  }
  [[nodiscard]] std::size_t whole(std::size_t t) const {
    while (graph_.tensors[t].inside) t = *graph_.tensors[t].inside;
    return t;
  }
  [[nodiscard]] bool container(std::size_t t) const {
    return std::ranges::any_of(graph_.tensors,
                               [&](const GraphTensor& each) { return each.inside == t; });
  }
  /// Has a part of the bytes been made, by `ran` or by the op?
  [[nodiscard]] bool begun(std::size_t storage, unsigned ran, std::size_t op) const {
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      if (whole(t) != storage) continue;
      bool made = false;
      for (std::size_t p = 0; p < graph_.ops.size(); ++p) {
        if (!makes(p, t)) continue;
        made = true;
        if ((ran >> p & 1U) != 0 || p == op) return true;
      }
      if (!made && !container(t)) return true;
    }
    return false;
  }
  /// Is a part needed by an op that did not run before `op`?
  [[nodiscard]] bool needed(std::size_t storage, unsigned ran) const {
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      if (whole(t) != storage) continue;
      bool read = false;
      for (std::size_t p = 0; p < graph_.ops.size(); ++p) {
        read = read || reads(p, t);
        if ((reads(p, t) || makes(p, t)) && (ran >> p & 1U) == 0) return true;
      }
      if (graph_.tensors[t].stays || (t == storage && !read)) return true;
    }
    return false;
  }
  [[nodiscard]] bool live_while(std::size_t t, unsigned ran, std::size_t op) const {
    if (graph_.tensors[t].weight) return reads(op, t);
    return begun(t, ran, op) && needed(t, ran);
  }
  /// Bytes of storage y that the op writes over an input.
  [[nodiscard]] Size saved(std::size_t y, unsigned ran, std::size_t op) const {
    Size best = 0;
    for (const auto& [from, to] : graph_.in_place) {
      const std::size_t x = whole(from);
      if (whole(to) != y || x == y || !makes(op, to)) continue;
      const bool fresh = !begun(y, ran, graph_.ops.size());
      const bool dies = !needed(x, ran | 1U << op);
      if (fresh && dies)
        best = std::max(best, std::min(graph_.tensors[x].size, graph_.tensors[y].size));
    }
    return best;
  }

  const Graph& graph_;
  std::vector<unsigned> before_;
};

std::string told(const Graph& graph, std::uint64_t seed) {
  return "seed " + std::to_string(seed) + "\n" + io::write_graph_json(graph);
}

TEST(RandomOrder, LeastPeakOverAllOrders) {
  for_each_seed(2000, [](std::uint64_t seed) {
    Random random(mix(seed, 1));
    const Graph graph = random_graph(random, 12);
    const LiteralGraph literal(graph);
    ASSERT_EQ(check_graph(graph), std::vector<std::string>()) << told(graph, seed);
    const OrderResult result = order_ops(graph);
    ASSERT_TRUE(is_order_of(graph, result.order)) << told(graph, seed);
    EXPECT_EQ(result.peak, literal.least_peak()) << told(graph, seed);
    EXPECT_EQ(result.bound, result.peak) << told(graph, seed);
    Size peak = 0;
    unsigned ran = 0;
    for (const std::size_t op : result.order) {
      peak = std::max(peak, literal.while_running(ran, op));
      ran |= 1U << op;
    }
    EXPECT_EQ(result.peak, peak) << told(graph, seed);
  });
}

TEST(RandomOrder, LimitsGiveOrdersAndBounds) {
  for_each_seed(300, [](std::uint64_t seed) {
    Random random(mix(seed, 2));
    const Graph graph = random_graph(random, 12);
    OrderParams params{.minimize = random.chance(50) ? OrderGoal::peak : OrderGoal::height};
    params.limits.work = random.between(1, 40);
    const OrderResult result = order_ops(graph, params);
    ASSERT_TRUE(is_order_of(graph, result.order)) << told(graph, seed);
    const Size least = LiteralGraph(graph).least_peak();
    EXPECT_LE(result.bound, least) << told(graph, seed);
    EXPECT_GE(result.peak, least) << told(graph, seed);
    EXPECT_EQ(result.order, order_ops(graph, params).order) << told(graph, seed);
  });
}

TEST(RandomOrder, LeastHeightOverAllOrders) {
  for_each_seed(300, [](std::uint64_t seed) {
    Random random(mix(seed, 3));
    const Graph graph = random_graph(random, 6);
    Size least = max_address;
    std::vector<std::size_t> order;
    LiteralGraph(graph).all_orders(order, 0, [&](const std::vector<std::size_t>& each) {
      const PlacementProblem problem = ordered_problem(graph, each);
      const PlacementResult placed =
          place(problem, {.minimize = Objective::height, .limits = {.threads = 1}});
      ASSERT_TRUE(placed.proven_minimum) << told(graph, seed);
      least = std::min(least, placed.height);
    });
    const OrderResult result = order_ops(graph, {.minimize = OrderGoal::height});
    ASSERT_TRUE(result.height.has_value()) << told(graph, seed);
    EXPECT_EQ(*result.height, least) << told(graph, seed);
    EXPECT_EQ(*result.height_bound, least) << told(graph, seed);
    EXPECT_TRUE(check(ordered_problem(graph, result.order), *result.placement, 1).empty())
        << told(graph, seed);
  });
}

TEST(RandomOrder, GraphsReadBackEqual) {
  for_each_seed(200, [](std::uint64_t seed) {
    Random random(mix(seed, 4));
    const std::string text = io::write_graph_json(random_graph(random, 9));
    EXPECT_EQ(io::write_graph_json(io::read_graph_json(text, "-")), text) << text;
  });
}

}  // namespace
}  // namespace tessera::testing
