// Random machines, with everything a profile can say of their arrays and links: whole ones, and the
// parts of which a test builds others.
//
//   const Hardware h = random_machine(random, {.needed = bytes_of(network), .startup = true});
//
// What a test asks for decides which numbers are drawn, and in which order, so that a seed means
// the same machine as long as the test asks for the same.
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
/// Lanes beside the array.
[[nodiscard]] Engine random_lanes(Random& random, bool startup);
/// Bandwidths, latencies, outstanding bursts and channels, some for each direction.
void randomize_link(Random& random, Hardware& hardware);

struct MachineWish {
  Size needed = 0;          ///< bytes of all tensors of the network
  int least_percent = 10;   ///< of them that the memory on the chip holds
  int most_percent = 100;   ///< likewise
  bool idle_power = false;  ///< some take energy while they do nothing
  bool startup = false;     ///< lanes take a while until they begin
  bool banks = false;       ///< some have two banks with modes
  bool writes = true;       ///< false: nothing can be written off the chip
};

/// An array and lanes, a memory on the chip and one off it. Tiles are tried with one copy and two.
[[nodiscard]] Hardware random_machine(Random& random, const MachineWish& wish);

/// Layouts of the memories (bricks, other orders, converted or not), and weights that are encoded.
void randomize_stored(Random& random, Hardware& hardware);

/// A second memory off the chip, before or behind the other, that holds the weights.
void add_flash(Random& random, Hardware& hardware);

/// Some get another memory beside that on the chip, into which arrays write what they make (and, of
/// two machines in three, lanes): what is read of it is copied. Draws from a copy, too.
void split_reach(Random random, Hardware& hardware);

/// Some engines read or write off the chip themselves, where both memories have one layout. Draws
/// from a copy, so that what comes after is as it was without.
void reach_off_chip(Random random, Hardware& hardware);

}  // namespace tessera::testing
