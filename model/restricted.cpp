#include "model/restricted.h"

#include <utility>

#include "model/relations.h"
#include "model/rules.h"

namespace tessera {

Restricted restricted(const PlacementProblem& problem, std::span<const BufferIndex> buffers) {
  Restricted part;
  part.problem.name = problem.name;
  part.problem.memories = problem.memories;
  part.problem.objective = problem.objective;
  part.problem.next_objectives = problem.next_objectives;
  part.problem.buffers.reserve(buffers.size());
  part.originals.assign(buffers.begin(), buffers.end());
  std::vector<BufferIndex> index(problem.buffers.size(), gone);
  for (BufferIndex k = 0; k < buffers.size(); ++k) {
    index[buffers[k]] = k;
    part.problem.buffers.push_back(problem.buffers[buffers[k]]);
  }
  for (std::size_t r = 0; r < problem.relations.size(); ++r) {
    for (Relation& left : remaining(problem.relations[r], index)) {
      part.problem.relations.push_back(std::move(left));
      part.relations.push_back(r);
    }
  }
  for (std::size_t r = 0; r < problem.rules.size(); ++r) {
    auto left = remaining(problem.rules[r], index);
    if (!left) continue;
    part.problem.rules.push_back(std::move(*left));
    part.rules.push_back(r);
  }
  return part;
}

}  // namespace tessera
