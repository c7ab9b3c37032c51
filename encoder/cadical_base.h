// Common code of all CaDiCaL backends: literals, budgets and model values. Private to encoder/.
#pragma once

#include <cadical.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "backend.h"

namespace tessera::encoder {

/// CaDiCaL polls at points of its search that do not depend on time, so polls count as work.
class BudgetTerminator : public CaDiCaL::Terminator {
 public:
  explicit BudgetTerminator(const Budget& budget) : budget_(budget) {}
  bool terminate() override {
    if (budget_.meter != nullptr) {
      const std::int64_t done = budget_.meter->done.fetch_add(1, std::memory_order_relaxed) + 1;
      if (done >= budget_.meter->limit.load(std::memory_order_relaxed)) return true;
    }
    return budget_.exhausted().has_value();
  }

 private:
  const Budget& budget_;
};

class CadicalBase : public Backend {
 public:
  using Backend::clause;
  void clause(std::span<const int> literals) final;
  bool holds(int literal) final;
  bool failed(int assumption) final;

 protected:
  explicit CadicalBase(std::uint64_t seed);

  /// False if one of them is `never`: then the query is unsatisfiable.
  [[nodiscard]] bool possible(std::span<const int> assumptions);
  /// For the next solve().
  void assume(std::span<const int> assumptions);
  void add(std::span<const int> literals);

  CaDiCaL::Solver solver_;
  std::int64_t clauses_ = 0;
  std::int64_t calls_ = 0;

 private:
  std::vector<int> scratch_;
  bool false_assumption_ = false;
};

}  // namespace tessera::encoder
