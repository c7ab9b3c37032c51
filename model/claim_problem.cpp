#include "model/claim_problem.h"

#include <algorithm>
#include <vector>

namespace tessera {

void limit_height(Memory& memory, Size height) {
  if (height >= memory.capacity) return;
  for (AddressRange& range : memory.reserved) range.end = std::min(range.end, height);
  std::erase_if(memory.reserved, [](const AddressRange& range) { return range.empty(); });
  if (memory.banks.empty()) {
    memory.capacity = height;
  } else {
    memory.reserved.push_back({height, memory.capacity});
  }
}

PlacementProblem counterexample_problem(const PlacementProblem& problem, const Claim& claim) {
  PlacementProblem lower = problem;
  if (claim.kind != ClaimKind::height) return lower;
  for (const MemoryIndex m : claim.memories) limit_height(lower.memories[m], claim.least - 1);
  return lower;
}

Objective counterexample_goal(const Claim& claim) {
  switch (claim.kind) {
    case ClaimKind::cost:
      return Objective::cost;
    case ClaimKind::modes:
      return Objective::modes;
    case ClaimKind::switches:
      return Objective::switches;
    case ClaimKind::infeasible:
    case ClaimKind::height:
    case ClaimKind::benefit:
      break;
  }
  return Objective::fit;
}

std::optional<Cost> counterexample_cost(const Claim& claim) {
  if (counterexample_goal(claim) == Objective::fit) return std::nullopt;
  return claim.least - 1;
}

}  // namespace tessera
