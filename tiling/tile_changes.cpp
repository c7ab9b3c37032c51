#include "tiling/tile_changes.h"

#include <algorithm>

#include "tiling/op_region.h"

namespace tessera::tiling {

TileChanges::TileChanges(const Subgraph& subgraph)
    : subgraph_(subgraph),
      first_read_(subgraph.steps()),
      reads_of_(subgraph.tensors.size()),
      touched_(subgraph.tensors.size()),
      dirty_(subgraph.steps()),
      needed_(subgraph.tensors.size()) {
  for (std::size_t step = subgraph.steps(); step-- > 0;) {
    first_read_[step] = reads_.size();
    for (const LocalOperand& operand : subgraph.operands_at[step]) {
      reads_of_[operand.local].push_back(reads_.size());
      reads_.push_back({step, operand.local});
    }
  }
  for (std::size_t t = 0; t < subgraph.tensors.size(); ++t)
    if (!subgraph.tensors[t].producer) from_outside_.push_back(t);
  regions_.resize(reads_.size());
}

void TileChanges::begin() {
  std::fill(touched_.begin(), touched_.end(), false);
  std::fill(dirty_.begin(), dirty_.end(), false);
  changed_.clear();
  read_anew_.clear();
}

Box TileChanges::hull_of_reads(const KnownTile& base, std::size_t t) const {
  Box needed = nothing(subgraph_.tensor(t).shape.size());
  for (const std::size_t read : reads_of_[t])
    if (base.counts[read])
      needed = hull(needed, dirty_[reads_[read].step] ? regions_[read] : base.reads[read]);
  return needed;
}

/// Finishes t after all its readers and its store have been processed.
void TileChanges::finalise(const KnownTile& base, std::size_t t, const Box& needed) {
  const std::optional<Step> producer = subgraph_.tensors[t].producer;
  const Box wanted = producer ? widen(*subgraph_.network, subgraph_.op(*producer), needed) : needed;
  touched_[t] = wanted != base.needed[t];
  if (!touched_[t]) return;
  needed_[t] = wanted;
  changed_.push_back(t);
  if (producer) dirty_[static_cast<std::size_t>(*producer)] = true;
}

void TileChanges::read_operands(std::size_t step, const Box& made) {
  std::size_t read = first_read_[step];
  for (const LocalOperand& operand : subgraph_.operands_at[step]) {
    regions_[read] = operand_region(*subgraph_.network, subgraph_.op(static_cast<Step>(step)),
                                    operand.position, made);
    touched_[operand.local] = true;
    read_anew_.push_back(read++);
  }
}

}  // namespace tessera::tiling
