// adjacent, same_offset and disjoint.
#include "layers.h"
#include "model/buffer_parts.h"

namespace tessera::encoder {
namespace {

/// x_a + up == x_b, in one memory. `down` is -up.
void tie(Context& context, BufferIndex a, const Amount& up, const Amount& down, BufferIndex b) {
  for (MemoryIndex m = 0; m < context.problem.memories.size(); ++m) {
    context.require({a, b}, {-context.in(a, m), context.in(b, m)});
    context.require({a, b}, {-context.in(b, m), context.in(a, m)});
  }
  context.require({a, b}, {context.formula.before(context.offset(a), up, context.offset(b))});
  context.require({a, b}, {context.formula.before(context.offset(b), down, context.offset(a))});
}

/// The used range of b begins where the used range of a ends.
void tie_ends(Context& context, BufferIndex a, BufferIndex b) {
  const Buffer& below = context.problem.buffers[a];
  const Buffer& above = context.problem.buffers[b];
  if (!has_parts(below) && !has_parts(above))
    return tie(context, a, size_of(a), minus_size_of(a, 0), b);
  const Size up = extent(below).end - extent(above).begin;
  tie(context, a, fixed(up), fixed(-up), b);
}

}  // namespace

void add_order_relations(Context& context) {
  for (const Relation& relation : context.problem.relations) {
    const std::vector<BufferIndex>& who = relation.buffers;
    switch (relation.kind) {
      case RelationKind::adjacent:
        for (std::size_t k = 1; k < who.size(); ++k) {
          tie_ends(context, who[k - 1], who[k]);
        }
        break;
      case RelationKind::same_offset:
        for (std::size_t i = 1; i < who.size(); ++i) {
          // With presence literals every pair, so that an absent member leaves the others tied.
          for (std::size_t j = context.params.presence ? 0 : i - 1; j < i; ++j) {
            tie(context, who[j], fixed(0), fixed(0), who[i]);
          }
        }
        break;
      case RelationKind::disjoint:
        for (std::size_t i = 1; i < who.size(); ++i) {
          for (std::size_t j = 0; j < i; ++j) {
            context.keep_apart(who[j], who[i]);
          }
        }
        break;
      case RelationKind::same_bank:
      case RelationKind::different_banks:
        break;  // bank_relations.cpp
      case RelationKind::same_memory:
      case RelationKind::different_memories:
        break;  // memory_relations.cpp
      case RelationKind::may_overlap:
      case RelationKind::avoid_overlap:
        break;  // liveness.cpp, soft_costs.cpp
    }
  }
}

}  // namespace tessera::encoder
