#include "search/schedule/neighbours.h"

#include <algorithm>
#include <utility>

#include "model/numeric.h"

namespace tessera::search {
namespace {

constexpr std::size_t nothing = static_cast<std::size_t>(-1);

/// Steps that are joined form a block, which runs as a whole.
class Joiner {
 public:
  Joiner(const GroupGraph& graph, GroupCosts& costs, std::vector<GroupStep> steps)
      : graph_(graph),
        costs_(costs),
        steps_(std::move(steps)),
        next_(steps_.size(), nothing),
        block_(steps_.size()) {
    step_of_.assign(graph.ops(), nothing);
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      block_[k] = k > 0 && !steps_[k - 1].kept.empty() ? block_[k - 1] : k;
      if (block_[k] != k) next_[k - 1] = k;
      for (const OpId op : steps_[k].ops) {
        once_ = once_ && step_of_[op] == nothing;
        step_of_[op] = k;
      }
    }
  }

  Neighbours run(const std::function<bool()>& stop) {
    Neighbours out;
    std::vector<Join> joins = candidates(stop);
    std::ranges::stable_sort(joins, std::greater<>{}, &Join::saved);
    for (const Join& join : joins) {
      if (stop && stop()) break;
      const Join now = priced(join.first, join.second);
      if (now.saved <= 0 || between(join.first, join.second)) continue;
      apply(now);
      out.saved += now.saved;
    }
    out.steps = ordered();
    return out;
  }

  /// Does no op run twice?
  [[nodiscard]] bool once() const { return once_; }

 private:
  struct Join {
    std::size_t first = 0, second = 0;
    GroupStep before{}, after{};
    double saved = 0;
  };

  std::vector<Join> candidates(const std::function<bool()>& stop) {
    std::vector<Join> out;
    for (std::size_t second = 0; second < steps_.size(); ++second)
      for (const std::size_t first : sources(second)) {
        if (stop && stop()) return out;
        Join join = priced(first, second);
        if (join.saved > 0) out.push_back(std::move(join));
      }
    return out;
  }

  /// The steps whose items a step reads.
  [[nodiscard]] std::vector<std::size_t> sources(std::size_t step) const {
    std::vector<std::size_t> out;
    for (const OpId op : steps_[step].ops)
      for (const OpId item : graph_.reads[op])
        if (step_of_[item] != step) out.push_back(step_of_[item]);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  /// The two steps one after the other, with the items kept that nothing else reads.
  Join priced(std::size_t first, std::size_t second) {
    Join join{.first = first, .second = second, .before = steps_[first], .after = steps_[second]};
    if (next_[first] != nothing || block_[second] != second || block_[first] == second) return join;
    std::int64_t size = 0;
    for (const OpId item : steps_[first].ops) {
      bool only = !graph_.readers[item].empty(), read = false;
      for (const OpId reader : graph_.readers[item]) {
        only = only && (step_of_[reader] == first || step_of_[reader] == second);
        read = read || step_of_[reader] == second;
      }
      if (!only || !read || size + graph_.size[item] > graph_.capacity) continue;
      size += graph_.size[item];
      join.before.kept.push_back(item);
      std::erase(join.before.written, item);
      join.after.resident.push_back(item);
    }
    if (size == 0) return join;
    std::ranges::sort(join.before.kept);
    std::ranges::sort(join.after.resident);
    const double old =
        costs_.price(steps_[first], infinity) + costs_.price(steps_[second], infinity);
    const double now = costs_.price(join.before, infinity) + costs_.price(join.after, infinity);
    if (now < old * (1 - tolerance)) join.saved = old - now;
    return join;
  }

  /// Has another block to run after the block of `first` and before that of `second`?
  [[nodiscard]] bool between(std::size_t first, std::size_t second) const {
    const std::size_t from = block_[first];
    const std::size_t to = block_[second];
    std::vector<bool> seen(steps_.size());
    std::vector<std::size_t> todo{to};
    while (!todo.empty()) {
      const std::size_t block = todo.back();
      todo.pop_back();
      for (std::size_t step = block; step != nothing; step = next_[step])
        for (const std::size_t source : sources(step)) {
          const std::size_t other = block_[source];
          if (other == from && block != to) return true;
          if (other == block || other == from || seen[other]) continue;
          seen[other] = true;
          todo.push_back(other);
        }
    }
    return false;
  }

  void apply(const Join& join) {
    steps_[join.first] = join.before;
    steps_[join.second] = join.after;
    next_[join.first] = join.second;
    for (std::size_t step = join.second; step != nothing; step = next_[step])
      block_[step] = block_[join.first];
  }

  /// The blocks in an order in which each runs after those that it reads from.
  [[nodiscard]] std::vector<GroupStep> ordered() const {
    std::vector<GroupStep> out;
    std::vector<bool> done(steps_.size());
    const auto ready = [&](std::size_t block) {
      for (std::size_t step = block; step != nothing; step = next_[step])
        for (const std::size_t source : sources(step))
          if (!done[source] && block_[source] != block) return false;
      return true;
    };
    while (out.size() < steps_.size()) {
      std::size_t block = 0;
      while (done[block] || block_[block] != block || !ready(block)) ++block;
      for (std::size_t step = block; step != nothing; step = next_[step]) {
        out.push_back(steps_[step]);
        done[step] = true;
      }
    }
    return out;
  }

  const GroupGraph& graph_;
  GroupCosts& costs_;
  std::vector<GroupStep> steps_;
  std::vector<std::size_t> next_;     ///< per step: the one that follows in its block
  std::vector<std::size_t> block_;    ///< per step: the first step of its block
  std::vector<std::size_t> step_of_;  ///< per op
  bool once_ = true;
};

}  // namespace

Neighbours bring_together(const GroupGraph& graph, GroupCosts& costs, std::vector<GroupStep> steps,
                          const std::function<bool()>& stop) {
  Neighbours same{.steps = steps};
  Joiner joiner(graph, costs, std::move(steps));
  if (!joiner.once()) return same;
  return joiner.run(stop);
}

}  // namespace tessera::search
