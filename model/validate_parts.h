// The parts of validate(); private to model/.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "say.h"
#include "tessera/validate.h"

namespace tessera::validation {

/// Collects the defects of one memory, buffer or relation; each message begins with its name.
class Findings {
 public:
  /// `name`: of the memory, the buffer id, or the kind of the relation.
  Findings(std::vector<Defect>& out, ProblemPart part, std::size_t index, std::string_view name)
      : out_(out), part_(part), index_(index), name_(name) {}

  template <typename... Pieces>
  void add(std::string_view field, const Pieces&... pieces) {
    out_.push_back({part_, index_, std::string(field), say(who(), ' ', pieces..., '.')});
  }

 private:
  [[nodiscard]] std::string who() const {
    if (part_ == ProblemPart::rule) return say("rule '", name_, '\'');
    if (part_ == ProblemPart::relation) return say("relation ", index_, " (", name_, ')');
    const std::string_view noun = part_ == ProblemPart::memory ? "memory" : "buffer";
    if (name_.empty() || !is_printable(name_)) return say(noun, " number ", index_);
    return say(noun, " '", name_, '\'');
  }

  std::vector<Defect>& out_;
  ProblemPart part_;
  std::size_t index_;
  std::string_view name_;
};

constexpr const char* not_printable =
    " a name with a control character; names are one line of text";

/// The first value that occurs twice in a list of names, or nullptr.
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

/// ensure: returns the number of runs of its parts (buffer_parts.h), at most one more than allowed;
/// 0 if the parts are invalid. `modes`: a memory has modes, whose rules list the runs of every
/// copy of a period.
/// require: the buffer's own live intervals are valid.
[[nodiscard]] std::int64_t validate_buffer_parts(const Buffer& buffer, bool modes, Findings& found);

void validate_memories(const PlacementProblem& problem, std::vector<Defect>& out);
void validate_buffers(const PlacementProblem& problem, std::vector<Defect>& out);
void validate_relations(const PlacementProblem& problem, std::vector<Defect>& out);
/// require: the memories are valid.
void validate_rules(const PlacementProblem& problem, std::vector<Defect>& out);

}  // namespace tessera::validation
