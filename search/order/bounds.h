// Lower bounds of the peak over all orders.
//
//   CutBounds cuts(tables);
//   Size bound = cuts.at(op);           // the live bytes while the op runs, at least
//
// An op runs after all of its ancestors and before all of its descendants. Of the down-sets with
// this property, one has the fewest live bytes: a minimum cut, because live bytes are submodular
// (as in Picard, "Maximal closure of a graph and applications to combinatorial problems", 1976).
#pragma once

#include <cstdint>
#include <vector>

#include "search/order/walk.h"

namespace tessera::search {

class CutBounds {
 public:
  /// The tables outlive it.
  explicit CutBounds(const OpTables& tables);
  /// The least number of live bytes while the op runs, over all orders.
  [[nodiscard]] Size at(OpId op);
  /// Edges visited so far.
  [[nodiscard]] std::int64_t work() const { return work_; }

 private:
  struct Edge {
    std::uint32_t to = 0;
    Size left = 0;
  };
  void add_edge(std::uint32_t from, std::uint32_t to, Size capacity);
  [[nodiscard]] Size flow(std::uint32_t source, std::uint32_t sink);
  [[nodiscard]] bool levels(std::uint32_t source, std::uint32_t sink);
  [[nodiscard]] Size push(std::uint32_t node, std::uint32_t sink, Size most);

  const OpTables& tables_;
  std::vector<Edge> edges_;                          ///< edge k and its reverse k ^ 1
  std::vector<Size> capacity_;                       ///< of each edge before a flow
  std::vector<std::vector<std::uint32_t>> at_node_;  ///< edges per node
  std::vector<std::uint32_t> source_edge_;           ///< per op
  std::vector<std::uint32_t> sink_edge_;             ///< per op
  std::vector<std::uint32_t> begun_edge_;            ///< per storage
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> queue_;
  std::int64_t work_ = 0;
};

}  // namespace tessera::search
