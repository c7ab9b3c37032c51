// Theorem 2 and Lemma 1: boxes of one height around jobs that count as one size.
//
//   Theorem2 theorem2(boxes.items);
//   theorem2.box(members, {.rows = 8, .epsilon = 0.5}, random, made);
//
// `made` receives groups of members; each group needs at most `rows` rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/placement/boxing/boxing.h"
#include "search/placement/boxing/colouring.h"

namespace tessera::search::boxing {

struct Theorem2Params {
  std::int64_t rows = 1;  ///< H of the papers: jobs on top of each other in a box
  double epsilon = 0.5;
};

/// Groups of items in sequence.
struct Groups {
  std::vector<std::int32_t> members;
  std::vector<std::size_t> ends;  ///< per group, end in `members`
};

class Theorem2 {
 public:
  /// require: `items` outlives the object and does not move while box() runs.
  explicit Theorem2(const std::vector<Item>& items) : items_(&items) {}
  /// Groups all `members`. Returns false if the budget ended it.
  bool box(std::vector<std::int32_t> members, const Theorem2Params& params, const Budget& budget,
           Random& random, Groups& groups);

 private:
  /// Jobs strictly between two critical sections, to be boxed separately.
  struct Part {
    std::vector<std::int32_t> members;
    std::vector<Section> points;  ///< critical sections, ascending
  };
  void split(Part part, Random& random, Groups& groups);
  void lemma1(std::span<const std::int32_t> live, Groups& groups);
  void add_groups(std::span<const std::int32_t> strip, Groups& groups);
  void box_rows(Groups& groups, std::vector<Section>& points);
  [[nodiscard]] const Item& item(std::int32_t k) const {
    return (*items_)[static_cast<std::size_t>(k)];
  }

  const std::vector<Item>* items_;
  Theorem2Params params_;
  std::vector<Part> open_;
  // Reused memory.
  std::vector<std::int32_t> unresolved_;
  std::vector<std::pair<std::uint32_t, std::int32_t>> by_point_;
  std::vector<std::int32_t> live_;
  std::vector<std::int32_t> by_birth_;
  std::vector<std::int32_t> by_death_;
  std::vector<std::uint8_t> cut_;
  std::vector<std::int32_t> strip_;
  std::vector<Interval> intervals_;
  std::vector<Row> row_of_;
  std::vector<std::int32_t> by_row_;
  Colouring colouring_;
};

}  // namespace tessera::search::boxing
