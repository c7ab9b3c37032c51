// The schedule search against all schedules of small graphs, and prices of groups against the
// literal simulation of the checker. The oracle is a shortest path over all states of the memory,
// with all connected sets of ops, retained and written tensors, granularities, and three orders of
// tiles; any op may run again at any time. Each step writes the outputs of the graph that it makes.
#include "tessera/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <queue>
#include <set>
#include <unordered_map>

#include "cost/tile_machine/prices.h"
#include "model/tile_step.h"
#include "tests/support/random.h"
#include "tests/support/random_tile_graph.h"
#include "tests/support/seeds.h"

namespace tessera::testing {
namespace {

using cost::TileWalk;
using Set = std::vector<std::size_t>;

Set bits(std::uint64_t mask) {
  Set out;
  for (std::size_t k = 0; k < 64; ++k)
    if ((mask >> k & 1U) != 0) out.push_back(k);
  return out;
}

Set traversal_of(TileWalk walk, std::int64_t rows, std::int64_t columns) {
  Set out;
  for (std::int64_t at = 0; at < rows * columns; ++at) {
    const auto [row, column] = cost::walk_step(walk, rows, columns, at);
    out.push_back(static_cast<std::size_t>(row * columns + column));
  }
  return out;
}

/// The least latency of all schedules: a shortest path over what the future depends on. Sets of
/// ops and of their items are bits. It does not look beyond `most`.
class AllSchedules {
 public:
  AllSchedules(const TileGraph& graph, TileReading reading)
      : graph_(graph),
        links_(graph),
        run_({graph.capacity, graph.bandwidth, graph.native, reading == TileReading::rulings}) {
    const std::size_t ops = graph.ops.size();
    all_ = static_cast<Bits>((1U << ops) - 1);
    for (const TileOp& op : graph.ops) {
      Bits readers = 0, reads = 0;
      for (const std::size_t reader : links_.consumers[op.output])
        readers |= static_cast<Bits>(1U << reader);
      for (const std::size_t tensor : op.inputs)
        if (links_.producer[tensor] != TileLinks::none)
          reads |= static_cast<Bits>(1U << links_.producer[tensor]);
      readers_.push_back(readers);
      reads_.push_back(reads);
      final_ |= readers == 0 ? static_cast<Bits>(1U << (readers_.size() - 1)) : Bits{0};
      least_.push_back(least_compute(op, reading));
    }
    for (unsigned ops_of = 1; ops_of <= all_; ++ops_of)
      if (connected(static_cast<Bits>(ops_of)))
        groups_.push_back(group_of(static_cast<Bits>(ops_of)));
  }

  double least(double most) {
    const double bandwidth = static_cast<double>(graph_.bandwidth);
    most_ = most * bandwidth * (1 + tolerance) + tolerance;
    reach({}, 0);
    while (!queue_.empty()) {
      const auto [cost, key] = queue_.top();
      queue_.pop();
      const State state = state_of(key);
      if (cost > costs_.at(key)) continue;
      if (state.done == all_ && (final_ & ~state.slow) == 0) return cost / bandwidth;
      for (const Group& group : groups_) extend(state, group, cost);
    }
    return infinity;
  }

 private:
  using Bits = std::uint8_t;
  struct State {
    Bits done = 0;
    Bits slow = 0;    ///< items in slow memory
    Bits closed = 0;  ///< made inside and not written: not read from outside any more
    Bits kept = 0;
  };
  struct Group {
    Bits ops = 0;
    Bits outside = 0;  ///< items that it reads and does not make
    Bits sinks = 0;
    Bits inner = 0;  ///< items that are read inside and outside
    double bound = 0;
  };

  [[nodiscard]] double least_compute(const TileOp& op, TileReading reading) const {
    const TileTensor& out = graph_.tensors[op.output];
    const auto ratio = [](std::int64_t a, std::int64_t b) {
      return static_cast<double>(a) / static_cast<double>(b);
    };
    double tiles = ratio(out.width, graph_.native.width) * ratio(out.height, graph_.native.height);
    if (op.kind == TileOpKind::matmul && reading == TileReading::standard)
      tiles *= ratio(graph_.tensors[op.inputs[0]].width, graph_.native.depth);
    return tiles * static_cast<double>(op.cost * graph_.bandwidth);
  }

  [[nodiscard]] bool connected(Bits ops) const {
    unsigned seen = ops & (~static_cast<unsigned>(ops) + 1);
    for (unsigned before = 0; before != seen;) {
      before = seen;
      for (const std::size_t op : bits(ops))
        if (((1U << op | reads_[op] | readers_[op]) & seen) != 0)
          if ((seen >> op & 1U) != 0 || (((reads_[op] | readers_[op]) & seen) != 0))
            seen |= 1U << op;
    }
    return seen == ops;
  }

  [[nodiscard]] Group group_of(Bits ops) const {
    Group group{.ops = ops};
    for (const std::size_t op : bits(ops)) {
      const auto bit = static_cast<Bits>(1U << op);
      group.outside |= static_cast<Bits>(reads_[op] & ~ops);
      if ((readers_[op] & ops) == 0)
        group.sinks |= bit;
      else if ((readers_[op] & ~ops) != 0)
        group.inner |= bit;
      group.bound += least_[op];
    }
    return group;
  }

  static std::uint32_t key_of(const State& state) {
    return static_cast<std::uint32_t>(state.done | state.slow << 8 | state.closed << 16) |
           static_cast<std::uint32_t>(state.kept) << 24;
  }
  static State state_of(std::uint32_t key) {
    return {static_cast<Bits>(key), static_cast<Bits>(key >> 8), static_cast<Bits>(key >> 16),
            static_cast<Bits>(key >> 24)};
  }

  void reach(const State& state, double cost) {
    const auto [at, fresh] = costs_.emplace(key_of(state), cost);
    if (!fresh && at->second <= cost) return;
    at->second = cost;
    queue_.emplace(cost, key_of(state));
  }

  void extend(const State& state, const Group& group, double cost) {
    if ((group.outside & (~(state.slow | state.kept) | state.closed)) != 0) return;
    double rest = 0;  // compute that is still to do
    for (const std::size_t op : bits(all_ & ~(state.done | group.ops))) rest += least_[op];
    if (cost + rest + group.bound > most_) return;
    const unsigned keepable = group.ops & ~final_;
    for (unsigned keep = keepable;; keep = (keep - 1) & keepable) {
      const unsigned open = group.inner & ~keep & ~state.closed;
      for (unsigned written = open;; written = (written - 1) & open) {
        const unsigned closed = state.closed | (open & ~written);
        const unsigned slow = (state.slow | (group.sinks & ~keep) | written) & ~closed;
        const State next{static_cast<Bits>(state.done | group.ops), static_cast<Bits>(slow),
                         static_cast<Bits>(closed), static_cast<Bits>(keep)};
        const auto known = costs_.find(key_of(next));
        if (known == costs_.end() || known->second > cost) {
          const double more = price(group, static_cast<Bits>(keep), static_cast<Bits>(written),
                                    state.kept, most_ - cost - rest);
          if (more < infinity) reach(next, cost + more);
        }
        if (written == 0) break;
      }
      if (keep == 0) break;
    }
  }

  /// Over all granularities and three orders of tiles; infinity if it is more than `most`.
  double price(const Group& group, Bits keep, Bits written, Bits resident, double most) {
    const std::uint32_t key = key_of({group.ops, keep, written, resident});
    const auto [at, fresh] = prices_.emplace(key, Price{});
    Price& price = at->second;
    if (!fresh && (price.cost < infinity || price.below >= most)) return price.cost;
    price.below = most;
    cost::TileGroupQuery query;
    const auto add = [&](Bits items, std::vector<std::uint32_t>& out) {
      for (const std::size_t op : bits(items))
        out.push_back(static_cast<std::uint32_t>(graph_.ops[op].output));
      std::ranges::sort(out);
    };
    for (const std::size_t op : bits(group.ops))
      query.ops.push_back(static_cast<std::uint32_t>(op));
    add(keep, query.kept);
    add(written, query.written);
    add(resident & group.outside, query.resident);
    for (const std::size_t op : bits(resident & ~group.outside)) {
      const TileTensor& tensor = graph_.tensors[graph_.ops[op].output];
      query.idle += tensor.width * tensor.height;
    }
    const cost::TileGroup tiles(graph_, query);
    const auto [width, height, depth] = graph_.native;
    const double limit = most * (1 + tolerance) + tolerance;
    for (std::int64_t w = 1; w <= width; ++w)
      for (std::int64_t h = 1; h <= height; ++h)
        for (std::int64_t d = 1; d <= (tiles.has_matmul() ? depth : 1); ++d)
          for (const TileWalk walk :
               {TileWalk::rows, TileWalk::snake_rows, TileWalk::snake_columns})
            price.cost = std::min(price.cost,
                                  run_.cost(tiles, {{w, h, d}, walk}, std::min(limit, price.cost)));
    return price.cost;
  }

  struct Price {
    double cost = infinity;
    double below = 0;  ///< costs up to it were searched
  };

  const TileGraph& graph_;
  TileLinks links_;
  cost::TileSimulation run_;
  Bits all_ = 0, final_ = 0;
  std::vector<Bits> reads_, readers_;  ///< per op
  std::vector<double> least_;          ///< compute per op
  std::vector<Group> groups_;
  double most_ = infinity;
  std::unordered_map<std::uint32_t, double> costs_;
  std::unordered_map<std::uint32_t, Price> prices_;
  std::priority_queue<std::pair<double, std::uint32_t>,
                      std::vector<std::pair<double, std::uint32_t>>, std::greater<>>
      queue_;
};

TEST(Schedule, AllSchedulesOfSmallGraphs) {
  std::size_t proved = 0, found = 0;
  for_each_seed(60, [&](std::uint64_t seed) {
    Random random(mix(seed, 63));
    const TileGraph graph = random_tile_graph(random, 8);
    ASSERT_TRUE(check_tile_graph(graph).empty());
    const TileReading reading = seed % 2 == 0 ? TileReading::standard : TileReading::rulings;
    const ScheduleResult result = schedule_ops(graph, {.reading = reading, .work = 2'000'000});
    const bool feasible = result.status == Status::feasible;
    const double least = AllSchedules(graph, reading).least(feasible ? result.latency : infinity);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", reading " + std::string(to_string(reading)));
    if (!feasible) {
      EXPECT_EQ(result.status, Status::infeasible);
      EXPECT_EQ(least, infinity);
      return;
    }
    ++found;
    proved += result.proved ? 1U : 0U;
    const double near = least * tolerance + tolerance;
    ASSERT_LE(least, result.latency + near);
    EXPECT_LE(result.bound, least + near);
    if (result.proved) {
      EXPECT_NEAR(result.latency, least, near);
    }
  });
  std::printf("%zu schedules, %zu of them proved\n", found, proved);
  if (!HasFailure()) {
    EXPECT_GT(proved, 0U);
  }
}

/// A step with random granularity, order, residents and outputs.
TEST(Schedule, PricesAgreeWithTheChecker) {
  for_each_seed(4000, [&](std::uint64_t seed) {
    Random random(mix(seed, 64));
    TileGraph graph = random_tile_graph(random, 6);
    const TileLinks links(graph);
    const TileReading reading = random.chance(50) ? TileReading::standard : TileReading::rulings;
    cost::TileGroupQuery query;
    std::set<std::size_t> ops;
    for (std::size_t op = 0; op < graph.ops.size(); ++op)
      if (random.chance(70)) ops.insert(op);
    if (ops.empty()) return;
    std::set<std::size_t> made, read;
    for (const std::size_t op : ops) {
      query.ops.push_back(static_cast<std::uint32_t>(op));
      made.insert(graph.ops[op].output);
      read.insert(graph.ops[op].inputs.begin(), graph.ops[op].inputs.end());
    }
    TileStep step{.ops = Set(ops.begin(), ops.end())};
    Set resident, inner;
    for (const std::size_t tensor : read)
      if (!made.contains(tensor) && random.chance(15)) {
        resident.push_back(tensor);
        query.resident.push_back(static_cast<std::uint32_t>(tensor));
      }
    for (const std::size_t tensor : made) {
      if (random.chance(15)) {
        step.retained.push_back(tensor);
        query.kept.push_back(static_cast<std::uint32_t>(tensor));
      } else if (read.contains(tensor) && random.chance(30)) {
        inner.push_back(tensor);
        query.written.push_back(static_cast<std::uint32_t>(tensor));
      }
    }
    if (random.chance(30)) graph.capacity *= 4;
    step.granularity = {random.between(1, graph.native.width),
                        random.between(1, graph.native.height),
                        random.between(1, graph.native.depth)};
    const cost::TileGroup group(graph, query);
    cost::TileSimulation run(
        {graph.capacity, graph.bandwidth, graph.native, reading == TileReading::rulings});
    const auto [rows, columns] = run.grid(group, step.granularity);
    if (rows > 0) {
      step.traversal = traversal_of(static_cast<TileWalk>(random.below(3)), rows, columns);
      if (random.chance(30)) random.shuffle(*step.traversal);
    }
    const TileStepResult literal = run_tile_step({graph, links, reading, step, resident, inner});
    const double cost = rows > 0 ? run.cost(group, step.granularity, *step.traversal) : infinity;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_EQ(cost == infinity, !literal.wrong.empty()) << literal.wrong;
    if (cost == infinity) return;
    EXPECT_NEAR(cost / static_cast<double>(graph.bandwidth), literal.latency,
                tolerance * (1 + literal.latency));
  });
}

}  // namespace
}  // namespace tessera::testing
