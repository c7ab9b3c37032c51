// A placement/1 result inside a larger document. Private to io/.
#pragma once

#include "io/tree.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::io {

/// As read_placement_json() (placement_json.h), from a parsed tree.
[[nodiscard]] PlacementResult read_placement_tree(const Sources& sources, const Node& node,
                                                  const PlacementProblem& problem);

}  // namespace tessera::io
