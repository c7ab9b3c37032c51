// same_bank and different_banks. A memory without banks is one bank.
#include "layers.h"

namespace tessera::encoder {
namespace {

void same_bank(Context& context, const Relation& relation) {
  const PlacementProblem& problem = context.problem;
  const BufferIndex leader = relation.buffers.front();
  for (const BufferIndex b : relation.buffers) {
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      if (b != leader) {
        context.require({leader, b}, {-context.in(leader, m), context.in(b, m)});
        context.require({leader, b}, {-context.in(b, m), context.in(leader, m)});
      }
      if (!context.may_be_in(b, m)) continue;
      const std::vector<AddressRange> banks = bank_ranges(problem.memories[m]);
      for (std::size_t k = 1; k < banks.size(); ++k) {
        const Offset border = banks[k].begin;
        context.require({b}, {-context.in(b, m), context.starts_at_or_above(b, border),
                              context.ends_at_or_below(b, border)});
        if (b == leader || !context.may_be_in(leader, m)) continue;
        // Each lies in one bank: the same bank if both are on the same side of every boundary.
        context.require({leader, b},
                        {-context.in(b, m), -context.starts_at_or_above(leader, border),
                         context.starts_at_or_above(b, border)});
        context.require({leader, b}, {-context.in(b, m), -context.starts_at_or_above(b, border),
                                      context.starts_at_or_above(leader, border)});
      }
    }
  }
}

void different_banks(Context& context, const Relation& relation) {
  const PlacementProblem& problem = context.problem;
  for (std::size_t i = 0; i < relation.buffers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const BufferIndex a = relation.buffers[j];
      const BufferIndex b = relation.buffers[i];
      for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
        if (!context.may_be_in(a, m) || !context.may_be_in(b, m)) continue;
        const std::size_t banks = std::max<std::size_t>(1, problem.memories[m].banks.size());
        for (std::size_t k = 0; k < banks; ++k) {
          context.require({a, b}, {-context.touches(a, m, k), -context.touches(b, m, k)});
        }
      }
    }
  }
}

}  // namespace

void add_bank_relations(Context& context) {
  for (const Relation& relation : context.problem.relations) {
    if (relation.kind == RelationKind::same_bank) same_bank(context, relation);
    if (relation.kind == RelationKind::different_banks) different_banks(context, relation);
  }
}

}  // namespace tessera::encoder
