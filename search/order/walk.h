// A position in the lattice of down-sets: which ops ran, what is live, which ops may run next.
//
//   OpTables tables(graph);
//   Walk walk(tables);
//   for (OpId op : order) { peak = std::max(peak, walk.while_running(op)); walk.run(op); }
//   walk.back();                                  // undoes the last run()
//
// run() and back() take time in proportion to the storages and successors of the op.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/order/graph.h"

namespace tessera::search {

/// Successors, and storages per op, of a graph. The graph outlives it.
struct OpTables {
  enum class Ancestors : bool { no, yes };
  explicit OpTables(const OpGraph& of, Ancestors wanted = Ancestors::yes);
  const OpGraph& graph;
  std::vector<std::vector<OpId>> after;
  std::vector<std::vector<std::uint32_t>> begins;  ///< per op: storages it may allocate
  std::vector<std::vector<std::uint32_t>> ends;    ///< per op: storages it may free
  std::vector<std::uint64_t>
      earlier;            ///< per op a bit set of `words` words: its ancestors, if wanted
  std::size_t words = 0;  ///< of a bit set of ops

  [[nodiscard]] std::span<const std::uint64_t> ancestors(OpId op) const {
    return std::span(earlier).subspan(op * words, words);
  }
};

class Walk {
 public:
  /// Starts before the first op. The tables outlive it.
  explicit Walk(const OpTables& tables);

  [[nodiscard]] Size live() const { return live_; }
  /// Live bytes while the op runs.  require: may_run(op).
  [[nodiscard]] Size while_running(OpId op) const;
  /// By how much the op changes the live bytes.  require: may_run(op).
  [[nodiscard]] Size change(OpId op) const;
  [[nodiscard]] bool ran(OpId op) const { return (set_[op / 64] >> (op % 64) & 1U) != 0; }
  [[nodiscard]] bool may_run(OpId op) const { return missing_[op] == 0 && !ran(op); }
  [[nodiscard]] std::span<const OpId> ready() const { return ready_; }
  [[nodiscard]] std::span<const OpId> path() const { return path_; }
  [[nodiscard]] std::span<const std::uint64_t> set() const { return set_; }
  [[nodiscard]] bool complete() const { return path_.size() == tables_->graph.ops; }

  void run(OpId op);
  void back();
  void back_to(std::size_t length) {
    while (path_.size() > length) back();
  }
  /// To the position after this path, from the common prefix on.
  void move_to(std::span<const OpId> path);

 private:
  void add_ready(OpId op);
  void drop_ready(OpId op);

  const OpTables* tables_;
  Size live_ = 0;
  std::vector<std::uint64_t> set_;
  std::vector<std::uint32_t> missing_;  ///< per op: predecessors that did not run
  std::vector<std::uint32_t>
      begun_;  ///< per storage: ops of `begin` that ran, one more if from_start
  std::vector<std::uint32_t>
      left_;  ///< per storage: ops of `end` that did not, one more if it stays
  std::vector<OpId> ready_;
  std::vector<std::uint32_t> slot_;  ///< per ready op: its position in ready_
  std::vector<OpId> path_;
};

}  // namespace tessera::search
