// Facts that follow from a graph: who makes and who reads, which tensors share bytes, what precedes
// what.
//
//   const GraphLinks links(graph);
//   for (OpIndex p : links.before[op]) run_first(p);
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/graph.h"

namespace tessera {

struct GraphLinks {
  /// require: every index of the graph is in range, and no tensor is inside itself.
  explicit GraphLinks(const Graph& graph);
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> maker;                 ///< per tensor: an op, or none
  std::vector<std::vector<std::size_t>> readers;  ///< per tensor: ops, sorted
  std::vector<std::size_t> storage;               ///< per tensor: the tensor whose bytes it uses
  std::vector<bool> divided;                      ///< per tensor: does another one lie inside?
  std::vector<std::vector<std::size_t>> before;   ///< per op: its predecessors, sorted
};

/// How the storage of a tensor lives: the ops that may allocate it, and those after which it is
/// free.
struct StorageUse {
  std::vector<std::size_t> begin;  ///< sorted
  std::vector<std::size_t> end;    ///< sorted
  bool from_start = false;
  bool stays = false;
};

/// Per tensor; empty for those that use the bytes of another tensor, and for weights.
[[nodiscard]] std::vector<StorageUse> storage_uses(const Graph& graph, const GraphLinks& links);

/// An op that may write storage `born` over storage `dying`.
struct StorageInPlace {
  std::size_t op = 0;
  std::size_t dying = 0;
  std::size_t born = 0;
  friend auto operator<=>(const StorageInPlace&, const StorageInPlace&) = default;
};

/// Sorted by op and born storage.
[[nodiscard]] std::vector<StorageInPlace> storages_in_place(const Graph& graph,
                                                            const GraphLinks& links);

/// The problems of one graph in several orders.
class OrderedProblems {
 public:
  /// The graph outlives it.
  explicit OrderedProblems(const Graph& graph);
  /// As ordered_problem().
  [[nodiscard]] PlacementProblem of(const std::vector<std::size_t>& order) const;

 private:
  const Graph& graph_;
  GraphLinks links_;
  std::vector<StorageUse> uses_;
  std::vector<StorageInPlace> pairs_;
};

/// Some topological order, by position where there is a choice; shorter than the graph if that has
/// a cycle.
[[nodiscard]] std::vector<std::size_t> any_order(const GraphLinks& links);

}  // namespace tessera
