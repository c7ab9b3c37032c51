// Random machines with all features of arrays and links that profiles have: complete ones, and
// parts for tests that build their own.
//
//   const Hardware h = random_machine(random, {.needed = bytes_of(network), .startup = true});
//
// The options of a test determine which numbers are drawn, and in which order. A seed therefore
// gives the same machine as long as the options stay the same.
#pragma once

#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tests/support/random.h"

namespace tessera::testing {

/// A mapping for these kinds of op.
[[nodiscard]] Mapping random_mapping(Random& random, std::vector<std::string> ops);
/// An array: with one unroll, with maps, or with blocks.
[[nodiscard]] Engine random_array(Random& random);
/// Vector lanes next to the array.
[[nodiscard]] Engine random_lanes(Random& random, bool startup);
/// Bandwidths, latencies, outstanding bursts and channels, some per direction.
void randomize_link(Random& random, Hardware& hardware);

struct MachineWish {
  Size needed = 0;          ///< bytes of all tensors of the network
  int least_percent = 10;   ///< minimum capacity of the on-chip memory, as a share of `needed`
  int most_percent = 100;   ///< maximum
  bool idle_power = false;  ///< some engines take energy while idle
  bool startup = false;     ///< lanes have a start-up time
  bool banks = false;       ///< some have two banks with modes
  bool writes = true;       ///< false: off-chip writes are impossible
};

/// An array and lanes, an on-chip and an off-chip memory. Tiles use single and double buffering.
[[nodiscard]] Hardware random_machine(Random& random, const MachineWish& wish);

/// Gives the first memory two to four banks with modes: some of the roles for each bank.
/// require: it has no banks
void give_modes(Random& random, Hardware& hardware);

/// Layouts of the memories (bricks, other orders, converted or not), and encoded weights.
void randomize_stored(Random& random, Hardware& hardware);

/// A second off-chip memory, before or after the other in the list, that holds the weights.
void add_flash(Random& random, Hardware& hardware);

/// Adds to some machines a second on-chip memory, to which arrays (and, in two of three machines,
/// lanes) write their output; reads from it need a copy. Draws from a copy of the generator, too.
void split_reach(Random random, Hardware& hardware);

/// Some engines access off-chip memory directly, if both memories have one layout. Draws from a
/// copy of the generator, so that later numbers are unaffected.
void reach_off_chip(Random random, Hardware& hardware);

}  // namespace tessera::testing
