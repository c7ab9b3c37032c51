// Reverse unit propagation: is a clause a consequence that assigning its negation shows?
//
//   RupChecker checker;
//   checker.add({1, 2});  checker.add({1, -2});  checker.add({-1, 3});
//   bool follows = checker.implies({3});          // true: -3, then -1, then 2 and -2
//
// Goldberg, Novikov: Verification of proofs of unsatisfiability for CNF formulas (2003). Clauses
// are watched in two literals; literals that follow from unit clauses stay assigned, also when a
// clause they came from is deleted (as in drat-trim, Heule, Hunt, Wetzler 2013): a consequence
// stays one.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tessera::proof {

class RupChecker {
 public:
  /// Adds a clause that is given or was shown to follow.
  void add(std::span<const int> clause);
  /// Takes one clause with these literals (in any order) out. ensure: false if there is none.
  bool remove(std::span<const int> clause);
  /// ensure: true => every assignment that fulfils what was added fulfils the clause.
  [[nodiscard]] bool implies(std::span<const int> clause);
  /// Has propagation of the unit clauses alone met a contradiction?
  [[nodiscard]] bool refuted() const { return refuted_; }
  [[nodiscard]] std::int64_t propagations() const { return propagations_; }

 private:
  using Ref = std::uint32_t;  ///< position of a clause's length in arena_
  struct Watch {
    Ref clause = 0;
    int blocker = 0;  ///< another literal of it; if it is true the clause need not be looked at
  };

  void grow(int variable);
  [[nodiscard]] static std::size_t slot(int literal) {
    return literal < 0 ? 2 * static_cast<std::size_t>(-literal) + 1
                       : 2 * static_cast<std::size_t>(literal);
  }
  [[nodiscard]] std::int8_t value(int literal) const { return values_[slot(literal)]; }
  void assign(int literal);
  [[nodiscard]] bool propagate();
  void undo(std::size_t to);
  [[nodiscard]] std::uint64_t hash_of(std::span<const int> clause) const;

  std::vector<int> arena_;  ///< length, then the literals; a removed clause has length 0
  std::vector<std::vector<Watch>> watches_;  ///< by literal that became false
  std::vector<std::int8_t> values_;
  std::vector<int> trail_;
  std::size_t head_ = 0;
  bool refuted_ = false;
  std::unordered_multimap<std::uint64_t, Ref> known_;
  std::vector<int> sorted_;
  std::int64_t propagations_ = 0;
};

}  // namespace tessera::proof
