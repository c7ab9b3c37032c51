// Learned clauses of a session, with the numbers that they rest on.
//
//   kept.collect(search, deduction);             // after a query, with its numbers
//   kept.begin(layer, build.fixed_orders());     // after Build::renew(): another query
//   bool exact = kept.restore(state, build);     // adds the clauses that hold
//
// A clause says that some bounds and orders contradict each other. Nearly all rules derive that
// from sums: some items are longer than the space between two bounds. It holds for larger sizes and
// smaller capacities too. If the step also uses that an item is no longer than it is, the clause is
// exact: it holds for equal sizes only. Either kind requires that symmetry fixes the same orders.
#pragma once

#include <deque>

#include "build.h"
#include "search.h"

namespace tessera::search::learning {

class KeptClauses {
 public:
  void collect(const Search& search, const Deduction& deduction);
  void begin(const SizeLayer& layer, const std::vector<Key>& symmetry);
  /// Adds the clauses that hold. True: they raised bounds that depend on the present sizes.
  bool restore(const Deduction& deduction, Build& build, std::span<const Var> offsets);
  /// The number of clauses of the last restore().
  [[nodiscard]] std::int64_t restored() const { return restored_; }

 private:
  static constexpr std::uint64_t kept_before = 1;  ///< the name of clauses that were restored
  static constexpr std::size_t most_clauses = 2000;
  static constexpr std::size_t most_literals = 12;

  /// The numbers of a query.
  struct Basis {
    SizeLayer layer;
    std::vector<Key> symmetry;
    std::size_t clauses = 0;  ///< that rest on it
  };
  struct Clause {
    std::uint64_t basis = 0;
    ClauseDb::Head head;
    std::vector<Lit> contradiction;  ///< not all of these are true
  };
  enum class Holds : std::uint8_t { no, for_larger, exactly };
  [[nodiscard]] Holds holds(const Basis& basis, const State& state,
                            std::span<const Var> offsets) const;
  void keep(std::span<const Lit> lits, const State& state, const ClauseDb::Head& head);

  std::deque<Basis> bases_;  // the last one is that of the present query
  std::uint64_t first_ = 0;  // number of bases_.front()
  std::deque<Clause> clauses_;
  std::vector<Lit> lits_;  // reused
  std::int64_t restored_ = 0;
};

}  // namespace tessera::search::learning
