// The decisions that a conflict depends on.
//
//   Conflict conflict(deduction);
//   if (!deduction.propagate()) for (std::int32_t level : conflict.levels()) ...;
//
// The premises of the conflict are traced back to decisions, each weakened as far as possible.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/learning/deduction.h"

namespace tessera::search::guided {

class Conflict {
 public:
  explicit Conflict(const learning::Deduction& deduction) : deduction_(deduction) {}

  /// The levels of the decisions, deepest first. Empty: there is no placement at all.
  /// require: propagate() has just returned false.
  [[nodiscard]] std::span<const std::int32_t> levels();
  /// Does the conflict hold without any decision? Faster than levels(), with the same result.
  [[nodiscard]] bool at_root();

 private:
  void ask(learning::Lit lit);

  const learning::Deduction& deduction_;
  learning::Lemma lemma_;
  std::vector<learning::Value> wanted_;  // by trail position
  std::vector<char> asked_;
  std::vector<std::int32_t> levels_;
  std::int32_t open_ = 0;
  std::int32_t latest_ = -1;
};

}  // namespace tessera::search::guided
