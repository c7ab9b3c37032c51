// The schedule search against all schedules of small graphs, and prices of groups against the
// literal simulation of the checker. The oracle enumerates sequences of steps: connected sets of
// ops, retained tensors, all granularities, three orders of tiles; ops may run again.
#include "tessera/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

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

/// The least latency of all schedules; at most two steps run no op for the first time.
class AllSchedules {
 public:
  AllSchedules(const TileGraph& graph, TileReading reading)
      : graph_(graph), reading_(reading), links_(graph) {
    for (std::uint64_t ops = 1; ops < std::uint64_t{1} << graph.ops.size(); ++ops)
      if (connected(ops)) groups_.push_back(ops);
  }

  double least() {
    extend(0, 0, 2);
    return best_;
  }

 private:
  struct Step {
    std::uint64_t ops;
    Set retained;
  };

  [[nodiscard]] bool connected(std::uint64_t ops) const {
    std::uint64_t seen = ops & (~ops + 1);
    for (bool more = true; more;) {
      more = false;
      for (const std::size_t op : bits(ops))
        for (const std::size_t tensor : graph_.ops[op].inputs) {
          const std::size_t maker = links_.producer[tensor];
          if (maker == TileLinks::none || (ops >> maker & 1U) == 0) continue;
          const std::uint64_t both = std::uint64_t{1} << maker | std::uint64_t{1} << op;
          if ((seen & both) != 0 && (seen & both) != both) {
            seen |= both;
            more = true;
          }
        }
    }
    return seen == ops;
  }

  [[nodiscard]] std::set<std::size_t> outside(std::uint64_t ops) const {
    std::set<std::size_t> out;
    for (const std::size_t op : bits(ops))
      out.insert(graph_.ops[op].inputs.begin(), graph_.ops[op].inputs.end());
    for (const std::size_t op : bits(ops)) out.erase(graph_.ops[op].output);
    return out;
  }

  /// The least cost of a step over all granularities, remembered.
  double cost_of(const Step& step, const Set& resident, const Set& inner) {
    const auto key = std::tuple(step.ops, step.retained, resident, inner);
    const auto [at, fresh] = known_.emplace(key, infinity);
    if (!fresh) return at->second;
    TileStep mine{.ops = bits(step.ops), .retained = step.retained};
    const auto [width, height, depth] = graph_.native;
    cost::TileSimulation run(
        {graph_.capacity, graph_.bandwidth, graph_.native, reading_ == TileReading::rulings});
    cost::TileGroupQuery query;
    for (const std::size_t op : mine.ops) query.ops.push_back(static_cast<std::uint32_t>(op));
    const cost::TileGroup group(graph_, query);
    for (std::int64_t w = 1; w <= width; ++w)
      for (std::int64_t h = 1; h <= height; ++h)
        for (std::int64_t d = 1; d <= depth; ++d) {
          mine.granularity = {w, h, d};
          const auto [rows, columns] = run.grid(group, mine.granularity);
          if (rows == 0) continue;
          for (const TileWalk walk :
               {TileWalk::rows, TileWalk::snake_rows, TileWalk::snake_columns}) {
            mine.traversal = traversal_of(walk, rows, columns);
            const TileStepResult result =
                run_tile_step({graph_, links_, reading_, mine, resident, inner});
            if (result.wrong.empty()) at->second = std::min(at->second, result.latency);
          }
        }
    return at->second;
  }

  void extend(std::uint64_t done, double cost, int again) {
    if (cost >= best_) return;
    if (done + 1 == std::uint64_t{1} << graph_.ops.size()) finish();
    for (const std::uint64_t ops : groups_) {
      const bool fresh = (ops & ~done) != 0;
      if (!fresh && again == 0) continue;
      const std::set<std::size_t> inputs = outside(ops);
      Set resident;
      if (!steps_.empty()) resident = steps_.back().retained;
      if (std::ranges::any_of(inputs, [&](std::size_t tensor) {
            const std::size_t maker = links_.producer[tensor];
            return maker != TileLinks::none && (done >> maker & 1U) == 0;
          }))
        continue;
      const Set members = bits(ops);
      for (std::uint64_t keep = 0; keep < std::uint64_t{1} << members.size(); ++keep) {
        Step step{.ops = ops, .retained = {}};
        for (const std::size_t k : bits(keep))
          step.retained.push_back(graph_.ops[members[k]].output);
        std::ranges::sort(step.retained);
        // Inner outputs are not known yet; without them, a step costs the least.
        const double more = cost_of(step, resident, {});
        if (more == infinity) continue;
        steps_.push_back(step);
        extend(done | ops, cost + more, fresh ? again : again - 1);
        steps_.pop_back();
      }
    }
  }

  /// The exact latency of a complete sequence.
  void finish() {
    std::vector<std::set<std::size_t>> later(steps_.size());
    for (std::size_t k = steps_.size(); k-- > 1;) {
      later[k - 1] = later[k];
      later[k - 1].merge(outside(steps_[k].ops));
    }
    std::set<std::size_t> slow;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t)
      if (links_.producer[t] == TileLinks::none) slow.insert(t);
    double cost = 0;
    Set resident;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const Step& step = steps_[k];
      for (const std::size_t tensor : outside(step.ops))
        if (!slow.contains(tensor) && std::ranges::find(resident, tensor) == resident.end()) return;
      Set inner, written;
      for (const std::size_t op : bits(step.ops)) {
        const std::size_t tensor = graph_.ops[op].output;
        const auto inside = [&](std::size_t reader) { return (step.ops >> reader & 1U) != 0; };
        const Set& readers = links_.consumers[tensor];
        if (std::ranges::none_of(readers, inside)) written.push_back(tensor);
        if (std::ranges::any_of(readers, inside) && !std::ranges::all_of(readers, inside) &&
            later[k].contains(tensor))
          inner.push_back(tensor);
      }
      cost += cost_of(step, resident, inner);
      written.insert(written.end(), inner.begin(), inner.end());
      resident = step.retained;
      for (const std::size_t tensor : written)
        if (std::ranges::find(resident, tensor) == resident.end()) slow.insert(tensor);
    }
    for (const TileOp& op : graph_.ops)
      if (links_.consumers[op.output].empty() && !slow.contains(op.output)) return;
    best_ = std::min(best_, cost);
  }

  const TileGraph& graph_;
  TileReading reading_;
  TileLinks links_;
  std::vector<std::uint64_t> groups_;
  std::vector<Step> steps_;
  std::map<std::tuple<std::uint64_t, Set, Set, Set>, double> known_;
  double best_ = infinity;
};

TEST(Schedule, AllSchedulesOfSmallGraphs) {
  std::size_t proved = 0;
  for_each_seed(60, [&](std::uint64_t seed) {
    Random random(mix(seed, 63));
    const TileGraph graph = random_tile_graph(random, 4);
    ASSERT_TRUE(check_tile_graph(graph).empty());
    const TileReading reading = seed % 2 == 0 ? TileReading::standard : TileReading::rulings;
    const double least = AllSchedules(graph, reading).least();
    const ScheduleResult result = schedule_ops(graph, {.reading = reading, .work = 2'000'000});
    SCOPED_TRACE("seed " + std::to_string(seed) + ", reading " + std::string(to_string(reading)));
    if (result.status != Status::feasible) {
      EXPECT_EQ(least, infinity);
      return;
    }
    proved += result.proved ? 1U : 0U;
    const double near = least * tolerance + tolerance;
    EXPECT_GE(result.latency, least - near);
    EXPECT_LE(result.bound, least + near);
    if (result.proved) {
      EXPECT_NEAR(result.latency, least, near);
    }
  });
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
