// The search for the least peak of one segment, with growing effort. See least_peak.h.
//
//   SegmentSearch search(graph, start, bytes);
//   while (search.peak() > search.bound()) search.advance(floor, work);
#pragma once

#include <optional>
#include <vector>

#include "search/order/beam.h"
#include "search/order/bounds.h"
#include "search/order/exact.h"

namespace tessera::search {

class SegmentSearch {
 public:
  SegmentSearch(OpGraph graph, std::vector<OpId> start, std::size_t bytes);
  SegmentSearch(const SegmentSearch&) = delete;
  SegmentSearch& operator=(const SegmentSearch&) = delete;

  /// The next round of the search: an order with a peak of at most `floor` is good enough.
  void advance(Size floor, BeamWork& work);
  [[nodiscard]] Size peak() const { return peak_; }
  [[nodiscard]] Size bound() const { return bound_; }
  [[nodiscard]] const std::vector<OpId>& order() const { return order_; }
  /// Does more effort find nothing more?
  [[nodiscard]] bool ended() const;

 private:
  void greedy();
  void narrow(Size floor, BeamWork& work);
  void bound_by_cuts(BeamWork& work);
  void exact(ExactOrder& search, bool backwards, Size floor, BeamWork& work);
  void windows(Size floor, BeamWork& work);
  bool window(std::size_t at, Size target, BeamWork& work);
  void take(std::vector<OpId> order);

  OpGraph graph_;
  OpTables tables_;
  OpGraph mirror_;
  std::size_t bytes_;
  std::vector<OpId> order_;
  Size peak_ = 0;
  Size bound_ = 0;
  std::size_t round_ = 0;
  std::optional<ExactOrder> forwards_;
  std::optional<ExactOrder> backwards_;
};

}  // namespace tessera::search
