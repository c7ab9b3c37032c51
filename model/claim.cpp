#include "tessera/claim.h"

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

}  // namespace tessera
