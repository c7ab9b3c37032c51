#include "planner/effort.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tessera::planner {
namespace {

constexpr std::array<Effort, 7> efforts{Effort{150, 2},
                                        Effort{150, 4},
                                        Effort{150, 8},
                                        Effort{150, 16},
                                        Effort{150, 0},
                                        Effort{3000, 0},
                                        Effort{std::numeric_limits<std::int64_t>::max(), 0}};

}  // namespace

Effort effort_at(int level, std::int64_t most_nodes) {
  Effort effort = efforts[std::min(static_cast<std::size_t>(level), efforts.size() - 1)];
  effort.nodes = std::min(effort.nodes, most_nodes);
  return effort;
}

int next_level(int level, bool too_costly, std::int64_t most_nodes) {
  const Effort now = effort_at(level, most_nodes);
  const int last = static_cast<int>(efforts.size()) - 1;
  for (int next = level + 1; next < last; ++next) {
    const Effort more = effort_at(next, most_nodes);
    if (too_costly || more.nodes > now.nodes) return next;
  }
  return std::max(level, last);
}

}  // namespace tessera::planner
