// Interface to a solver with a loaded formula: the common subset of CaDiCaL and Z3 that the engines
// use.
//
//   auto solver = make_cadical({.encoding = OffsetEncoding::order});
//   solver->load(formula, numbers);
//   if (solver->solve({}, budget) == Answer::yes) x = solver->value(encoding.offset[0]);
//
// Literals are those of the solver (see literal()), or `always` and `never` (cnf_writer.h).
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "chains.h"
#include "cnf_writer.h"
#include "engine/engine.h"
#include "formula.h"
#include "smt_engine.h"

namespace tessera::encoder {

enum class Answer : std::uint8_t { no, yes, unknown };

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// require: called before all other functions; once, unless reloads(). Throws BudgetEnded; the
  /// solver is then unusable.
  virtual void load(const Formula& formula, const Numbers& numbers, Poll& poll) = 0;
  void load(const Formula& formula, const Numbers& numbers) {
    Poll unlimited;
    load(formula, numbers, unlimited);
  }
  /// May load() be called again, which is faster than to make a new solver?
  [[nodiscard]] virtual bool reloads() const { return false; }
  /// The solver's literal for an atom that occurs in the formula.
  [[nodiscard]] virtual int literal(Lit of) const = 0;
  [[nodiscard]] virtual int fresh() = 0;
  virtual void clause(std::span<const int> literals) = 0;
  void clause(std::initializer_list<int> literals) {
    clause(std::span<const int>(literals.begin(), literals.size()));
  }

  /// Is there a model with these literals true? ensure: unknown only if the budget ended.
  [[nodiscard]] virtual Answer solve(std::span<const int> assumptions, const Budget& budget) = 0;
  /// require: the last answer was yes.
  [[nodiscard]] virtual bool holds(int literal) = 0;
  [[nodiscard]] virtual Size value(IntIndex x) = 0;
  /// Did the last refutation use this assumption?  require: the last answer was no.
  [[nodiscard]] virtual bool failed(int assumption) = 0;

  virtual void report(Stats& stats) const = 0;
};

struct CadicalParams {
  OffsetEncoding encoding = OffsetEncoding::automatic;
  std::uint64_t seed = 0;
};
[[nodiscard]] std::unique_ptr<Backend> make_cadical(const CadicalParams& params);
/// Memory per order in the chain rules and CaDiCaL: a variable, two clauses, their watches.
inline constexpr double chain_bytes_per_atom = 500;
/// Without offset variables: chains of orders are added as lemmas when needed (chains.h).
[[nodiscard]] std::unique_ptr<Backend> make_chain_solver(const CadicalParams& params);

struct Z3Params {
  SmtTheory theory = SmtTheory::automatic;
  std::uint64_t seed = 0;
};
[[nodiscard]] std::unique_ptr<Backend> make_z3(const Z3Params& params);

/// Why a solver that answered `unknown` stopped.
[[nodiscard]] StopReason stop_reason(const Budget& budget);

}  // namespace tessera::encoder
