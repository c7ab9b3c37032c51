#include "size_layer.h"

namespace tessera {

SizeLayer size_layer(const PlacementProblem& problem) {
  SizeLayer layer;
  layer.sizes.reserve(problem.buffers.size());
  for (const Buffer& buffer : problem.buffers) layer.sizes.push_back(buffer.size);
  for (const Memory& memory : problem.memories) layer.capacities.push_back(memory.capacity);
  return layer;
}

void replace_sizes(PlacementProblem& problem, const SizeLayer& layer) {
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) problem.buffers[b].size = layer.sizes[b];
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m)
    if (problem.memories[m].banks.empty()) problem.memories[m].capacity = layer.capacities[m];
}

}  // namespace tessera
