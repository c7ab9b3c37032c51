// Non-overlap: every pair that is live at a common step and not exempt. Does not depend on numbers.
#include <algorithm>

#include "layers.h"

namespace tessera::encoder {

void add_liveness(Context& context) {
  const PlacementProblem& problem = context.problem;
  const auto exempt = exempt_pairs(problem);
  std::vector<BufferIndex> by_start(problem.buffers.size());
  for (BufferIndex b = 0; b < by_start.size(); ++b) by_start[b] = b;
  std::sort(by_start.begin(), by_start.end(), [&problem](BufferIndex a, BufferIndex b) {
    return problem.buffers[a].live.front().lower < problem.buffers[b].live.front().lower;
  });
  for (std::size_t i = 0; i < by_start.size(); ++i) {
    const Step end = problem.buffers[by_start[i]].live.back().upper;
    for (std::size_t j = i + 1; j < by_start.size(); ++j) {
      if (problem.buffers[by_start[j]].live.front().lower >= end) break;
      context.poll();
      const auto [a, b] = std::minmax(by_start[i], by_start[j]);
      if (std::binary_search(exempt.begin(), exempt.end(), std::pair(a, b))) continue;
      for (const Separation& apart : separations(problem, a, b, context.poll))
        context.separate(a, b, apart);
    }
  }
}

}  // namespace tessera::encoder
