// Context of a layer: the problem, the encoding it extends, and helpers for common clauses.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "encoder/encoding.h"

namespace tessera::encoder {

/// Separation of two buffers: either the first lies so far below the second that their pieces do
/// not overlap, or the second so far below the first.
struct Separation {
  Amount first_below;   ///< x_first + first_below <= x_second
  Amount second_below;  ///< x_second + second_below <= x_first
  friend bool operator==(const Separation&, const Separation&) = default;
};

class Context {
 public:
  Context(const PlacementProblem& asked, const EncodeParams& how, Encoding& into)
      : problem(asked),
        params(how),
        encoding(into),
        formula(into.formula),
        poll(how.poll != nullptr ? *how.poll : never_) {
    formula.watch(&poll);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { formula.watch(nullptr); }

  const PlacementProblem& problem;
  const EncodeParams& params;
  Encoding& encoding;
  Formula& formula;
  Poll& poll;

  [[nodiscard]] IntIndex offset(BufferIndex b) const { return encoding.offset[b]; }
  [[nodiscard]] Lit in(BufferIndex b, MemoryIndex m) const { return encoding.in[b][m]; }
  [[nodiscard]] bool may_be_in(BufferIndex b, MemoryIndex m) const {
    return encoding.in[b][m] != false_lit;
  }

  /// All of b lies at or above / below an address.
  [[nodiscard]] Lit starts_at_or_above(BufferIndex b, Offset address);
  [[nodiscard]] Lit ends_at_or_below(BufferIndex b, Offset address);
  /// b, if it is in m, uses none of the addresses (or `unless` holds).
  void keep_off(BufferIndex b, MemoryIndex m, const AddressRange& addresses,
                Lit unless = false_lit);

  /// A clause about these buffers; inactive while one of them is not present.
  void require(std::initializer_list<BufferIndex> who, std::initializer_list<Lit> literals);
  void require(std::initializer_list<BufferIndex> who, std::vector<Lit> literals);

  /// If both are in one memory, the separation holds (or `unless` holds).
  void separate(BufferIndex a, BufferIndex b, const Separation& apart, Lit unless = false_lit);
  /// If both are in one memory, they never share an address at any steps (or `unless` holds).
  void keep_apart(BufferIndex a, BufferIndex b, Lit unless = false_lit);

  /// A literal that is true if b is in m and overlaps the bank (it may be true otherwise, too).
  [[nodiscard]] Lit touches(BufferIndex b, MemoryIndex m, std::size_t bank);

 private:
  Poll never_;
  std::unordered_map<std::uint64_t, Lit> touch_;
};

/// The positions of parts do not depend on the queried sizes; they are constants of the formula.
[[nodiscard]] bool has_parts(const Buffer& buffer);

/// The second offset minus the first is outside this range.
[[nodiscard]] Separation outside(const AddressRange& differences);

/// The whole of both buffers.
[[nodiscard]] Separation whole_separation(BufferIndex a, BufferIndex b);

/// The separations that two buffers need because of their common steps, without those that another
/// one implies; empty if they never coexist. Takes O(n log n) in the number of gaps.  Throws
/// BudgetEnded.
[[nodiscard]] std::vector<Separation> separations(const PlacementProblem& problem, BufferIndex a,
                                                  BufferIndex b, Poll& poll);

/// One segment of a buffer's lifetime; `window` marks the partial range, since a range may be as
/// large as the buffer.
struct Piece {
  StepRange steps;
  bool whole = true;
  AddressRange window;  ///< if not the whole buffer
};
[[nodiscard]] std::vector<Piece> pieces(const Buffer& buffer);

}  // namespace tessera::encoder
