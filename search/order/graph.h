// Ops that share memory, as the order search sees them: numbers, no names.
//
//   OpGraph graph{.ops = 2, .before = {{}, {0}}};
//   graph.storages.push_back({.size = 64, .begin = {0}, .end = {0, 1}});
//   Size peak = peak_of(graph, {0, 1});           // op 0 makes the storage, op 1 reads it
//
// A down-set is a set of ops that contains all predecessors of its ops: the ops that ran so far.
// The live bytes are a function of the down-set alone, whatever its order, because a storage is
// live from the first op of `begin` until all ops of `end` ran. Several ops in `begin` are the
// parts of a concatenation without copies. The live bytes are submodular over down-sets, and the
// reversed graph has the same peaks; the proofs of the search rest on both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/units.h"

namespace tessera::search {

using OpId = std::uint32_t;

/// Bytes that ops share.
struct Storage {
  Size size = 0;
  std::vector<OpId> begin{};  ///< sorted; the first of them to run allocates it
  std::vector<OpId> end{};    ///< sorted; the last of them to run frees it
  bool from_start = false;    ///< live before any op; `begin` has no effect
  bool stays = false;         ///< never freed; `end` has no effect
};

/// An op may write storage `born` over storage `dying`: if the op is the last to use the one and
/// the first to use the other, the smaller of them needs no bytes while the op runs.
struct InPlace {
  std::uint32_t dying = 0;
  std::uint32_t born = 0;
  std::uint32_t group = 0;  ///< of an op: only the largest saving of a group counts
};

struct OpGraph {
  std::size_t ops = 0;
  std::vector<std::vector<OpId>> before{};  ///< per op: its predecessors, sorted
  std::vector<Storage> storages{};
  std::vector<Size> extra{};  ///< per op: bytes live only while it runs; empty: none
  std::vector<std::vector<InPlace>> in_place{};  ///< per op; empty: none
  Size base = 0;                                 ///< bytes that are always live
};

/// The largest number of live bytes while an op of this order runs.
/// require: `order` is a topological order of all ops.
[[nodiscard]] Size peak_of(const OpGraph& graph, const std::vector<OpId>& order);

/// The live bytes while each op of the order runs.
[[nodiscard]] std::vector<Size> live_while(const OpGraph& graph, const std::vector<OpId>& order);

/// Are all ops in the order, each once and after its predecessors?
[[nodiscard]] bool is_order(const OpGraph& graph, const std::vector<OpId>& order);

/// The bytes that the op saves by writing in place, of the pairs that count(pair).
template <typename Count>
[[nodiscard]] Size saved_in_place(const OpGraph& graph, OpId op, const Count& count) {
  if (graph.in_place.empty()) return 0;
  Size saved = 0;
  Size best = 0;  // of a group
  const std::vector<InPlace>& pairs = graph.in_place[op];
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (count(pairs[k]))
      best = std::max(
          best, std::min(graph.storages[pairs[k].dying].size, graph.storages[pairs[k].born].size));
    if (k + 1 < pairs.size() && pairs[k + 1].group == pairs[k].group) continue;
    saved += best;
    best = 0;
  }
  return saved;
}

/// A topological order, breadth first; shorter than the graph if that has a cycle. Before the
/// successors of the op at position `at` are added, visit(order, at) is called.
template <typename Visit>
[[nodiscard]] std::vector<OpId> breadth_first(const OpGraph& graph, const Visit& visit) {
  std::vector<std::vector<OpId>> after(graph.ops);
  std::vector<std::size_t> missing(graph.ops);
  std::vector<OpId> order;
  for (OpId op = 0; op < graph.ops; ++op) {
    for (const OpId p : graph.before[op]) after[p].push_back(op);
    missing[op] = graph.before[op].size();
    if (missing[op] == 0) order.push_back(op);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    visit(order, at);
    for (const OpId next : after[order[at]])
      if (--missing[next] == 0) order.push_back(next);
  }
  return order;
}
[[nodiscard]] std::vector<OpId> first_order(const OpGraph& graph);

/// Time runs backwards: an order of it is the reverse of an order of `graph`, with the same peak.
[[nodiscard]] OpGraph reversed(const OpGraph& graph);

/// The ops of `middle` as a graph of their own, numbered in its order, after the ops of `done` ran.
/// require: `done`, and `done` with `middle`, are down-sets.
[[nodiscard]] OpGraph segment(const OpGraph& graph, const std::vector<OpId>& middle,
                              const std::vector<bool>& done);

}  // namespace tessera::search
