#include "model/derived.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "model/buffer_parts.h"
#include "model/relations.h"

namespace tessera {

namespace {

constexpr std::array<std::string_view, 7> role_names = {"read", "write", "read_write", "weight",
                                                        "data", "hold",  "off"};
std::vector<Role> parse_per_bank(const Memory& memory, std::string_view mode) {
  std::vector<Role> roles;
  while (true) {
    const std::size_t bar = mode.find('|');
    const std::optional<Role> role = role_from(mode.substr(0, bar));
    if (!role || roles.size() == memory.banks.size()) return {};
    const std::vector<Role>& possible = memory.banks[roles.size()].roles;
    if (std::find(possible.begin(), possible.end(), *role) == possible.end()) return {};
    roles.push_back(*role);
    if (bar == std::string_view::npos) break;
    mode.remove_prefix(bar + 1);
  }
  return roles.size() == memory.banks.size() ? roles : std::vector<Role>{};
}

/// Do two sorted lists of ranges intersect? `steps_of` gives the range of an element.
template <typename List, typename StepsOf>
bool meet(const List& a, const List& b, StepsOf steps_of) {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (overlaps(steps_of(*x), steps_of(*y))) return true;
    if (steps_of(*x).upper <= steps_of(*y).lower) {
      ++x;
    } else {
      ++y;
    }
  }
  return false;
}

std::vector<Segment> segments_of_parts(const Buffer& buffer) {
  std::vector<Segment> result;
  std::vector<std::vector<AddressRange>> of_part;
  for (const BufferPart& part : buffer.parts) of_part.push_back(runs(part));
  std::vector<const std::vector<AddressRange>*> lists;
  for (const PartsAlive& alive : parts_alive(buffer)) {
    lists.clear();
    for (const std::size_t p : alive.parts) lists.push_back(&of_part[p]);
    for (const AddressRange& run : united(lists)) result.push_back({alive.steps, run});
  }
  return result;
}

/// The steps at which the buffer occupies memory.
std::vector<StepRange> steps_of(const Buffer& buffer) {
  std::vector<StepRange> steps;
  if (buffer.parts.empty())
    for (const Segment& segment : segments(buffer)) steps.push_back(segment.steps);
  else
    for (const PartsAlive& alive : parts_alive(buffer)) steps.push_back(alive.steps);
  return steps;
}

}  // namespace

std::vector<Segment> segments(const Buffer& buffer) {
  if (!buffer.parts.empty()) return segments_of_parts(buffer);
  const AddressRange whole{0, buffer.size};
  std::vector<Segment> result;
  auto gap = buffer.gaps.begin();
  for (const StepRange& live : buffer.live) {
    Step from = live.lower;
    for (; gap != buffer.gaps.end() && gap->steps.lower < live.upper; ++gap) {
      if (from < gap->steps.lower) result.push_back({{from, gap->steps.lower}, whole});
      if (gap->window && !gap->window->empty()) result.push_back({gap->steps, *gap->window});
      from = gap->steps.upper;
    }
    if (from < live.upper) result.push_back({{from, live.upper}, whole});
  }
  return result;
}

Step horizon(const PlacementProblem& problem) {
  Step last = 0;
  for (const Buffer& buffer : problem.buffers) {
    if (!buffer.live.empty()) last = std::max(last, buffer.live.back().upper);
  }
  return last;
}

bool coexist(const Buffer& a, const Buffer& b) {
  if (a.gaps.empty() && b.gaps.empty() && a.parts.empty() && b.parts.empty())
    return meet(a.live, b.live, [](const StepRange& range) { return range; });
  return meet(steps_of(a), steps_of(b), [](const StepRange& range) { return range; });
}

bool live_at(const Buffer& buffer, Step step) {
  const auto after =
      std::upper_bound(buffer.live.begin(), buffer.live.end(), step,
                       [](Step value, const StepRange& range) { return value < range.lower; });
  return after != buffer.live.begin() && std::prev(after)->contains(step);
}

Size effective_alignment(const Buffer& buffer, const Memory& memory) {
  return std::lcm(buffer.alignment, memory.alignment);
}

bool has_unaligned_base(const PlacementProblem& problem) {
  const bool any = std::any_of(problem.memories.begin(), problem.memories.end(),
                               [](const Memory& memory) { return memory.base != 0; });
  if (!any) return false;
  return std::any_of(problem.buffers.begin(), problem.buffers.end(), [&](const Buffer& buffer) {
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, buffer);
    return std::any_of(allowed.begin(), allowed.end(), [&](MemoryIndex m) {
      const Memory& memory = problem.memories[m];
      return memory.base % effective_alignment(buffer, memory) != 0;
    });
  });
}

std::vector<MemoryIndex> allowed_memories(const PlacementProblem& problem, const Buffer& buffer) {
  std::vector<MemoryIndex> result = buffer.memories;
  if (result.empty()) {
    result.resize(problem.memories.size());
    std::iota(result.begin(), result.end(), MemoryIndex{0});
  } else {
    std::sort(result.begin(), result.end());
  }
  return result;
}

std::vector<AddressRange> bank_ranges(const Memory& memory) {
  if (memory.banks.empty()) return {{0, memory.capacity}};
  std::vector<AddressRange> result;
  result.reserve(memory.banks.size());
  Offset begin = 0;
  for (const Bank& bank : memory.banks) {
    result.push_back({begin, begin + bank.size});
    begin += bank.size;
  }
  return result;
}

bool has_modes(const Memory& memory) {
  return memory.modes_per_bank || !memory.modes.empty();
}

std::vector<Role> mode_roles(const Memory& memory, std::string_view mode) {
  if (memory.modes_per_bank) return parse_per_bank(memory, mode);
  for (const Mode& each : memory.modes) {
    if (each.name == mode) return each.roles;
  }
  return {};
}

std::string per_bank_mode_name(std::span<const Role> roles) {
  std::string name;
  for (const Role role : roles) {
    if (!name.empty()) name += '|';
    name += to_string(role);
  }
  return name;
}

std::string_view to_string(Role role) {
  const auto index = static_cast<std::size_t>(role);
  return index < role_names.size() ? role_names[index] : "?";
}

std::optional<Role> role_from(std::string_view text) {
  const auto* const found = std::find(role_names.begin(), role_names.end(), text);
  if (found == role_names.end()) return std::nullopt;
  return static_cast<Role>(found - role_names.begin());
}

std::string benefit_text(Benefit thousandths) {
  std::string text = std::to_string(thousandths / 1000);
  std::string rest = std::to_string(1000 + thousandths % 1000).substr(1);
  while (!rest.empty() && rest.back() == '0') rest.pop_back();
  return rest.empty() ? text : text + '.' + rest;
}

std::vector<std::pair<BufferIndex, BufferIndex>> exempt_pairs(const PlacementProblem& problem) {
  std::vector<std::pair<BufferIndex, BufferIndex>> result;
  for (const Relation& relation : problem.relations) {
    if (!meaning(relation.kind).lifts_overlap) continue;
    for (auto a = relation.buffers.begin(); a != relation.buffers.end(); ++a) {
      for (auto b = std::next(a); b != relation.buffers.end(); ++b) {
        result.push_back(std::minmax(*a, *b));
      }
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace tessera
