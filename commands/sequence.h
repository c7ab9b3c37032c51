// How a number changes from round to round of a loop.
//
//   Sequence s = sequence_of({5, 9, 8, 12, 11, 15}, false);    // {0, 4} and 3 more per two rounds
//   s.at(4);                                                    // 6: the sixth less the first
//
// Private to commands/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::commands {

using Numbers = std::vector<std::int64_t>;

/// The round is a number of several digits, the lowest first: each adds an entry of its list. What
/// is left of the round adds a multiple of `step`.
struct Sequence {
  std::vector<Numbers> digits;
  std::int64_t step = 0;

  [[nodiscard]] bool constant() const { return digits.empty() && step == 0; }
  /// Added in this round to the value of round 0.
  [[nodiscard]] std::int64_t at(std::int64_t round) const;
  friend bool operator==(const Sequence&, const Sequence&) = default;
};

/// A short sequence with these values, less the first. `repeats`: at most one list, repeated.
[[nodiscard]] Sequence sequence_of(const Numbers& values, bool repeats);

/// As docs/guide/commands.md describes it: `3`, `[[0,4],3]`.
[[nodiscard]] std::string json_text(const Sequence& sequence);

}  // namespace tessera::commands
