// Graph colouring with hard edges (colours differ), soft edges (equal colours cost something), and
// nodes that take several consecutive colours.
//
//   Colouring found = least_colouring(graph, budget, seed);
//   if (found.status == Status::feasible && found.bound == found.cost) ...      // the least cost
//
// The placement of buffers of one size is such a problem (slots.h), and so is that of few sizes
// with a large common divisor. If each node takes one colour, colours are interchangeable.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

struct ColourGraph {
  std::size_t colours = 0;
  /// Per node, the number of consecutive colours, at least 1; `colour` is the first of them. Empty:
  /// one each.
  std::vector<std::uint32_t> span{};
  std::vector<std::vector<std::uint32_t>> hard;                   ///< per node, both directions
  std::vector<std::vector<std::pair<std::uint32_t, Cost>>> soft;  ///< likewise; costs above 0
};

struct Colouring {
  Status status = Status::unknown;  ///< infeasible: proved that there are not enough colours
  StopReason stop = StopReason::completed;
  std::vector<std::uint32_t> colour;  ///< per node, if feasible
  Cost cost = 0;                      ///< of `colour`
  Cost bound = 0;                     ///< proved
  std::int64_t nodes = 0;
};

/// Descends from a colouring by moves that are then forbidden for a while (tabu search: Hertz and
/// de Werra 1987). Then solves the graphs of the first nodes, one more at a time, each with the
/// least costs of the smaller ones as bounds (Russian dolls: Verfaillie, Lemaitre, Schiex 1996).
/// Counts its nodes in budget.meter, if there is one.
/// require: the sum of the costs is at most max_address.
[[nodiscard]] Colouring least_colouring(const ColourGraph& graph, const Budget& budget,
                                        std::uint64_t seed);

}  // namespace tessera::search
