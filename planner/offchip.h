// Off-chip addresses of all tensors of a plan.
//
//   if (std::string why = never_fits_offchip(net, hardware); !why.empty()) return infeasible(why);
//   OffchipAnswer answer = place_offchip(net, hardware, plan.subgraphs, budget);
//   plan.offchip = std::move(answer.memories);
//   for (const std::string& sentence : offchip_wrong(net, hardware, plan)) report(sentence);
//
// The order of the tiles gives the first write and last read of each byte of a tensor. Tile k of
// the network reads at step 2k and writes at step 2k + 1. A tile may thus overwrite bytes that it
// has read. This holds for overlapped transfers too, since loads are never later and stores never
// earlier than that. In a group with pipelined stages, bytes that are read may live until the next
// tile has written. Stores may end in any order: bytes that nothing reads live until their group
// ends. Weights are one buffer that lives all the time, in a separate memory if the
// machine has one (model/off_chip.h). With a backing memory, each weight is a buffer that lives as
// the plan says (behind.h).
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

/// A sentence if no plan fits off chip: all weights live all the time, all inputs at the begin and
/// all results at the end. Empty: undecided.
[[nodiscard]] std::string never_fits_offchip(const Network& network, const Hardware& hardware);

/// Number of tiles with own steps: all tiles of a subgraph, or one if they are too many to be
/// followed.
[[nodiscard]] std::int64_t followed_tiles(const PlannedSubgraph& planned);

struct OffchipAnswer {
  /// The memories that hold tensors of the network, in the order of the profile. If the budget
  /// ended before tiles had places, whole tensors placed by groups. Empty if a memory is too small.
  std::vector<OffchipMemory> memories{};
  std::string too_small{};  ///< a sentence: the demand of these groups and tiles
};

/// Tensors with more than `pieces` parts live as a whole: rows are merged, then planes, then all.
/// require: the subgraphs are those of a correct plan.
[[nodiscard]] OffchipAnswer place_offchip(const Network& network, const Hardware& hardware,
                                          const std::vector<PlannedSubgraph>& subgraphs,
                                          const Front& front, const Budget& budget,
                                          std::int64_t pieces = max_part_runs, int threads = 1);

/// Sentences: rules broken by a plan's `offchip`; empty if the plan has none.
/// require: the subgraphs are correct.
[[nodiscard]] std::vector<std::string> offchip_wrong(const Network& network,
                                                     const Hardware& hardware,
                                                     const NetworkPlan& plan, int threads = 1);

/// Value of `pieces`: every tensor as a whole, from the begin of the first group that accesses it
/// to the end of the last. Fast, since no tile is followed. Weights from a backing memory still
/// arrive in parts.
constexpr std::int64_t by_runs = 0;

/// The placement problem: a buffer per tensor with its parts, in the off-chip memories. No buffers
/// if nothing lies off chip or the budget ended. `front` is used only on machines with a backing
/// memory. That memory takes part if tensors lie in it.
[[nodiscard]] PlacementProblem offchip_question(const Network& network, const Hardware& hardware,
                                                const std::vector<PlannedSubgraph>& subgraphs,
                                                const Front& front, const Budget& budget = {},
                                                std::int64_t pieces = max_part_runs,
                                                int threads = 1);

/// Bytes of a memory occupied in every step, whatever the tiles: weights that live all the time. A
/// lower bound of the demand.
[[nodiscard]] Size always_there(const PlacementProblem& question, MemoryIndex memory);

/// The placement problem of a finished plan.
[[nodiscard]] PlacementProblem offchip_question_of(const Network& network, const Hardware& hardware,
                                                   const NetworkPlan& plan,
                                                   std::int64_t pieces = max_part_runs,
                                                   int threads = 1);

}  // namespace tessera::planner
