#include <algorithm>

#include "model/buffer_parts.h"
#include "validate_parts.h"

namespace tessera::validation {
namespace {

bool check_part_live(const Buffer& buffer, const BufferPart& part, std::string_view who,
                     Findings& found) {
  if (part.live.empty()) {
    found.add("parts", "has ", who, " without a live interval");
    return false;
  }
  for (std::size_t k = 0; k < part.live.size(); ++k) {
    const StepRange& live = part.live[k];
    const bool inside =
        !live.empty() &&
        std::any_of(buffer.live.begin(), buffer.live.end(), [&](const StepRange& whole) {
          return whole.lower <= live.lower && live.upper <= whole.upper;
        });
    if (!inside) {
      found.add("parts", "has ", who, " with live interval ", live,
                live.empty() ? ", which is empty" : ", which is not inside its own");
      return false;
    }
    if (k > 0 && live.lower <= part.live[k - 1].upper) {
      found.add("parts", "has ", who, " with live intervals ", part.live[k - 1], " and ", live,
                ", which are not sorted or not disjoint; sort them and merge adjacent intervals");
      return false;
    }
  }
  return true;
}

/// The end of the part; nothing if it exceeds the address range.
std::optional<Offset> end_of(const BufferPart& part) {
  std::optional<Offset> end = checked_add(part.offset, part.size);
  for (const Repeat& repeat : part.repeat) {
    const auto more = checked_mul(repeat.count - 1, repeat.stride);
    end = end && more ? checked_add(*end, *more) : std::nullopt;
  }
  return end;
}

bool check_part_bytes(const Buffer& buffer, const BufferPart& part, std::string_view who,
                      Findings& found) {
  if (!is_quantity(part.size)) {
    found.add("parts", "has ", who, " of size ", part.size, ", but it must be between 1 and ",
              max_address);
    return false;
  }
  for (const Repeat& repeat : part.repeat) {
    if (is_quantity(repeat.count) && is_quantity(repeat.stride)) continue;
    found.add("parts", "has ", who, " that repeats [", repeat.count, ", ", repeat.stride,
              "]: a count and a stride, both at least 1");
    return false;
  }
  const std::optional<Offset> end = end_of(part);
  if (part.offset >= 0 && end && *end <= buffer.size) return true;
  found.add("parts", "has ", who, " that is not inside [0, ", buffer.size, ")");
  return false;
}

}  // namespace

std::int64_t validate_buffer_parts(const Buffer& buffer, bool modes, Findings& found) {
  if (buffer.parts.empty()) return 0;
  if (!buffer.gaps.empty()) {
    found.add("parts", "has parts and gaps; use parts only");
    return 0;
  }
  for (std::size_t p = 0; p < buffer.parts.size(); ++p) {
    const BufferPart& part = buffer.parts[p];
    const std::string who = say("part ", p);
    if (!check_part_bytes(buffer, part, who, found)) return 0;
    if (!check_part_live(buffer, part, who, found)) return 0;
  }
  return modes ? part_segment_count(buffer) : part_run_count(buffer);
}

}  // namespace tessera::validation
