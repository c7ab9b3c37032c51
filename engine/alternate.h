// Several engines that take turns on the queries of one session.
//
//   std::vector<Alternate> both;
//   both.push_back({make_engine("canonical"), ns_per_unit("canonical")});
//   both.push_back({make_engine("learning"), ns_per_unit("learning")});
//   auto engine = make_alternating_engine(std::move(both));      // named canonical+learning
//
// One engine may refute in a millisecond what takes another one minutes. The faster engine usually
// is the same for all queries of a problem. Therefore turns start short and grow by a factor of
// four per round. The engine that decided the last query goes first, with four times the time it
// took. The loss against always choosing the right engine is at most a constant factor. Turns are
// measured in virtual time (race.h), so results do not depend on the machine.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "model/numeric.h"

namespace tessera::engine {

struct Alternate {
  std::unique_ptr<PlacementEngine> engine;
  double ns_per_unit = 1000;
  double most_ns = infinity;  ///< limit for one turn
};

/// Each engine may spend all nodes of the budget. The last engine handles every query. The others
/// only receive queries that they support: queries with another goal than a fit, or with a proof,
/// go to the last one alone.
/// require: at least one engine, ns_per_unit > 0. The engines before the last may stop, but
/// never report a wrong status.
[[nodiscard]] std::unique_ptr<PlacementEngine> make_alternating_engine(
    std::vector<Alternate> engines);

}  // namespace tessera::engine
