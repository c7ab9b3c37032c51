#include <algorithm>
#include <array>
#include <functional>

#include "model/buffer_parts.h"
#include "model/derived.h"
#include "validate_parts.h"

namespace tessera::validation {
namespace {

/// Each interval is non-empty, non-negative and after the one before it.
bool check_live(const Buffer& buffer, Findings& found) {
  if (buffer.live.empty()) {
    found.add("live", "has no live interval");
    return false;
  }
  for (std::size_t k = 0; k < buffer.live.size(); ++k) {
    const StepRange& live = buffer.live[k];
    if (live.empty()) {
      found.add("live", "has live interval ", live,
                ", which is empty: it must begin before it ends");
      return false;
    }
    if (live.lower < 0 || live.upper > max_address) {
      found.add("live", "has live interval ", live, ", but steps run from 0 to ", max_address);
      return false;
    }
    if (k > 0 && live.lower <= buffer.live[k - 1].upper) {
      found.add("live", "has live intervals ", buffer.live[k - 1], " and ", live,
                ", which are not sorted or not disjoint; sort them and merge adjacent intervals");
      return false;
    }
  }
  return true;
}

/// require: `live` is valid.
bool inside_one_interval(const Buffer& buffer, const StepRange& steps) {
  return std::any_of(buffer.live.begin(), buffer.live.end(), [&](const StepRange& live) {
    return live.lower <= steps.lower && steps.upper <= live.upper;
  });
}

void check_gaps(const Buffer& buffer, Findings& found) {
  for (std::size_t k = 0; k < buffer.gaps.size(); ++k) {
    const Gap& gap = buffer.gaps[k];
    if (gap.steps.empty()) {
      found.add("gaps", "has gap ", gap.steps, ", which is empty");
    } else if (!inside_one_interval(buffer, gap.steps)) {
      found.add("gaps", "has gap ", gap.steps, ", which is not inside one of its live intervals");
    } else if (k > 0 && gap.steps.lower < buffer.gaps[k - 1].steps.upper) {
      found.add("gaps", "has gaps ", buffer.gaps[k - 1].steps, " and ", gap.steps,
                ", which overlap or are not in order");
    }
    if (!gap.window) continue;
    if (gap.window->empty()) {
      found.add("gaps", "has gap ", gap.steps, " with the empty window ", *gap.window,
                "; remove the window if the gap occupies no bytes");
    } else if (gap.window->begin < 0 || gap.window->end > buffer.size) {
      found.add("gaps", "has gap ", gap.steps, " with window ", *gap.window,
                ", which is not inside [0, ", buffer.size, ")");
    }
  }
}

void check_accesses(const Buffer& buffer, const std::vector<Step>& steps, std::string_view field,
                    bool live_is_right, Findings& found) {
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (k > 0 && steps[k] <= steps[k - 1]) {
      found.add(field, "has ", field, " steps ", steps[k - 1], " and ", steps[k],
                ", which are equal or not in order");
      return;
    }
    if (live_is_right && !live_at(buffer, steps[k])) {
      found.add(field, "has ", field, " step ", steps[k], ", but is not live at that step");
      return;
    }
  }
}

void check_addresses(const Buffer& buffer, Findings& found) {
  if (buffer.offset && !is_address(*buffer.offset)) {
    found.add("offset", "has fixed offset ", *buffer.offset, ", but it must be between 0 and ",
              max_address);
  }
  if (buffer.hint && !is_address(*buffer.hint)) {
    found.add("hint", "has hint ", *buffer.hint, ", but it must be between 0 and ", max_address);
  }
  if (!buffer.window) return;
  const AddressRange& window = *buffer.window;
  if (!is_address(window.begin) || !is_address(window.end)) {
    found.add("window", "has window ", window, ", but addresses run from 0 to ", max_address);
  } else if (window.empty()) {
    found.add("window", "has window ", window, ", which is empty");
  }
}

void check_optional(const Buffer& buffer, Findings& found) {
  if (!is_address(buffer.benefit))
    found.add("benefit", "has benefit ", buffer.benefit,
              " (in thousandths), but it must be between "
              "0 and ",
              max_address);
  if (buffer.optional) {
    if (!is_printable(buffer.group)) found.add("group", "is in a group with", not_printable);
    return;
  }
  if (buffer.benefit != 0)
    found.add("benefit",
              "has a benefit, but is not optional; add `optional: true`, or remove the benefit");
  if (!buffer.group.empty())
    found.add("group", "is in group '", buffer.group,
              "', but is not optional; add `optional: true`, "
              "or remove the group");
}

void check_memories(const PlacementProblem& problem, const Buffer& buffer, Findings& found) {
  std::vector<MemoryIndex> sorted = buffer.memories;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return;
  if (sorted.back() >= problem.memories.size()) {
    found.add("memory", "may go to memory number ", sorted.back(), ", but there are only ",
              problem.memories.size());
  } else if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
             twice != sorted.end()) {
    found.add("memory", "names memory '", problem.memories[*twice].name, "' twice");
  }
}

/// The ids seen so far, as indices in one flat hash table. With a node per id, as in the standard
/// set, reading a million buffers would spend half its time here. The remaining cost is cache
/// misses, so slots are prefetched some buffers ahead.
class MetIds {
 public:
  explicit MetIds(const std::vector<Buffer>& buffers) : buffers_(buffers) {
    std::size_t slots = 16;
    while (slots < 2 * buffers.size()) slots *= 2;
    slots_.resize(slots);
    for (BufferIndex b = 0; b < std::min(ahead, buffers.size()); ++b) expect(b);
  }
  /// Inserts the id of this buffer; was it present already? Call for each buffer in order.
  bool meet(BufferIndex index) {
    const std::size_t hash = hashes_[index % ahead];
    if (index + ahead < buffers_.size()) expect(index + ahead);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.used == 0) {
        slot = {hash, index + 1};
        return false;
      }
      if (slot.hash == hash && buffers_[slot.used - 1].id == buffers_[index].id) return true;
    }
  }

 private:
  struct Slot {
    std::size_t hash = 0;
    std::size_t used = 0;  ///< index + 1; 0: free
  };
  static constexpr std::size_t ahead = 16;

  void expect(BufferIndex index) {
    const std::size_t hash = std::hash<std::string_view>{}(buffers_[index].id);
    hashes_[index % ahead] = hash;
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)], 1);
  }

  const std::vector<Buffer>& buffers_;
  std::vector<Slot> slots_;
  std::array<std::size_t, ahead> hashes_{};
};

}  // namespace

void validate_buffers(const PlacementProblem& problem, std::vector<Defect>& out) {
  MetIds ids(problem.buffers);
  const bool modes = std::any_of(problem.memories.begin(), problem.memories.end(),
                                 [](const Memory& memory) { return has_modes(memory); });
  std::int64_t pieces = 0;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    Findings found(out, ProblemPart::buffer, b, buffer.id);
    const bool met = ids.meet(b);
    if (buffer.id.empty()) {
      found.add("id", "has no id");
    } else if (!is_printable(buffer.id)) {
      found.add("id", "has", not_printable);
    } else if (met) {
      found.add("id", "has the id of an earlier buffer");
    }
    if (buffer.kind > BufferKind::weight) found.add("kind", "has an unknown kind");
    if (!is_quantity(buffer.size)) {
      found.add("size", "has size ", buffer.size, ", but it must be between 1 and ", max_address);
    }
    if (!is_quantity(buffer.alignment)) {
      found.add("alignment", "has alignment ", buffer.alignment, ", but it must be between 1 and ",
                max_address);
    }
    const bool live_is_right = check_live(buffer, found);
    if (live_is_right) check_gaps(buffer, found);
    if (live_is_right && !buffer.parts.empty() && pieces <= max_part_runs) {
      pieces += validate_buffer_parts(buffer, modes, found);
      if (pieces > max_part_runs)
        found.add("parts", "brings the parts of the problem above ", max_part_runs,
                  " runs, counted per interval of steps with the same live parts of a buffer; "
                  "merge parts with similar lifetimes");
    }
    check_optional(buffer, found);
    check_accesses(buffer, buffer.read, "read", live_is_right, found);
    check_accesses(buffer, buffer.write, "write", live_is_right, found);
    check_memories(problem, buffer, found);
    check_addresses(buffer, found);
  }
}

}  // namespace tessera::validation
