// The kinds of proofs check_proof() knows, one function each, and how lines are read. A function
// sets `accepted` and `reason`, with the line where something is wrong.
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
  /// The next line without taking it.
  [[nodiscard]] std::optional<std::string_view> peek() const;
  [[nodiscard]] std::size_t number() const { return number_; }
  /// What has not been read.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// The lines of one proof, without its claim and its kind, and what it is about.
struct Body {
  const PlacementProblem& problem;  ///< counterexample_problem(about, claim), to be refuted
  const Claim& claim;
  std::string_view text;
  std::size_t first_line = 1;
  const Budget& budget;
};

void check_cut(const Body& body, ProofPart& part);
/// `stop` is set where the budget ended.
void check_derivation(const Body& body, ProofPart& part, std::optional<StopReason>& stop);
/// Of a benefit: rows, and a tree over what is in and what is out.
void check_choice(const Body& body, ProofPart& part, std::optional<StopReason>& stop);

/// The text before its last line "end <checksum>"; nothing and a sentence in `why` if that line is
/// missing or the checksum (FNV-1a of every byte before it) is another.
[[nodiscard]] std::optional<std::string_view> unsealed(std::string_view text, std::string& why);

/// The word a line begins with is taken off its front; empty where it begins with a blank.
[[nodiscard]] std::string_view first_word(std::string_view& text);
/// One of the words behind it, with the one blank before it; empty where there is none, or more
/// blanks.
[[nodiscard]] std::string_view take_word(std::string_view& text);
/// Such a word, as a number without leading zeros.
[[nodiscard]] std::optional<std::int64_t> take_number(std::string_view& text);
/// Is nothing left of a line?
[[nodiscard]] bool at_end(std::string_view text);

/// "Line 12: what is wrong."
[[nodiscard]] std::string at_line(std::size_t line, std::string_view what);

}  // namespace tessera::proof
