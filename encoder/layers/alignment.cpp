// Alignment that depends on the memory. The alignment common to all allowed memories is the stride
// of the buffer's integer (encoding.cpp) and needs no clause.
#include "layers.h"

namespace tessera::encoder {

void add_alignment(Context& context) {
  const PlacementProblem& problem = context.problem;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      if (!context.may_be_in(b, m)) continue;
      const Size alignment = effective_alignment(problem.buffers[b], problem.memories[m]);
      context.require({b},
                      {-context.in(b, m), context.formula.multiple(context.offset(b), alignment)});
    }
  }
}

}  // namespace tessera::encoder
