#include "model/restricted.h"

#include <utility>

namespace tessera {

Restricted restricted(const PlacementProblem& problem, std::span<const BufferIndex> buffers) {
  Restricted part;
  part.problem.name = problem.name;
  part.problem.memories = problem.memories;
  part.problem.objective = problem.objective;
  part.problem.next_objectives = problem.next_objectives;
  part.problem.buffers.reserve(buffers.size());
  part.originals.assign(buffers.begin(), buffers.end());
  const BufferIndex none = problem.buffers.size();
  std::vector<BufferIndex> index(problem.buffers.size(), none);
  for (BufferIndex k = 0; k < buffers.size(); ++k) {
    index[buffers[k]] = k;
    part.problem.buffers.push_back(problem.buffers[buffers[k]]);
  }
  for (std::size_t r = 0; r < problem.relations.size(); ++r) {
    const Relation& relation = problem.relations[r];
    Relation kept{.kind = relation.kind, .buffers = {}, .cost = relation.cost};
    const auto keep = [&] {
      if (kept.buffers.size() >= 2) {
        part.problem.relations.push_back(kept);
        part.relations.push_back(r);
      }
      kept.buffers.clear();
    };
    for (const BufferIndex b : relation.buffers) {
      if (index[b] != none) kept.buffers.push_back(index[b]);
      // Its neighbours are none of each other.
      if (index[b] == none && relation.kind == RelationKind::adjacent) keep();
    }
    keep();
  }
  return part;
}

}  // namespace tessera
