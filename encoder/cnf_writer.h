// Writes a Formula with its numbers as clauses over Boolean variables.
//
//   CnfLayout layout = write_cnf(formula, numbers, OffsetEncoding::order,
//                                [&](std::span<const int> clause) { ... });
//   int variable = layout.literal(f.before(x, size_of(a), y));
//   Size offset = layout.value(x, [&](int literal) { return solver.val(literal) > 0; });
//
// The order encoding has one variable per value, "x >= v"; the binary encoding has the bits of x,
// adders for "x + amount" and comparators. An order between two buffers takes one clause per value,
// or a few clauses per bit.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "formula.h"
#include "granule.h"
#include "sat_engine.h"

namespace tessera::encoder {

using ClauseSink = std::function<void(std::span<const int>)>;

/// Represent the constants if a layout has no variable for an atom.
inline constexpr int always = 0x7FFFFFFF;
inline constexpr int never = -always;

struct CnfLayout {
  OffsetEncoding encoding = OffsetEncoding::order;
  int variables = 0;
  std::vector<int> atoms;  ///< per atom; `always` or `never` if decided; 0: does not occur
  Grid grid;
  std::vector<std::vector<int>>
      bits;  ///< per integer; order: one per value above 0; binary: LSB first

  [[nodiscard]] int literal(Lit of) const {
    const int value = atoms[atom_of(of)];
    return of < 0 ? -value : value;
  }
  [[nodiscard]] Size value(IntIndex x, const std::function<bool(int)>& holds) const;
};

/// `automatic` selects the order encoding up to this number of clauses.
inline constexpr double most_order_clauses = 4e6;
[[nodiscard]] OffsetEncoding choose_encoding(const Formula& formula, const Numbers& numbers);

/// Estimated number of clauses; `encoding` is order or binary.
[[nodiscard]] double expected_clauses(const Formula& formula, const Numbers& numbers,
                                      OffsetEncoding encoding);

/// ensure: satisfiable iff the formula is under these numbers.
[[nodiscard]] CnfLayout write_cnf(const Formula& formula, const Numbers& numbers,
                                  OffsetEncoding encoding, const ClauseSink& sink);

}  // namespace tessera::encoder
