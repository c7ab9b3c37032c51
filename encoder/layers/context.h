// What a layer sees: the problem, the encoding it adds to, and words for the common clauses.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "encoder/encoding.h"

namespace tessera::encoder {

/// What keeps two buffers apart: either the first lies so far below the second that their pieces do
/// not meet, or the second so far below the first.
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

  /// Everything b uses lies at or above / below an address.
  [[nodiscard]] Lit starts_at_or_above(BufferIndex b, Offset address);
  [[nodiscard]] Lit ends_at_or_below(BufferIndex b, Offset address);
  /// b, if it is in m, uses none of the addresses (or `unless`).
  void keep_off(BufferIndex b, MemoryIndex m, const AddressRange& addresses,
                Lit unless = false_lit);

  /// A clause about these buffers: void while one of them is not present.
  void require(std::initializer_list<BufferIndex> who, std::initializer_list<Lit> literals);
  void require(std::initializer_list<BufferIndex> who, std::vector<Lit> literals);

  /// If both are in one memory, the separation holds (or `unless`).
  void separate(BufferIndex a, BufferIndex b, const Separation& apart, Lit unless = false_lit);
  /// If both are in one memory, they never use one address, at whatever steps (or `unless`).
  void keep_apart(BufferIndex a, BufferIndex b, Lit unless = false_lit);

  /// A literal that is true where b is in m and lies partly in the bank (and may be true
  /// elsewhere).
  [[nodiscard]] Lit touches(BufferIndex b, MemoryIndex m, std::size_t bank);

 private:
  Poll never_;
  std::unordered_map<std::uint64_t, Lit> touch_;
};

/// Parts lie where they lie whatever sizes are asked about; they are numbers of the formula.
[[nodiscard]] bool has_parts(const Buffer& buffer);

/// The second offset minus the first is none of these.
[[nodiscard]] Separation outside(const AddressRange& differences);

/// The whole of both buffers.
[[nodiscard]] Separation whole_separation(BufferIndex a, BufferIndex b);

/// The separations two buffers need because of the steps both live at, without those that another
/// one implies; empty if they never coexist. Takes time n log n of their gaps.  Throws BudgetEnded.
[[nodiscard]] std::vector<Separation> separations(const PlacementProblem& problem, BufferIndex a,
                                                  BufferIndex b, Poll& poll);

/// A segment whose range is told apart from a window that happens to be as large as the buffer.
struct Piece {
  StepRange steps;
  bool whole = true;
  AddressRange window;  ///< where not whole
};
[[nodiscard]] std::vector<Piece> pieces(const Buffer& buffer);

}  // namespace tessera::encoder
