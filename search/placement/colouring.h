// Colours for the nodes of a graph: two that are joined hard differ, two that are joined softly
// cost something where they do not. A node may take several colours in a row.
//
//   Colouring found = least_colouring(graph, budget, seed);
//   if (found.status == Status::feasible && found.bound == found.cost) ...      // the least cost
//
// What placing buffers of one size comes down to (slots.h), or of few sizes with a large common
// divisor. Where everybody takes one colour, colours are interchangeable.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

struct ColourGraph {
  std::size_t colours = 0;
  /// Of each node: how many colours in a row it takes, at least 1; `colour` is the first of them.
  /// Empty: one each.
  std::vector<std::uint32_t> span{};
  std::vector<std::vector<std::uint32_t>> hard;                   ///< of each node, both ways
  std::vector<std::vector<std::pair<std::uint32_t, Cost>>> soft;  ///< likewise; costs above 0
};

struct Colouring {
  Status status = Status::unknown;  ///< infeasible: there are not enough colours, proved
  StopReason stop = StopReason::completed;
  std::vector<std::uint32_t> colour;  ///< of each node, if feasible
  Cost cost = 0;                      ///< of `colour`
  Cost bound = 0;                     ///< proved
  std::int64_t nodes = 0;
};

/// Descends from a colouring by moves that are forbidden for a while once made (tabu search: Hertz
/// and de Werra 1987), then solves the graphs of the first nodes, one more at a time, each with the
/// least costs of the smaller ones as bounds (russian dolls: Verfaillie, Lemaitre, Schiex 1996).
/// Counts its nodes in budget.meter, if there is one.
/// require: the costs add up to at most max_address.
[[nodiscard]] Colouring least_colouring(const ColourGraph& graph, const Budget& budget,
                                        std::uint64_t seed);

}  // namespace tessera::search
