// CaDiCaL on the clauses of a formula alone, with lemmas for chains of orders. Each model is pushed
// down; for each chain that exceeds its upper bound, a lemma is added and the solver runs again.
// Private to encoder/.
#pragma once

#include <optional>
#include <vector>

#include "cadical_base.h"
#include "chains.h"

namespace tessera::encoder {

class ChainBackend : public CadicalBase {
 public:
  explicit ChainBackend(std::uint64_t seed) : CadicalBase(seed) {}

  using Backend::load;
  void load(const Formula& formula, const Numbers& numbers, Poll& poll) override;
  int literal(Lit of) const override {
    const int value = atoms_[atom_of(of)];
    return of < 0 ? -value : value;
  }
  int fresh() override { return ++variables_; }
  Answer solve(std::span<const int> assumptions, const Budget& budget) override;
  Size value(IntIndex x) override { return rules_->value(x); }
  void report(Stats& stats) const override;

 protected:
  /// The clauses of the formula, which name no number.
  void load_structure(const Formula& formula, Poll& poll);
  /// A chain that is too long for the numbers of this query.
  virtual void lemma(Chain chain);
  /// Adds a clause of atoms that occur in the formula; `guard`, if not 0, is one more literal.
  void say(std::span<const Lit> literals, int guard);
  [[nodiscard]] bool occurs(std::span<const Lit> literals) const;
  int translate(Lit literal);
  /// Solves under `assumed_`, to which lemma() may add.
  Answer run(const Budget& budget);

  std::optional<ChainRules> rules_;
  std::vector<int> assumed_;
  std::vector<int> atoms_;  ///< the variable of an atom; 0: it does not occur
  std::int64_t lemmas_ = 0;

 private:
  Answer rounds(const Budget& budget, const std::int64_t& spent);

  std::vector<signed char> truth_;
  std::vector<int> said_;
  int variables_ = 0;
};

}  // namespace tessera::encoder
