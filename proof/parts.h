// The kinds of proofs that check_proof() supports, one function each, and helpers to read lines. A
// function sets `accepted` and `reason`, with the line of an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check_proof.h"

namespace tessera::proof {

/// The lines of a text, numbered from `first`.
class Lines {
 public:
  explicit Lines(std::string_view text, std::size_t first = 1) : rest_(text), number_(first - 1) {}
  [[nodiscard]] std::optional<std::string_view> next();
  /// The next line, without consuming it.
  [[nodiscard]] std::optional<std::string_view> peek() const;
  [[nodiscard]] std::size_t number() const { return number_; }
  /// The unread rest.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// The lines of one proof, without claim and kind, and the problem it refers to.
struct Body {
  const PlacementProblem&
      problem;  ///< counterexample_problem(about, claim), which the proof shows to be infeasible
  const Claim& claim;
  std::string_view text;
  std::size_t first_line = 1;
  const Budget& budget;
};

void check_cut(const Body& body, ProofPart& part);
/// Sets `stop` if the budget ended.
void check_derivation(const Body& body, ProofPart& part, std::optional<StopReason>& stop);
/// For a benefit: rows, and a tree of decisions on units.
void check_choice(const Body& body, ProofPart& part, std::optional<StopReason>& stop);

/// The text before its last line "end <checksum>"; none and a message in `why` if that line is
/// missing or the checksum (FNV-1a of all bytes before it) differs.
[[nodiscard]] std::optional<std::string_view> unsealed(std::string_view text, std::string& why);

/// Removes the first word of a line; empty if the line begins with a blank.
[[nodiscard]] std::string_view first_word(std::string_view& text);
/// Removes the next word with the single blank before it; empty if there is none, or more blanks.
[[nodiscard]] std::string_view take_word(std::string_view& text);
/// Such a word, as a number without leading zeros.
[[nodiscard]] std::optional<std::int64_t> take_number(std::string_view& text);
/// Is the line fully read?
[[nodiscard]] bool at_end(std::string_view text);

/// "Line 12: what is wrong."
[[nodiscard]] std::string at_line(std::size_t line, std::string_view what);

}  // namespace tessera::proof
