// Several engines that answer questions of one session by turns.
//
//   std::vector<Alternate> both;
//   both.push_back({make_engine("canonical"), ns_per_unit("canonical")});
//   both.push_back({make_engine("learning"), ns_per_unit("learning")});
//   auto engine = make_alternating_engine(std::move(both));      // named canonical+learning
//
// What one engine refutes in a millisecond takes another minutes, and which of them it is changes
// little from question to question of one problem. So turns are short at first and four times as
// long in each round; whoever settled the last question goes first, with four times what that took.
// At most a constant factor is lost against asking the right one at once. Turns are measured in
// virtual time (race.h), so the answers depend on the questions alone.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "engine/engine.h"

namespace tessera::engine {

struct Alternate {
  std::unique_ptr<PlacementEngine> engine;
  double ns_per_unit = 1000;
  double most_ns = std::numeric_limits<double>::infinity();  ///< for one turn: then it is given up
};

/// Each of them may spend the nodes allowed. The last one takes whatever it is asked, those before
/// it what they know: another goal than a fit, or a proof, is the last one's alone.
/// require: at least one, ns_per_unit > 0. The ones before the last never say what is not so,
/// but may give up on anything.
[[nodiscard]] std::unique_ptr<PlacementEngine> make_alternating_engine(
    std::vector<Alternate> engines);

}  // namespace tessera::engine
