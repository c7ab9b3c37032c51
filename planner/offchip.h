// Where every tensor of a plan lies off the chip.
//
//   if (std::string why = never_fits_offchip(net, hardware); !why.empty()) return infeasible(why);
//   OffchipAnswer answer = place_offchip(net, hardware, plan.subgraphs, budget);
//   plan.offchip = std::move(answer.memories);
//   for (const std::string& sentence : offchip_wrong(net, hardware, plan)) report(sentence);
//
// The plan knows the order of its tiles, so it knows when each byte of a tensor is written and read
// for the last time. Tile k of the network reads at step 2k and writes at step 2k + 1: what it
// read may be gone when it writes, whether transfers run ahead or not, since loads are never later
// and stores never earlier than that; what a run with ops that trail reads may be there until the
// next tile has written. Weights are one buffer that is always there, in a memory of their own
// where the machine has one (model/off_chip.h). Where a memory lies behind, each weight is a buffer
// that is there while the plan says so (behind.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/budget.h"
#include "model/buffer_parts.h"
#include "planner/behind.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/problem.h"

namespace tessera::planner {

/// A sentence, where no plan has room off the chip: all weights are always there; all inputs are at
/// the beginning and all results at the end. Empty: nobody knows.
[[nodiscard]] std::string never_fits_offchip(const Network& network, const Hardware& hardware);

/// Steps count tiles: as many of a subgraph as its tiles, or one where those are too many to be
/// followed.
[[nodiscard]] std::int64_t followed_tiles(const PlannedSubgraph& planned);

struct OffchipAnswer {
  /// Those where something of the network lies, in the order of the profile: whole tensors, by
  /// runs, where the budget ended before tiles had places. None where one is too small.
  std::vector<OffchipMemory> memories{};
  std::string too_small{};  ///< a sentence: what these runs and tiles need
};

/// Of tensors whose parts would come to more than `pieces`, rows, planes, or all, live as one.
/// require: the subgraphs are those of a right plan.
[[nodiscard]] OffchipAnswer place_offchip(const Network& network, const Hardware& hardware,
                                          const std::vector<PlannedSubgraph>& subgraphs,
                                          const Front& front, const Budget& budget,
                                          std::int64_t pieces = max_part_runs, int threads = 1);

/// Sentences: which rule a plan's `offchip` breaks; none where it says nothing.
/// require: the subgraphs are right.
[[nodiscard]] std::vector<std::string> offchip_wrong(const Network& network,
                                                     const Hardware& hardware,
                                                     const NetworkPlan& plan, int threads = 1);

/// So many pieces: every tensor as a whole, from the beginning of the first run that touches it to
/// the end of the last. Quick, and no tile is followed. Weights from a memory behind come in their
/// parts all the same.
constexpr std::int64_t by_runs = 0;

/// The question that is asked: a buffer per tensor with its parts, in the memories off the chip;
/// without buffers where nothing lies there, or the budget ended. `front` is for machines with a
/// memory behind, and not looked at elsewhere; that memory takes part where tensors lie in it.
[[nodiscard]] PlacementProblem offchip_question(const Network& network, const Hardware& hardware,
                                                const std::vector<PlannedSubgraph>& subgraphs,
                                                const Front& front, const Budget& budget = {},
                                                std::int64_t pieces = max_part_runs,
                                                int threads = 1);

/// Bytes of a memory of the question that are taken in every step, whatever the tiles: weights that
/// never leave. No place for everything needs less.
[[nodiscard]] Size always_there(const PlacementProblem& question, MemoryIndex memory);

/// The question about a plan that was made.
[[nodiscard]] PlacementProblem offchip_question_of(const Network& network, const Hardware& hardware,
                                                   const NetworkPlan& plan,
                                                   std::int64_t pieces = max_part_runs,
                                                   int threads = 1);

}  // namespace tessera::planner
