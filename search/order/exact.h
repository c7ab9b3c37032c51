// The least peak over all orders of a small graph, by a search over down-sets.
//
//   ExactOrder search(graph, {.least = bound, .most = incumbent});
//   while (!search.finished()) search.advance(100'000);
//   if (search.found()) use(*search.found());            // an order with the least peak
//
// Dijkstra's algorithm for the largest instead of the sum: down-sets are expanded at the lowest
// level at which they can be left, and all of them that are reached at one level are expanded
// before the level rises. The level therefore is a lower bound at every moment. After each step,
// safe moves (safe_moves.h) run at the current level, so that only down-sets without them are
// stored.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <unordered_set>
#include <vector>

#include "search/order/safe_moves.h"
#include "search/order/walk.h"

namespace tessera::search {

struct ExactLimits {
  Size least = 0;  ///< a lower bound of the peak
  Size most = 0;   ///< the search ends if no order has a lower peak than this
  std::size_t bytes = std::size_t{1} << 30;  ///< of memory, roughly
};

class ExactOrder {
 public:
  /// The graph outlives it.
  ExactOrder(const OpGraph& graph, const ExactLimits& limits);
  ExactOrder(const ExactOrder&) = delete;
  ExactOrder& operator=(const ExactOrder&) = delete;

  /// Expands down-sets until about this many more steps are made.
  void advance(std::int64_t steps);
  /// Finished: found() has the order, or no order is below `most`, or the memory is full.
  [[nodiscard]] bool finished() const {
    return order_.has_value() || level_ >= limits_.most || full_;
  }
  [[nodiscard]] bool full() const { return full_; }
  /// No order has a lower peak.
  [[nodiscard]] Size bound() const { return level_; }
  [[nodiscard]] const std::optional<std::vector<OpId>>& found() const { return order_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Orders with this peak or more are of no use any more.
  void lower_most(Size most) { limits_.most = std::min(limits_.most, most); }
  void raise_least(Size least) { level_ = std::max(level_, least); }

 private:
  struct Place {      ///< a stored down-set, with the ops that led to it from another one
    Size tried = -1;  ///< steps up to this level were made
    std::uint32_t parent = 0;
    std::uint32_t first = 0;  ///< in moves_
    std::uint32_t count = 0;
  };
  struct Entry {
    Size level = 0;
    std::uint32_t place = 0;
    /// The lowest level first, then the newest: the search goes deep within a level.
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.level != b.level ? a.level > b.level : a.place < b.place;
    }
  };
  struct SetHash {
    const ExactOrder* own;
    std::size_t operator()(std::uint32_t place) const;
  };
  struct SetEqual {
    const ExactOrder* own;
    bool operator()(std::uint32_t a, std::uint32_t b) const;
  };

  void expand(const Entry& entry);
  void store(std::uint32_t parent, std::size_t from);
  void go_to(std::uint32_t place);

  const OpGraph& graph_;
  OpTables tables_;
  Walk walk_;
  SafeMoves safe_;
  ExactLimits limits_;
  Size level_;
  std::vector<Place> places_;
  std::vector<OpId> moves_;
  std::vector<std::uint64_t> sets_;
  std::unordered_set<std::uint32_t, SetHash, SetEqual> known_;
  std::priority_queue<Entry> queue_;
  std::vector<OpId> path_;
  std::vector<OpId> ready_;
  std::optional<std::vector<OpId>> order_;
  std::int64_t steps_ = 0;
  bool full_ = false;
};

}  // namespace tessera::search
