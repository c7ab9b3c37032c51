// A placement problem as a Formula, and the way back.
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
  /// Order interchangeable buffers, fix one mirrored pair: needs the numbers of the problem, so the
  /// formula is good for no other size layer.
  bool break_symmetry = false;
  /// One literal per buffer; its clauses only count while it is true.
  bool presence = false;
  /// Say that orders are transitive and exclude their reverse (order_axioms.cpp).
  bool order_axioms = true;
  /// What the soft literals are: the costs of avoid_overlap, the modes used, or none.
  Objective goal = Objective::fit;
  /// Asked while the formula grows: throws BudgetEnded. nullptr: nobody. Not owned.
  Poll* poll = nullptr;
};

/// Costs `weight` when the literal is true.
struct Soft {
  Lit literal = true_lit;
  Cost weight = 0;
};

/// The mode of one memory during steps among which nothing changes.
struct ModeChoice {
  StepRange steps;
  /// One per Memory::modes; at least one is true, and each that is true will do. Empty where
  /// nothing depends on the mode.
  std::vector<Lit> modes;
  /// For modes_per_bank instead: per bank, one per Bank::roles.
  std::vector<std::vector<Lit>> roles;
};

struct Encoding {
  Formula formula;
  std::vector<IntIndex> offset;      ///< per buffer
  std::vector<std::vector<Lit>> in;  ///< [buffer][memory]: false_lit where not allowed
  std::vector<Lit> present;          ///< per buffer; true_lit without EncodeParams::presence
  std::vector<std::vector<ModeChoice>> modes;  ///< per memory, by time
  std::vector<Soft> soft;
  std::vector<std::pair<BufferIndex, BufferIndex>> soft_pairs;  ///< with Objective::cost: of each
};

/// require: validate(problem) is empty.
[[nodiscard]] Encoding encode(const PlacementProblem& problem, const EncodeParams& params);

/// The clauses of EncodeParams::break_symmetry for these numbers, added to a formula made without:
/// what a session does for each size layer. With presence they hold for every subset of buffers.
void add_symmetry(const PlacementProblem& problem, Encoding& encoding, Poll* poll = nullptr);

/// Clauses that follow from the others with these numbers and say in two or three orders what a
/// solver would find with many (layers/balance.cpp); no checker of certificates knows them.
void add_balance(const PlacementProblem& problem, Encoding& encoding, Poll* poll = nullptr);

[[nodiscard]] Placement decode(const PlacementProblem& problem, const Encoding& encoding,
                               const std::function<Size(IntIndex)>& value,
                               const std::function<bool(Lit)>& holds);

}  // namespace tessera::encoder
