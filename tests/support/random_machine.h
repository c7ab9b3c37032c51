// Arrays and links of random machines, with everything a profile can say of them.
#pragma once

#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tests/support/random.h"

namespace tessera::testing {

/// A way to compute these kinds of op.
[[nodiscard]] Mapping random_mapping(Random& random, std::vector<std::string> ops);
/// An array: with one unroll, with maps, and with blocks.
[[nodiscard]] Engine random_array(Random& random);
/// Bandwidths, latencies, outstanding bursts and channels, some for each direction.
void randomize_link(Random& random, Hardware& hardware);

}  // namespace tessera::testing
