#include "tessera/claim.h"

#include "say.h"
#include "tessera/names.h"

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

/// " with sram of 4096, dram of 65536"
std::string capacities_of(const PlacementProblem& problem) {
  std::string with;
  for (const Memory& memory : problem.memories) {
    if (memory.capacity == unbounded) continue;
    with += say(with.empty() ? " with " : ", ", memory.name, " of ", memory.capacity);
  }
  return with;
}

}  // namespace

std::string describe(const PlacementProblem& problem, const Claim& claim) {
  switch (claim.kind) {
    case ClaimKind::infeasible:
      return "infeasible" + capacities_of(problem);
    case ClaimKind::height:
      return say("max height of {", names_of(problem, claim.memories), "} >= ", claim.least);
    case ClaimKind::cost:
      return say("cost >= ", claim.least);
    case ClaimKind::modes:
      return say("modes >= ", claim.least);
    case ClaimKind::switches:
      return say("switches >= ", claim.least);
    case ClaimKind::benefit:
      if (claim.most < 0) return "infeasible whatever is left out" + capacities_of(problem);
      return "benefit <= " + benefit_text(claim.most);
  }
  return "?";
}

}  // namespace tessera
