// Random small graphs for the tile machine.
//
//   TileGraph graph = random_tile_graph(random, 8);
//   ASSERT_TRUE(check_tile_graph(graph).empty());
#pragma once

#include "model/random.h"
#include "tessera/tile_graph.h"

namespace tessera::testing {

/// At most `most_ops` ops of both kinds, with branches, shared operands and small native tiles.
[[nodiscard]] TileGraph random_tile_graph(tessera::Random& random, std::int64_t most_ops);

}  // namespace tessera::testing
