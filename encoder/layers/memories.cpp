// Every buffer is in exactly one of its memories and ends inside it.
#include "layers.h"

namespace tessera::encoder {

void add_memories(Context& context) {
  const PlacementProblem& problem = context.problem;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, problem.buffers[b]);
    if (allowed.size() < 2) continue;  // the range of the integer is sufficient
    std::vector<Lit> some;
    for (const MemoryIndex m : allowed) {
      some.push_back(context.in(b, m));
      for (const MemoryIndex other : allowed) {
        if (other < m) context.formula.clause({-context.in(b, m), -context.in(b, other)});
      }
      context.require(
          {b}, {-context.in(b, m), -context.formula.above(context.offset(b), last_offset(m, b))});
    }
    context.formula.clause(some);
  }
}

}  // namespace tessera::encoder
