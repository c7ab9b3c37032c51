// Encodes a placement problem as a Formula, and decodes models.
//
//   Encoding encoding = encode(problem, {});
//   ... a solver finds values for encoding.formula under numbers_of(problem) ...
//   Placement placement = decode(problem, encoding, integer_value, literal_value);
//
// The layers are the files of layers/: each adds the clauses of one rule.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "formula.h"
#include "model/derived.h"

namespace tessera::encoder {

struct EncodeParams {
  /// Orders interchangeable buffers and fixes one mirrored pair. This depends on the numbers of the
  /// problem, so the formula is invalid for other size layers.
  bool break_symmetry = false;
  /// One literal per buffer; the buffer's clauses apply only while it is true.
  bool presence = false;
  /// Clauses that orders are transitive and exclude their reverse (order_axioms.cpp).
  bool order_axioms = true;
  /// The soft literals: the costs of avoid_overlap, the modes used, their switches, or
  /// none.
  Objective goal = Objective::fit;
  /// Polled while the formula grows: throws BudgetEnded. May be null. Not owned.
  Poll* poll = nullptr;
};

/// Costs `weight` when the literal is true.
struct Soft {
  Lit literal = true_lit;
  Cost weight = 0;
};

/// The mode of one memory during steps without any change.
struct ModeChoice {
  StepRange steps;
  /// One literal per Memory::modes. At least one is true, and every true one is a valid choice.
  /// Empty if no buffer depends on the mode.
  std::vector<Lit> modes;
  /// For modes_per_bank instead: per bank, one per Bank::roles.
  std::vector<std::vector<Lit>> roles;
};

struct Encoding {
  Formula formula;
  std::vector<IntIndex> offset;      ///< per buffer
  std::vector<std::vector<Lit>> in;  ///< [buffer][memory]: false_lit if not allowed
  std::vector<Lit> present;          ///< per buffer; true_lit without EncodeParams::presence
  std::vector<std::vector<ModeChoice>> modes;  ///< per memory, by time
  std::vector<Soft> soft;
  /// with Objective::cost: the pair of each soft literal
  std::vector<std::pair<BufferIndex, BufferIndex>> soft_pairs;
};

/// require: validate(problem) is empty; unsupported_rule(problem) is nothing; modes of rules are in
/// tables (rule_forms.h).
[[nodiscard]] Encoding encode(const PlacementProblem& problem, const EncodeParams& params);

/// The clauses of EncodeParams::break_symmetry for these numbers, added to a formula made without
/// them: a session does this for each size layer. With presence literals they hold for every subset
/// of buffers.
void add_symmetry(const PlacementProblem& problem, Encoding& encoding, Poll* poll = nullptr);

/// A clause that holds while the sum of these sizes exceeds the capacity of the memory.
struct Cover {
  MemoryIndex memory = 0;
  std::vector<BufferIndex> buffers;
  std::vector<Lit> clause;
};

/// Implied clauses for these numbers, which express in two or three orders what a solver would
/// derive with many (layers/balance.cpp). Certificate checkers do not know them. Adds atoms to the
/// formula, but no clauses.
[[nodiscard]] std::vector<Cover> balance_covers(const PlacementProblem& problem, Encoding& encoding,
                                                Poll* poll = nullptr);
/// Adds their clauses.
void add_balance(const PlacementProblem& problem, Encoding& encoding, Poll* poll = nullptr);

[[nodiscard]] Placement decode(const PlacementProblem& problem, const Encoding& encoding,
                               const std::function<Size(IntIndex)>& value,
                               const std::function<bool(Lit)>& holds);

}  // namespace tessera::encoder
