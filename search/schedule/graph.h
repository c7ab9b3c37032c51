// Ops that run in groups, as the schedule search sees them: numbers, sets and a price per group.
//
//   GroupGraph graph = group_graph({{}, {0}, {0, 1}}, {64, 64, 64});
//   double cost = costs.price({.ops = {0, 1}, .written = {0}}, infinity);   // a cost model
//
// An op makes one item, which has the number of the op. Inputs of the whole graph are always
// available and do not occur. A step runs a connected set of ops. It reads items from slow memory
// or from fast memory, where the step before kept them, and writes or keeps the items it makes; an
// item that no op of the step reads is always written or kept. An op may run in several steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "search/order/graph.h"
#include "search/schedule/op_set.h"

namespace tessera::search {

struct GroupGraph {
  std::vector<std::vector<OpId>> reads{};    ///< per op: the items it reads, sorted
  std::vector<std::vector<OpId>> readers{};  ///< per op: the ops that read its item, sorted
  std::vector<std::int64_t> size{};          ///< per op: of its item in fast memory
  std::int64_t capacity = 0;                 ///< most that the items kept for a step may take
  [[nodiscard]] std::size_t ops() const { return reads.size(); }
};

/// With `readers` computed. `size` of an item that cannot be kept is more than the capacity.
[[nodiscard]] GroupGraph group_graph(std::vector<std::vector<OpId>> reads,
                                     std::vector<std::int64_t> size, std::int64_t capacity);

/// One step of a schedule. All lists are sorted.
struct GroupStep {
  std::vector<OpId> ops{};
  std::vector<OpId> written{};   ///< of the items that ops of the step read, those also written
  std::vector<OpId> kept{};      ///< items that stay in fast memory for the next step
  std::vector<OpId> resident{};  ///< items from outside that are in fast memory
  std::int64_t idle = 0;         ///< size of the items in fast memory that the step does not read
};

/// The cost model.
class GroupCosts {
 public:
  virtual ~GroupCosts() = default;
  /// The cost of a step, infinity if it cannot run; any cost of at least `enough` if that is less.
  [[nodiscard]] virtual double price(const GroupStep& step, double enough) = 0;
  /// A lower bound of price() for these ops in every state of the memory.
  [[nodiscard]] virtual double bound(const std::vector<OpId>& ops) = 0;
  /// The same, as high as possible or `enough`. May be too high while stop() holds.
  [[nodiscard]] virtual double least(const std::vector<OpId>& ops, double enough) = 0;
  /// A lower bound of the share of an op in the cost of every step that runs it: these shares add
  /// up to at most the price of a step.
  [[nodiscard]] virtual double share(OpId op) = 0;
  /// Makes later prices exact: until then, a price may be more than the least cost of a step.
  /// Returns whether that changes something.
  virtual bool refine() = 0;
  /// While stop() holds, price() may return early with more than the least cost.
  virtual void stop_when(std::function<bool()> stop) = 0;
  /// Units of work done by these calls.
  [[nodiscard]] virtual std::int64_t work() const = 0;
};

}  // namespace tessera::search
