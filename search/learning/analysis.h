// Conflict analysis: first unique implication point, then minimisation.
#pragma once

#include "deduction.h"

namespace tessera::search::learning {

struct Learned {
  std::vector<Lit> lits;     ///< the first is asserted; the second has the highest other level
  std::int32_t back_to = 0;  ///< level at which the first becomes unit
  std::uint32_t glue = 0;    ///< number of different levels
  bool exact = false;        ///< larger sizes may make it wrong (kept.h)
  std::vector<Var> seen;     ///< variables involved, to be favoured by the search
  std::vector<std::uint32_t> sections;  ///< sections involved
  std::vector<Lemma> antecedents;       ///< only on request: the lemmas it follows from, in order
};

class Analysis {
 public:
  Analysis(Deduction& deduction, bool minimise, bool record)
      : deduction_(deduction), minimise_(minimise), record_(record) {}

  /// The highest level among the premises; weakening may have moved all of them below the current
  /// one.
  [[nodiscard]] std::int32_t level_of(const Lemma& conflict) const;
  /// require: the state is at level_of(conflict) > 0.
  void run(const Lemma& conflict, Learned& learned);
  /// The decisions that imply the literal; empty: it holds without decisions.
  void decisions_for(Lit lit, std::vector<Lit>& decisions, std::vector<Lemma>* lemmas);

 private:
  void demand(Lit lit);
  void note(const Lemma& lemma, Learned& learned) const;
  bool implied(std::int32_t at, Lit lit, int depth);
  void minimise();
  void drop_weaker(Key asserted);

  Deduction& deduction_;
  bool minimise_;
  bool record_;
  // By trail position: the required value, and the status.
  enum class Mark : std::uint8_t { none, demanded, redundant, needed };
  std::vector<Value> wanted_;
  std::vector<Mark> mark_;
  std::vector<std::int32_t> touched_;
  std::vector<std::int32_t> lower_;  // demanded entries below the conflict level
  std::vector<std::int32_t> level_seen_;
  std::vector<std::int32_t> key_seen_;
  std::vector<Lemma> removed_;  // lemmas that made literals redundant
  bool implied_exact_ = false;  // of the lemmas that made literals redundant
  std::int32_t open_ = 0;       // demanded entries at the conflict level
  std::int32_t level_ = 0;
  std::int32_t stamp_ = 0;
  std::vector<Lemma> spare_;  // one per recursion depth
};

}  // namespace tessera::search::learning
