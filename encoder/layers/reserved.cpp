// Address ranges nobody may touch.
#include "layers.h"

namespace tessera::encoder {

void add_reserved(Context& context) {
  const PlacementProblem& problem = context.problem;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    for (const AddressRange& reserved : problem.memories[m].reserved) {
      for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
        if (!context.may_be_in(b, m)) continue;
        context.require({b}, {-context.in(b, m), context.starts_at_or_above(b, reserved.end),
                              context.ends_at_or_below(b, reserved.begin)});
      }
    }
  }
}

}  // namespace tessera::encoder
