// Effort spent on a group before it is known to matter.
//
//   Effort effort = effort_at(level, params.nodes_per_question);
//   const double too_costly = effort.worth * static_cast<double>(bound->least_latency());
//
// Most queries about tiles are easy, and most hard ones do not affect the plan. The same holds for
// groups that fit only in very many tiles, since tiles repeat transfers and computation. An
// unresolved query is repeated with more effort only if its bound does not exclude the group.
// Private to planner/.
#pragma once

#include <cstdint>

namespace tessera::planner {

struct Effort {
  std::int64_t nodes = 0;  ///< search nodes per query
  double worth = 0;        ///< maximum cost of tiles relative to the group's lower bound; 0: any
};

/// Levels 0, 1, ... cost increasingly more.  ensure: beyond the last level all are the same.
[[nodiscard]] Effort effort_at(int level, std::int64_t most_nodes);

/// The first higher level that may resolve more of a group. The reason is either that tiles were
/// `too_costly` or that queries were undecided.
[[nodiscard]] int next_level(int level, bool too_costly, std::int64_t most_nodes);

}  // namespace tessera::planner
