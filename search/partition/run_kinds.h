// Kinds of groups: groups that are equal op by op share one result.
//
//   const std::vector<std::uint32_t> like{0, 1, 0, 1, 2};
//   const RunKinds kinds(like.size(), like, 5, poll);
//   kinds.of(0, 1) == kinds.of(2, 3)                      // both are a 0 and a 1
//
// Networks repeat their blocks: a thousand equal layers have half a million groups, but a thousand
// kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/poll.h"

namespace tessera::search {

class RunKinds {
 public:
  RunKinds() = default;
  /// `like`: a number per op, equal for ops that may replace each other; empty: all differ. Groups
  /// have at most `longest` ops. Throws BudgetEnded.
  RunKinds(std::size_t ops, std::span<const std::uint32_t> like, std::size_t longest, Poll& poll);

  [[nodiscard]] std::size_t count() const { return first_of_.size(); }
  /// Kinds of the groups [first, first], [first, first + 1], ...
  [[nodiscard]] std::span<const std::uint32_t> from(std::size_t first) const {
    return {kinds_.data() + row(first), row(first + 1) - row(first)};
  }
  [[nodiscard]] std::uint32_t of(std::size_t first, std::size_t last) const {
    return kinds_[row(first) + last - first];
  }
  /// The earliest group of a kind: its first and last op.
  [[nodiscard]] std::pair<std::size_t, std::size_t> run(std::uint32_t kind) const {
    return first_of_[kind];
  }
  /// The number of groups of the kind.
  [[nodiscard]] std::uint32_t members(std::uint32_t kind) const { return members_[kind]; }

 private:
  /// First index of the groups that begin at `first`: rows have length `longest`, except for the
  /// last ones.
  [[nodiscard]] std::size_t row(std::size_t first) const {
    const std::size_t full = ops_ - longest_ + 1;
    if (first <= full) return first * longest_;
    const std::size_t short_rows = first - full;
    return full * longest_ + short_rows * (longest_ - 1) - short_rows * (short_rows - 1) / 2;
  }
  std::uint32_t add(std::size_t first, std::size_t last);

  std::size_t ops_ = 0;
  std::size_t longest_ = 0;
  std::vector<std::uint32_t> kinds_;  ///< by first op, then by last op
  std::vector<std::pair<std::size_t, std::size_t>> first_of_;
  std::vector<std::uint32_t> members_;
};

}  // namespace tessera::search
