// The kinds of certificates check_proof() knows, one function each. Each sets `accepted` and
// `reason`, with the line where something is wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check_proof.h"

namespace tessera::proof {

void check_cut(const PlacementProblem& problem, std::string_view text, ProofVerdict& verdict);
void check_drat(const PlacementProblem& problem, std::string_view text, const CnfSource& cnf_of,
                ProofVerdict& verdict);

/// The lines of a text, numbered from 1.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  [[nodiscard]] std::optional<std::string_view> next();
  [[nodiscard]] std::size_t number() const { return number_; }
  /// What has not been read.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// The text before its last line "end <checksum>"; nothing and a sentence in `why` if that line is
/// missing or the checksum (FNV-1a of every byte before it) is another.
[[nodiscard]] std::optional<std::string_view> unsealed(std::string_view text, std::string& why);

/// A word is taken off the front of `text`.
[[nodiscard]] std::string_view take_word(std::string_view& text);
[[nodiscard]] std::optional<std::int64_t> take_number(std::string_view& text);

}  // namespace tessera::proof
