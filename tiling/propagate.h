// Backward propagation from what a tile stores to what it needs: one pass over the ops, last to
// first.
//
// `rules` defines what a tile stores and which parts are fresh. Each function is called for a
// tensor after all its readers:
//   void store(std::size_t t, Box& needed)         extend `needed` by what is stored of tensor t
//   Box fresh(std::size_t t, const Box& needed)    the part that this tile loads or computes
//   bool read(const LocalOperand& by, const Box& region)    is called for each operand, always in
//                                                  the same order; false: it is not read
#pragma once

#include "tiling/geometry.h"
#include "tiling/op_region.h"

namespace tessera::tiling {

/// ensure: regions.needed and regions.fresh have one entry per local tensor.
template <typename Rules>
void propagate(const Subgraph& subgraph, Rules&& rules, TileRegions& regions) {
  const Network& network = *subgraph.network;
  const std::size_t count = subgraph.tensors.size();
  regions.needed.resize(count);
  regions.fresh.resize(count);
  for (std::size_t t = 0; t < count; ++t)
    regions.needed[t] = nothing(subgraph.tensor(t).shape.size());

  for (std::size_t step = subgraph.steps(); step-- > 0;) {
    const Op& op = subgraph.op(static_cast<Step>(step));
    const std::vector<std::size_t>& outputs = subgraph.made_at[step];
    bool anything = false;
    for (const std::size_t t : outputs) {
      Box& needed = regions.needed[t];
      rules.store(t, needed);
      if (op.kind != OpKind::opaque) needed = widen(network, op, needed);
      Box fresh = rules.fresh(t, needed);
      if (op.kind != OpKind::opaque) fresh = widen(network, op, fresh);
      regions.fresh[t] = fresh;
      anything = anything || !fresh.none;
    }
    if (op.kind == OpKind::opaque && anything)  // produces all of its outputs at once
      for (const std::size_t t : outputs)
        regions.needed[t] = regions.fresh[t] = whole(subgraph.tensor(t).shape);

    const Box& made = regions.fresh[outputs.front()];
    for (const LocalOperand& operand : subgraph.operands_at[step]) {
      Box region = operand_region(network, op, operand.position, made);
      const Tensor& seen = network.tensors[operand.seen_as];
      if (seen.view_of) {
        const std::vector<Dim>& source = subgraph.tensor(operand.local).shape;
        region = reshaped(seen.shape, source, reshape_unit(seen.shape, source, region));
      }
      if (rules.read(operand, region))
        regions.needed[operand.local] = hull(regions.needed[operand.local], region);
    }
  }
  for (std::size_t t = 0; t < count; ++t)
    if (!subgraph.tensors[t].producer) regions.fresh[t] = rules.fresh(t, regions.needed[t]);
}

}  // namespace tessera::tiling
