// Which decisions a conflict is made of.
//
//   Conflict conflict(deduction);
//   if (!deduction.propagate()) for (std::int32_t level : conflict.levels()) ...;
//
// The premises of the conflict are explained back to decisions, each with no more than was needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/learning/deduction.h"

namespace tessera::search::guided {

class Conflict {
 public:
  explicit Conflict(const learning::Deduction& deduction) : deduction_(deduction) {}

  /// The levels of the decisions, deepest first. None: there is no placement at all.
  /// require: propagate() just answered false.
  [[nodiscard]] std::span<const std::int32_t> levels();
  /// Does it hold without any decision? Cheaper than levels(), and the same answer.
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
