// The load of one step: buffers that all occupy something then, no two of which may overlap, all
// confined to memories that hold less.
#include <algorithm>
#include <set>

#include "model/derived.h"
#include "parts.h"

namespace tessera::proof {
namespace {

/// Bytes of the memory that are not reserved, counted range by range.
std::int64_t usable(const Memory& memory) {
  std::vector<AddressRange> reserved = memory.reserved;
  std::sort(reserved.begin(), reserved.end());
  std::int64_t free = 0;
  Offset at = 0;
  for (const AddressRange& range : reserved) {
    if (range.begin > at) free += std::min(range.begin, memory.capacity) - at;
    at = std::min(memory.capacity, std::max(at, range.end));
  }
  return free + memory.capacity - at;
}

std::int64_t occupied(const Buffer& buffer, Step step) {
  for (const Segment& segment : segments(buffer)) {
    if (segment.steps.contains(step)) return segment.range.size();
  }
  return 0;
}

class CutCheck {
 public:
  CutCheck(const PlacementProblem& problem, std::string_view text)
      : problem_(problem), lines_(text) {}

  /// What is wrong, or nothing.
  std::string run() {
    static_cast<void>(lines_.next());
    while (const auto line = lines_.next()) {
      std::string_view rest = *line;
      const std::string_view word = take_word(rest);
      const std::string wrong = word == "step"     ? read_step(rest)
                                : word == "memory" ? read_memory(rest)
                                : word == "buffer" ? read_buffer(rest)
                                : word == "asked"  ? read_sum(rest)
                                                   : "unknown word '" + std::string(word) + "'";
      if (!wrong.empty()) return "Line " + std::to_string(lines_.number()) + ": " + wrong + '.';
    }
    return judge();
  }

  std::string proved;

 private:
  std::string read_step(std::string_view rest) {
    const auto step = take_number(rest);
    if (!step) return "the step is no number";
    step_ = *step;
    return {};
  }
  std::string read_memory(std::string_view rest) {
    const auto index = take_number(rest);
    if (!index || *index < 0 || *index >= std::ssize(problem_.memories)) return "no such memory";
    const auto m = static_cast<MemoryIndex>(*index);
    if (rest != ' ' + problem_.memories[m].name) return "the memory has another name";
    memories_.insert(m);
    return {};
  }
  std::string read_buffer(std::string_view rest) {
    const auto index = take_number(rest);
    if (!index || *index < 0 || *index >= std::ssize(problem_.buffers)) return "no such buffer";
    const auto b = static_cast<BufferIndex>(*index);
    if (rest != ' ' + problem_.buffers[b].id) return "the buffer has another id";
    if (!buffers_.insert(b).second) return "the buffer is named twice";
    return {};
  }
  std::string read_sum(std::string_view rest) {
    const auto asked = take_number(rest);
    const std::string_view word = take_word(rest);
    const auto available = take_number(rest);
    if (!asked || word != "available" || !available) return "two numbers are expected";
    asked_ = *asked;
    available_ = *available;
    return {};
  }

  std::string judge() {
    std::int64_t asked = 0;
    for (const BufferIndex b : buffers_) {
      const Buffer& buffer = problem_.buffers[b];
      const std::int64_t bytes = occupied(buffer, step_);
      if (bytes == 0) return "Buffer '" + buffer.id + "' occupies nothing at that step.";
      asked += bytes;
      for (const MemoryIndex m : allowed_memories(problem_, buffer)) {
        if (!memories_.contains(m)) {
          return "Buffer '" + buffer.id + "' may go to another memory.";
        }
      }
    }
    for (const auto& [a, b] : exempt_pairs(problem_)) {
      if (buffers_.contains(a) && buffers_.contains(b)) {
        return "Buffers '" + problem_.buffers[a].id + "' and '" + problem_.buffers[b].id +
               "' may overlap.";
      }
    }
    std::int64_t available = 0;
    for (const MemoryIndex m : memories_) {
      if (problem_.memories[m].capacity == unbounded) return "A memory without limit is named.";
      available += usable(problem_.memories[m]);
    }
    if (asked != asked_ || available != available_) return "The sums are not those of the input.";
    if (asked <= available) return "The buffers fit: the load is no contradiction.";
    proved = std::to_string(buffers_.size()) + " buffers occupy " + std::to_string(asked) +
             " bytes at step " + std::to_string(step_) + ", but there are " +
             std::to_string(available) + ".";
    return {};
  }

  const PlacementProblem& problem_;
  Lines lines_;
  Step step_ = -1;
  std::set<MemoryIndex> memories_;
  std::set<BufferIndex> buffers_;
  std::int64_t asked_ = 0;
  std::int64_t available_ = 0;
};

}  // namespace

void check_cut(const PlacementProblem& problem, std::string_view text, ProofVerdict& verdict) {
  const auto body = unsealed(text, verdict.reason);
  if (!body) return;
  if (!verdict.claim.empty()) {
    verdict.reason = "Line 1: a cut has no parameters.";
    return;
  }
  CutCheck check(problem, *body);
  verdict.reason = check.run();
  if (!verdict.reason.empty()) return;
  verdict.accepted = true;
  verdict.reason = check.proved;
}

}  // namespace tessera::proof
