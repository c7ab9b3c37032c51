// How much is done for a run before it is known to matter.
//
//   Effort effort = effort_at(level, params.nodes_per_question);
//   std::int64_t most = most_tiles_worth(part, anchor, use, hardware, effort.worth);
//
// Most questions about tiles are easy, and most of the hard ones do not matter; most runs that fit
// only in very many tiles matter as little, since each tile fetches weights again. So what is left
// open first is asked again, with more effort, only where its bound does not rule it out.
// Private to planner/.
#pragma once

#include <cstdint>

#include "cost/channel_use.h"
#include "model/hardware.h"
#include "tiling/subgraph.h"

namespace tessera {

struct Effort {
  std::int64_t nodes = 0;  ///< of a search, per question
  double worth = 0;        ///< fetches may cost so many times what else the run costs; 0: any
};

/// Levels 0, 1, ... cost more and more.  ensure: from the last one on they are the same.
[[nodiscard]] Effort effort_at(int level, std::int64_t most_nodes);

/// The first level above this one that may tell more about a run of which something is open:
/// because shapes with more tiles were `cut` off, or else because questions were undecided.
[[nodiscard]] int next_level(int level, bool cut, std::int64_t most_nodes);

/// More tiles than this are not worth it, where no tile relies on what another one left and weights
/// do not stay: fetching again the weights that each tile needs whole takes more than `worth` times
/// what moving every tensor once, or computing every op once, does. Depends on nothing but the
/// structure of the run and the machine without its capacity.
[[nodiscard]] std::int64_t most_tiles_worth(const Subgraph& part, OpIndex anchor,
                                            const ChannelUse& use, const Hardware& hardware,
                                            double worth);

}  // namespace tessera
