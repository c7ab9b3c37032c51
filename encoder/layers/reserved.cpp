// Reserved address ranges, which no buffer may use.
#include "layers.h"

namespace tessera::encoder {

void add_reserved(Context& context) {
  const PlacementProblem& problem = context.problem;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    for (const AddressRange& reserved : problem.memories[m].reserved) {
      for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
        if (context.may_be_in(b, m)) context.keep_off(b, m, reserved);
      }
    }
  }
}

}  // namespace tessera::encoder
