// How much is done for a run before it is known to matter.
//
//   Effort effort = effort_at(level, params.nodes_per_question);
//   const double too_costly = effort.worth * static_cast<double>(bound->least_latency());
//
// Most questions about tiles are easy, and most of the hard ones do not matter; most runs that fit
// only in very many tiles matter as little, since tiles fetch and make much again. So what is left
// open first is asked again, with more effort, only where its bound does not rule it out.
// Private to planner/.
#pragma once

#include <cstdint>

namespace tessera::planner {

struct Effort {
  std::int64_t nodes = 0;  ///< of a search, per question
  double worth = 0;        ///< tiles may cost so many times what the run costs at least; 0: any
};

/// Levels 0, 1, ... cost more and more.  ensure: from the last one on they are the same.
[[nodiscard]] Effort effort_at(int level, std::int64_t most_nodes);

/// The first level above this one that may tell more about a run of which something is open:
/// because tiles were `too_costly`, or else because questions were undecided.
[[nodiscard]] int next_level(int level, bool too_costly, std::int64_t most_nodes);

}  // namespace tessera::planner
