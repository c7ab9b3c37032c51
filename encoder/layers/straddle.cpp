// Memories in which no buffer may cross a bank boundary.
#include "layers.h"

namespace tessera::encoder {

void add_straddle(Context& context) {
  const PlacementProblem& problem = context.problem;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    if (memory.straddle || memory.banks.size() < 2) continue;
    const std::vector<AddressRange> banks = bank_ranges(memory);
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
      if (!context.may_be_in(b, m)) continue;
      for (std::size_t k = 1; k < banks.size(); ++k) {
        context.require({b}, {-context.in(b, m), context.starts_at_or_above(b, banks[k].begin),
                              context.ends_at_or_below(b, banks[k].begin)});
      }
    }
  }
}

}  // namespace tessera::encoder
