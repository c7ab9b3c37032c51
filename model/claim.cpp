#include "claim.h"

#include <algorithm>

#include "say.h"

namespace tessera {
namespace {

std::string names_of(const PlacementProblem& problem, const std::vector<MemoryIndex>& memories) {
  std::string text;
  for (const MemoryIndex m : memories) {
    if (!text.empty()) text += ", ";
    text += m < problem.memories.size() ? problem.memories[m].name : "?";
  }
  return text;
}

}  // namespace

std::string describe(const PlacementProblem& problem, const Claim& claim) {
  switch (claim.kind) {
    case ClaimKind::infeasible: {
      std::string with;
      for (const Memory& memory : problem.memories) {
        if (memory.capacity == unbounded) continue;
        with += say(with.empty() ? " with " : ", ", memory.name, " of ", memory.capacity);
      }
      return "infeasible" + with;
    }
    case ClaimKind::height:
      return say("max height of {", names_of(problem, claim.memories), "} >= ", claim.least);
    case ClaimKind::cost:
      return say("cost >= ", claim.least);
    case ClaimKind::modes:
      return say("modes >= ", claim.least);
  }
  return "?";
}

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

PlacementProblem against(const PlacementProblem& problem, const Claim& claim) {
  PlacementProblem lower = problem;
  if (claim.kind != ClaimKind::height) return lower;
  for (const MemoryIndex m : claim.memories) limit_height(lower.memories[m], claim.least - 1);
  return lower;
}

std::optional<Cost> most_paid(const Claim& claim) {
  if (claim.kind != ClaimKind::cost && claim.kind != ClaimKind::modes) return std::nullopt;
  return claim.least - 1;
}

}  // namespace tessera
