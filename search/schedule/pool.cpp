#include "search/schedule/pool.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "model/numeric.h"

namespace tessera::search {
namespace {

/// Steps of growth that need not pay by themselves: a matmul, a pointwise op, a matmul.
constexpr int most_misses = 2;

class PoolMaker {
 public:
  PoolMaker(const GroupGraph& graph, GroupCosts& costs, const PoolLimits& limits)
      : graph_(graph), costs_(costs), limits_(limits), end_(costs.work() + limits.work) {
    for (OpId op = 0; op < graph.ops(); ++op) after_.emplace_back(graph.ops());
    find_after();
  }

  GroupPool make() {
    std::vector<Grown> level;
    for (OpId op = 0; op < graph_.ops(); ++op)
      level.push_back({OpSet(graph_.ops(), std::vector{op}), 0});
    pool_.complete = true;
    for (std::size_t size = 1; !level.empty() && size <= limits_.largest; ++size)
      level = next(level, size);
    if (!level.empty()) pool_.complete = false;
    return std::move(pool_);
  }

 private:
  struct Grown {
    OpSet ops;
    int misses = 0;  ///< the last steps of its growth that did not pay
  };
  struct Candidate {
    OpSet ops;
    int misses = 0;
    double price = 0;  ///< with nothing resident
    double parts = 0;  ///< the least sum of prices of parts
    bool convex = true;
    Group group{};
  };

  [[nodiscard]] bool over() const {
    return costs_.work() >= end_ || (limits_.stop && limits_.stop());
  }

  /// All ops that run after an op.
  void find_after() {
    std::vector<std::size_t> missing(graph_.ops());
    std::vector<OpId> order;
    for (OpId op = 0; op < graph_.ops(); ++op) {
      missing[op] = graph_.readers[op].size();
      if (missing[op] == 0) order.push_back(op);
    }
    for (std::size_t at = 0; at < order.size(); ++at)
      for (const OpId item : graph_.reads[order[at]]) {
        after_[item].insert(order[at]);
        after_[item] |= after_[order[at]];
        if (--missing[item] == 0) order.push_back(item);
      }
  }

  /// Does no path leave the set and return?
  [[nodiscard]] bool convex(const OpSet& ops) const {
    OpSet after(graph_.ops());
    ops.each([&](OpId op) {
      for (const OpId reader : graph_.readers[op])
        if (!ops.contains(reader)) {
          after.insert(reader);
          after |= after_[reader];
        }
    });
    return !after.meets(ops);
  }

  [[nodiscard]] Group group_of(const OpSet& ops) const {
    Group group{.members = ops.members(), .ops = ops, .outside = OpSet(graph_.ops())};
    for (const OpId op : group.members) {
      for (const OpId item : graph_.reads[op])
        if (!ops.contains(item)) group.outside.insert(item);
      bool inside = false, out = false;
      for (const OpId reader : graph_.readers[op]) (ops.contains(reader) ? inside : out) = true;
      if (!inside) group.sinks.push_back(op);
      if (inside && out) group.inner.push_back(op);
    }
    return group;
  }

  /// The least sum of prices of the set without one op and of that op.
  [[nodiscard]] double parts_of(const Group& group) const {
    if (group.members.size() == 1) return infinity;
    double best = 0;
    for (const OpId op : group.members) {
      const auto one = value_.find(OpSet(graph_.ops(), std::vector{op}));
      best += one == value_.end() ? infinity : one->second;
    }
    OpSet rest = group.ops;
    for (const OpId op : group.members) {
      rest.erase(op);
      const auto other = value_.find(rest);
      const auto one = value_.find(OpSet(graph_.ops(), std::vector{op}));
      if (other != value_.end() && one != value_.end())
        best = std::min(best, other->second + one->second);
      rest.insert(op);
    }
    return best;
  }

  /// Prices the sets of one size, adds them to the pool, and returns the sets of the next size.
  std::vector<Grown> next(std::vector<Grown>& level, std::size_t size) {
    std::vector<Candidate> candidates;
    for (auto& [ops, misses] : level) {
      if (size > 1 && over()) {
        pool_.complete = false;
        break;
      }
      Candidate each{.ops = std::move(ops), .misses = misses};
      each.group = group_of(each.ops);
      each.convex = convex(each.ops);
      each.price = costs_.price({.ops = each.group.members, .written = each.group.inner}, infinity);
      each.group.price = each.price;
      each.parts = parts_of(each.group);
      const double value = std::min(each.price, each.parts);
      if (value < infinity) value_.emplace(each.ops, value);
      each.misses = each.price < each.parts ? 0 : each.misses + 1;
      candidates.push_back(std::move(each));
    }
    if (size > 1) keep_best(candidates);
    std::unordered_map<OpSet, std::size_t, OpSetHash> seen;
    std::vector<Grown> out;
    for (Candidate& each : candidates) {
      if (!pool_.complete && each.misses > most_misses) continue;
      neighbours(each.group, [&](OpId op) {
        OpSet more = each.ops;
        more.insert(op);
        const auto [at, fresh] = seen.emplace(more, out.size());
        if (fresh)
          out.push_back({std::move(more), each.misses});
        else
          out[at->second].misses = std::min(out[at->second].misses, each.misses);
      });
      if (!pool_.complete && each.misses > 0) continue;
      each.group.bound = costs_.bound(each.group.members);
      if (each.group.bound < infinity) pool_.groups.push_back(std::move(each.group));
    }
    return out;
  }

  template <typename Visit>
  void neighbours(const Group& group, const Visit& visit) const {
    for (const OpId op : group.members) {
      for (const OpId item : graph_.reads[op])
        if (!group.ops.contains(item)) visit(item);
      for (const OpId reader : graph_.readers[op])
        if (!group.ops.contains(reader)) visit(reader);
    }
  }

  /// Keeps, for each first op, the sets that save the most against their parts; convex ones first.
  void keep_best(std::vector<Candidate>& candidates) {
    const auto rank = [](const Candidate& each) {
      return std::tuple(!each.convex, each.price == infinity ? 1 : each.price / each.parts);
    };
    std::ranges::stable_sort(candidates, {}, rank);
    std::vector<std::size_t> kept(graph_.ops());
    const std::size_t left_out = std::erase_if(candidates, [&](const Candidate& each) {
      return ++kept[each.group.members.front()] > limits_.per_op;
    });
    if (left_out > 0) pool_.complete = false;
  }

  const GroupGraph& graph_;
  GroupCosts& costs_;
  const PoolLimits& limits_;
  std::int64_t end_;
  std::vector<OpSet> after_;  ///< per op
  std::unordered_map<OpSet, double, OpSetHash> value_;
  GroupPool pool_;
};

}  // namespace

GroupPool make_pool(const GroupGraph& graph, GroupCosts& costs, const PoolLimits& limits) {
  return PoolMaker(graph, costs, limits).make();
}

}  // namespace tessera::search
