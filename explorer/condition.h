// Conditions between keys of a profile: "memories.cbuf.banks * memories.cbuf.bank_size <= 512 KiB".
//
//   const Condition condition("clock <= 1 GHz and dma.channels >= 2");
//   if (condition.holds([&](const std::string& key) { return profile.get(key); })) ...
//
// Numbers with their units, keys, + - * / %, comparisons, and, or, not, parentheses. Sizes count in
// bytes, frequencies in Hz, speeds in bytes per second or per cycle, energies in pJ. Keys are
// paths; a key with characters other than letters, digits, `_`, `-` and `.` is quoted with
// backquotes. A dash inside a word is part of it, so a difference needs blanks. Private to
// explorer/.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::explorer {

struct ConditionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Value of a key, as written in the profile.
using ValueOf = std::function<std::string(const std::string& key)>;

class Condition {
 public:
  /// Throws ConditionError.
  explicit Condition(const std::string& text);
  /// The keys in the condition, each once.
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }
  /// Throws ConditionError if a value is not a number, and passes on exceptions of `value_of`.
  [[nodiscard]] bool holds(const ValueOf& value_of) const;

  struct Term;

 private:
  std::shared_ptr<const Term> root_;
  std::vector<std::string> keys_;
};

/// `16 KiB` -> 16384, `1 GHz` -> 1e9. False if the text is not a number.
[[nodiscard]] bool number_of(const std::string& text, double& number);

}  // namespace tessera::explorer
