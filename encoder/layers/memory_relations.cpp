// same_memory and different_memories.
#include "layers.h"

namespace tessera::encoder {

void add_memory_relations(Context& context) {
  const std::size_t memories = context.problem.memories.size();
  for (const Relation& relation : context.problem.relations) {
    if (relation.kind == RelationKind::same_memory) {
      const BufferIndex leader = relation.buffers.front();
      for (const BufferIndex b : relation.buffers) {
        for (MemoryIndex m = 0; b != leader && m < memories; ++m) {
          context.require({leader, b}, {-context.in(leader, m), context.in(b, m)});
          context.require({leader, b}, {-context.in(b, m), context.in(leader, m)});
        }
      }
    } else if (relation.kind == RelationKind::different_memories) {
      for (std::size_t i = 0; i < relation.buffers.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const BufferIndex a = relation.buffers[j];
          const BufferIndex b = relation.buffers[i];
          for (MemoryIndex m = 0; m < memories; ++m) {
            context.require({a, b}, {-context.in(a, m), -context.in(b, m)});
          }
        }
      }
    }
  }
}

}  // namespace tessera::encoder
