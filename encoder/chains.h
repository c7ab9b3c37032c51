// The meaning of a choice of literals for the offsets: their least values, or chains that exceed an
// upper bound.
//
//   ChainRules rules(formula);
//   rules.renumber(numbers);
//   if (rules.push_down(holds)) use(rules.value(x));          // a model of the integers
//   for (const Chain& chain : rules.broken()) ...             // conflicts that no model contains
//
// A chain starts at 0 or at a true lower bound, goes up along true orders and multiples, and ends
// above an upper bound. The clause "not all of these literals" is a lemma of difference logic, and
// excess() decides for which numbers it holds: a chain found for some sizes holds for all sizes
// with a positive excess. The rest of a formula does not depend on numbers. A solver with the
// clauses and enough chains therefore needs no offset variables (Armando, Castellini, Giunchiglia,
// Maratea: A SAT-based decision procedure for the Boolean combination of difference constraints,
// 2004).
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
};

class ChainRules {
 public:
  explicit ChainRules(const Formula& formula);

  /// Adds atoms that were created since the last call.
  void extend(const Formula& formula);
  /// ensure: returns false if pushing down may take very long for these numbers (a cycle of orders
  /// in which values rise only by rounding); the rules must not be used then.
  [[nodiscard]] bool renumber(const Numbers& numbers);
  /// By how much the chain exceeds its upper bound for the current numbers. Without a positive
  /// excess it is no lemma.
  [[nodiscard]] Size excess(const Chain& chain) const;
  [[nodiscard]] std::vector<Chain> single_links() const;

  /// `truth[atom]`: 1 true, -1 false, 0 irrelevant. ensure: true if values() is a model.
  [[nodiscard]] bool push_down(const std::vector<signed char>& truth);
  /// require: push_down() returned false. ensure: not empty; the truth assignment violates each
  /// clause.
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
  /// per integer: the orders in which it is the lower one
  std::vector<std::vector<std::uint32_t>> orders_;
  std::vector<std::vector<std::uint32_t>> multiples_;  ///< per integer
  bool rounds_ = false;                                ///< strides differ
  std::vector<std::uint32_t> borders_;                 ///< the `at_least` atoms
  std::vector<Size> amounts_;                          ///< per atom
  std::vector<Size> ranges_;                           ///< per integer: its own largest value

  std::vector<signed char> truth_;  ///< of the last push_down()
  std::vector<Size> values_;
  std::vector<Size> strides_;  ///< including the true multiples
  std::vector<Size> uppers_;
  std::vector<std::uint32_t> tops_;    ///< per integer: the atom of its upper bound
  std::vector<std::uint32_t> causes_;  ///< per integer: the atom that determined its value
  std::deque<IntIndex> queue_;
  std::vector<char> queued_;
  std::vector<Chain> cycles_;
};

/// Is a solver without offset variables faster, because addresses are fine-grained and orders few?
/// (measured: bench/README.md)
[[nodiscard]] bool chains_are_faster(const Formula& formula, const Numbers& numbers);
/// The same, and ChainRules::renumber(numbers) is true.
[[nodiscard]] bool chains_pay(const Formula& formula, const Numbers& numbers);

}  // namespace tessera::encoder
