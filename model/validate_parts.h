// The pieces validate() is made of; private to model/.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "say.h"
#include "validate.h"

namespace tessera::validation {

/// Gathers the defects of one part; says its name once.
class Findings {
 public:
  Findings(std::vector<Defect>& out, ProblemPart part, std::size_t index, std::string who)
      : out_(out), part_(part), index_(index), who_(std::move(who)) {}

  /// "<who> <pieces...>."
  template <typename... Pieces>
  void add(std::string_view field, const Pieces&... pieces) {
    out_.push_back({part_, index_, std::string(field), say(who_, ' ', pieces..., '.')});
  }

 private:
  std::vector<Defect>& out_;
  ProblemPart part_;
  std::size_t index_;
  std::string who_;
};

/// The first value that stands twice in a row of names, or nullptr.
template <typename Range, typename Name>
[[nodiscard]] const std::string* first_repeated(const Range& range, Name name) {
  std::unordered_set<std::string_view> seen;
  for (const auto& each : range) {
    if (!seen.insert(name(each)).second) return &name(each);
  }
  return nullptr;
}

[[nodiscard]] constexpr bool is_quantity(std::int64_t value) {
  return value >= 1 && value <= max_address;
}
[[nodiscard]] constexpr bool is_address(std::int64_t value) {
  return value >= 0 && value <= max_address;
}

void validate_memories(const PlacementProblem& problem, std::vector<Defect>& out);
void validate_buffers(const PlacementProblem& problem, std::vector<Defect>& out);
void validate_relations(const PlacementProblem& problem, std::vector<Defect>& out);

}  // namespace tessera::validation
