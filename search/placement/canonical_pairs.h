// Complete search for cores with interlocking pairs (gaps with windows that let two buffers lie
// above each other at different steps): branches on the order of one conflicting pair at a time.
//
//   PairSearch search(core);
//   while (search.run(1000) == Outcome::paused) poll();
//
// The lowest offsets are the least solution of the chosen orders. If no pair conflicts there, they
// are a placement. Much slower than the canonical search; such pairs are rare, and their problems
// small.
#pragma once

#include <cstdint>
#include <vector>

#include "search/placement/canonical_core.h"
#include "search/placement/canonical_search.h"

namespace tessera::search::canonical {

class PairSearch {
 public:
  /// require: the core outlives the search.
  explicit PairSearch(const Core& core);
  Outcome run(std::int64_t nodes);
  [[nodiscard]] Size offset(int item) const { return lowest_[static_cast<std::size_t>(item)]; }
  [[nodiscard]] std::int64_t nodes() const { return nodes_; }
  /// In units of Search::work(), roughly: every node visits every pair.
  [[nodiscard]] std::int64_t work() const {
    return nodes_ * static_cast<std::int64_t>(64 + pairs_.size());
  }

 private:
  struct Edge {
    int from, to;
    Size weight;  ///< lowest(to) >= lowest(from) + weight
  };
  struct Choice {
    std::size_t pair;
    std::size_t next;   ///< the permitted difference to try next
    std::size_t edges;  ///< number of edges to return to
    std::vector<Size> lowest;
  };

  [[nodiscard]] Outcome find_fixpoint(std::int64_t limit);
  [[nodiscard]] bool positive_cycle() const;
  [[nodiscard]] int conflict() const;
  [[nodiscard]] bool descend(Choice& choice);

  const Core& core_;
  std::vector<GeneralPair> pairs_;
  std::vector<Size> latest_;
  std::vector<Size> lowest_;
  std::vector<Edge> edges_;
  std::vector<Choice> choices_;
  std::int64_t nodes_ = 0;
  std::size_t passes_ = 0;    ///< of the current fixpoint computation
  bool interrupted_ = false;  ///< the node limit interrupted that computation
  bool started_ = false;
  bool backtrack_ = false;
};

}  // namespace tessera::search::canonical
