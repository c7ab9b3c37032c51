// What a choice of literals means for the offsets: their least values, or chains that end too high.
//
//   ChainRules rules(formula);
//   rules.renumber(numbers);
//   if (rules.push_down(holds)) use(rules.value(x));          // a model of the integers
//   for (const Chain& chain : rules.broken()) ...             // what no model can have together
//
// A chain starts at 0 or at a true lower bound, goes up along true orders and multiples, and ends
// above an upper bound. The clause "not all of these literals" is a lemma of difference logic, and
// excess() says for which numbers: a chain found at some sizes holds wherever it still ends too
// high. Nothing else in a formula depends on numbers, so a solver that knows the clauses and enough
// chains never looks at an offset (Armando, Castellini, Giunchiglia, Maratea: A SAT-based decision
// procedure for the Boolean combination of difference constraints, 2004).
#pragma once

#include <deque>
#include <vector>

#include "formula.h"

namespace tessera::encoder {

struct Chain {
  IntIndex start = 0;
  Lit base = 0;                      ///< a true lower bound of `start`; 0: it starts at 0
  std::vector<std::uint32_t> links;  ///< atoms, true `before` and `multiple`
  Lit top = 0;                       ///< an upper bound of the last integer; 0: its own range
  bool cycle = false;                ///< the links lead back to `start`, above it
  [[nodiscard]] std::vector<Lit> clause() const;
  [[nodiscard]] bool only_of(std::size_t atoms) const;
};

class ChainRules {
 public:
  explicit ChainRules(const Formula& formula);

  /// Atoms that were interned since.
  void extend(const Formula& formula);
  /// ensure: false if pushing down might take very long with these numbers (a cycle of orders that
  /// only rounding drives up); then the rules must not be used.
  [[nodiscard]] bool renumber(const Numbers& numbers);
  /// How far above its end the chain ends with the present numbers; not above 0: it is no lemma.
  [[nodiscard]] Size excess(const Chain& chain) const;
  /// Chains that one atom breaks alone.
  [[nodiscard]] std::vector<Chain> single_links() const;

  /// `truth[atom]`: 1 true, -1 false, 0 nobody cares. ensure: true if values() is a model.
  [[nodiscard]] bool push_down(const std::vector<signed char>& truth);
  /// require: push_down() was false. ensure: not empty; each clause is violated by the truths.
  [[nodiscard]] std::vector<Chain> broken(std::size_t most);
  [[nodiscard]] Size value(IntIndex x) const { return values_[x]; }

 private:
  static constexpr std::uint32_t no_atom = 0xFFFFFFFF;

  [[nodiscard]] bool common_multiples_exist() const;
  void raise(IntIndex x, Size to, std::uint32_t cause);
  [[nodiscard]] bool leads_back(IntIndex from, IntIndex to, std::uint32_t link);
  [[nodiscard]] Chain chain_to(IntIndex x) const;
  void shorten(Chain& chain) const;
  [[nodiscard]] bool shortcut(Chain& chain) const;

  std::vector<Atom> atoms_;
  std::vector<Integer> integers_;
  std::vector<std::vector<std::uint32_t>> orders_;     ///< per integer: those it is the lower of
  std::vector<std::vector<std::uint32_t>> multiples_;  ///< per integer
  bool rounds_ = false;                                ///< strides differ
  std::vector<std::uint32_t> borders_;                 ///< the `at_least` atoms
  std::vector<Size> amounts_;                          ///< per atom
  std::vector<Size> ranges_;                           ///< per integer: its own largest value

  std::vector<signed char> truth_;  ///< of the last push_down()
  std::vector<Size> values_;
  std::vector<Size> strides_;  ///< with the multiples that are true
  std::vector<Size> uppers_;
  std::vector<std::uint32_t> tops_;    ///< per integer: the border that is its upper bound
  std::vector<std::uint32_t> causes_;  ///< per integer: the atom that gave it its value
  std::deque<IntIndex> queue_;
  std::vector<char> queued_;
  std::vector<Chain> cycles_;
};

/// Chains found at some numbers, for the same formula at others.
struct ChainStore {
  static constexpr std::size_t most = 20'000;
  std::size_t atoms = 0;  ///< only chains of the first ones are kept: later atoms differ
  std::vector<Chain> chains;
};

/// Are offsets so fine and orders so few that a solver does better without offsets?
/// (measured: docs/benchmarks.md)  ensure: if true, ChainRules::renumber(numbers) is.
[[nodiscard]] bool chains_pay(const Formula& formula, const Numbers& numbers);

}  // namespace tessera::encoder
