#include "commands/group.h"

#include <algorithm>

#include "model/pinned.h"
#include "model/stored.h"
#include "tiling/joined.h"

namespace tessera::commands {

using tiling::Box;
using tiling::BufferRole;

Group::Group(const Context& context, const PlannedSubgraph& planned, std::size_t index)
    : context_(context),
      planned_(planned),
      index_(index),
      piece_(planner::make_piece(context.network, context.hardware, planned, context.readers)),
      run_(planner::piece_run(piece_, context.hardware, planned.placements)),
      geometry_(std::make_unique<tiling::TileGeometry>(piece_.part, planned.variant.halo)),
      positions_(geometry_->positions(piece_.grid.shape)),
      walk_(std::make_unique<tiling::TileWalk>(piece_.grid, piece_.lowering)),
      tasks_(cost::group_tasks(run_)),
      schedule_(cost::group_schedule(run_)),
      slices_(piece_.part.tensors.size()),
      most_kept_(piece_.part.tensors.size()) {
  for (const tiling::TileRegions& tile : piece_.grid.tiles)
    for (std::size_t t = 0; t < tile.kept.size(); ++t)
      for (std::size_t k = 0; k < 2; ++k)
        most_kept_[t][k] = std::max(most_kept_[t][k], tile.kept[t][k]);
  find_slices();
  note_homes();
}

TileAt Group::tile(std::int64_t index) const {
  TileAt tile{.index = index, .position = {}, .regions = {}};
  const auto& [outer, middle, inner] = walk_->order();
  const auto& counts = piece_.grid.counts;
  tile.position[inner] = index % counts[inner];
  tile.position[middle] = index / counts[inner] % counts[middle];
  tile.position[outer] = index / counts[inner] / counts[middle];
  tile.regions = geometry_->tile_at(positions_, tile.position);
  tile.visit = walk_->at(tile.position);
  return tile;
}

const Placement& Group::placement(const TileAt& tile) const {
  const std::size_t demand = piece_.demand_of_tile[schedule_.tile_of_class[tile.visit]];
  return planned_.placements[demand].placement;
}

/// The parts of a split reduction: of its input, and of its weights.
void Group::find_slices() {
  const tiling::Subgraph& part = piece_.part;
  if (!part.own) return;
  Dim begin = 0;
  for (Dim k = 0; k < part.split_parts; ++k) {
    const Step step = part.split_at + k;
    const Op& op = part.op(step);
    const std::size_t axis = op.kind == OpKind::conv     ? 1U
                             : op.kind == OpKind::matmul ? (op.transpose_b ? 1U : 0U)
                                                         : 0U;
    for (const tiling::LocalOperand& operand : part.operands_at[static_cast<std::size_t>(step)]) {
      const tiling::LocalTensor& local = part.tensors[operand.local];
      if (operand.position == 0 && local.slice)
        slices_[operand.local] = Slice{local.slice->axis, local.slice->begin, k};
      if (operand.position == 1) {
        slices_[operand.local] = Slice{axis, begin, k};
        begin += part.tensor(operand.local).shape[axis];
      }
    }
  }
}

/// Resident tensors, and how weights are loaded.
void Group::note_homes() {
  const tiling::Subgraph& part = piece_.part;
  std::vector<Box> parts;
  std::optional<TensorIndex> split;
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    const tiling::LocalTensor& local = part.tensors[t];
    if (!local.weight || !tiling::is_loaded(local)) continue;
    const std::optional<Place>& home = context_.homes.off_chip(tensor(t));
    // Parts of encoded weights are shares of all bytes.
    if (slices_[t] && !(home && home->encoded > 0)) {
      split = tensor(t);
      parts.push_back(own(t, tiling::whole(part.tensor(t).shape)));
    } else {
      context_.homes.set_whole(tensor(t));
    }
  }
  if (split) context_.homes.set_parts(*split, parts);
  const TileAt first = tile(0);
  const std::vector<tiling::LoweredBuffer>& buffers = piece_.lowering.buffers;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].role != BufferRole::kept && buffers[b].role != BufferRole::passing) continue;
    const bool passes = buffers[b].role == BufferRole::passing;
    const TensorIndex inside =
        passes ? part.passing[buffers[b].tensor] : part.tensors[buffers[b].tensor].tensor;
    const Tensor& of = part.network->tensors[inside];
    if (of.kind == TensorKind::weight) continue;  // prefetched, perhaps several times
    const Dim brick =
        passes ? tiling::brick_of_passing(part, inside) : tiling::brick_of(part, buffers[b].tensor);
    context_.homes.set_resident(part.planned(inside),
                                place_of(first, b, of, tiling::whole(of.shape), brick));
  }
}

Box Group::own(std::size_t local, Box box) const {
  const std::optional<Slice>& slice = slices_[local];
  if (!slice || box.none) return box;
  box[slice->axis].begin += slice->begin;
  box[slice->axis].end += slice->begin;
  return box;
}

Place Group::off_chip_place(std::size_t local) const {
  const TensorIndex t = tensor(local);
  const std::vector<Place>& parts = context_.homes.parts(t);
  if (slices_[local] && piece_.part.tensors[local].weight && !parts.empty())
    return parts[static_cast<std::size_t>(slices_[local]->part)];
  const std::optional<Place>& whole = context_.homes.off_chip(t);
  if (!whole)
    throw Unsupported("tensor '" + context_.network.tensors[t].name +
                      "' has no off-chip place in the plan");
  return *whole;
}

std::optional<std::size_t> Group::buffer_of(const TileAt& tile, std::size_t local,
                                            std::size_t share, BufferRole role) const {
  std::optional<std::size_t> found;
  const std::vector<tiling::LoweredBuffer>& buffers = piece_.lowering.buffers;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].tensor != local || buffers[b].share != share || buffers[b].role != role)
      continue;
    if (!found || buffers[b].copy == parity(tile)) found = b;
  }
  return found;
}

Place Group::place_of(const TileAt& tile, std::size_t buffer, const Tensor& tensor,
                      const Box& content, Dim brick) const {
  const BufferPlace& at = placement(tile).places[buffer];
  const std::size_t memory = memory_on_chip(context_.hardware, at.memory);
  Layout layout = on_chip_layout(context_.hardware);
  if (brick == 1) layout = unbricked(layout);
  Place place = laid_out({memory, context_.hardware.memories[memory].space.base + at.offset},
                         tensor, content, layout);
  place.buffer = piece_.lowering.problem.buffers[buffer].id;
  return place;
}

/// In the buffer of another tensor: channels of a concatenation, or sums in the place of the sums
/// before.
Place Group::inside_other(const TileAt& tile, std::size_t local, std::size_t share) const {
  const tiling::Subgraph& part = piece_.part;
  const std::size_t other = *part.tensors[local].in_place_of;
  Place place = chip_place(tile, other, share);
  const Step made = *part.tensors[other].producer;
  if (!tiling::joins_channels(part.op(made))) return place;
  for (const tiling::Join& join : tiling::joins_of(part, made))
    if (join.local == local && join.in_place) {
      place.content[1].begin -= join.channels.begin;
      place.content[1].end -= join.channels.begin;
      return place;
    }
  return place;
}

Place Group::chip_place(const TileAt& tile, std::size_t local, std::size_t share) const {
  const tiling::Subgraph& part = piece_.part;
  const tiling::LocalTensor& of = part.tensors[local];
  if (of.in_place_of) return inside_other(tile, local, share);
  if (of.pinned) return *context_.homes.pinned(tensor(local));
  if (piece_.lowering.is_direct(local)) return off_chip_place(local);
  if (const auto kept = buffer_of(tile, local, share, BufferRole::kept))
    return place_of(tile, *kept, part.tensor(local), tiling::whole(part.tensor(local).shape),
                    tiling::brick_of(part, local));
  const auto buffer = buffer_of(tile, local, share, BufferRole::tile);
  if (!buffer)
    throw Unsupported("tensor '" + part.tensor(local).name + "' has no buffer in group " +
                      std::to_string(index_));
  const bool all = piece_.lowering.buffers[*buffer].every_tile > 0;
  const Box content = all ? tiling::whole(part.tensor(local).shape) : tile.regions.fresh[local];
  Place place = place_of(tile, *buffer, part.tensor(local), content, tiling::brick_of(part, local));
  place.encoded = of.bytes.encoded > 0 ? of.bytes.of(tiling::volume(content)) : 0;
  place.content = own(local, place.content);
  return place;
}

bool Group::reuses_halo(std::size_t local, std::size_t share) const {
  return std::ranges::any_of(piece_.lowering.buffers, [&](const tiling::LoweredBuffer& buffer) {
    return buffer.tensor == local && buffer.share == share &&
           (buffer.role == BufferRole::rows || buffer.role == BufferRole::columns);
  });
}

std::optional<Place> Group::halo_place(const TileAt& tile, std::size_t local, std::size_t share,
                                       BufferRole role) const {
  const auto buffer = buffer_of(tile, local, share, role);
  if (!buffer) return std::nullopt;
  const Tensor& of = piece_.part.tensor(local);
  const auto h = axis_along(tiling::TileAxis::height, local);
  const auto w = axis_along(tiling::TileAxis::width, local);
  const auto [rows, columns] = tile.regions.kept[local];
  Box content = tile.regions.needed[local];
  if (role == BufferRole::rows) {
    if (w) content[*w] = {0, of.shape[*w]};
    content[*h].end = content[*h].begin + most_kept_[local][0];
  } else {
    if (h) content[*h].begin += rows;
    content[*w].end = content[*w].begin + most_kept_[local][1];
  }
  return place_of(tile, *buffer, of, content, tiling::brick_of(piece_.part, local));
}

std::vector<Part> Group::chip_parts(const TileAt& tile, std::size_t local, std::size_t share,
                                    const Box& box) const {
  if (!reuses_halo(local, share)) return {part_at(chip_place(tile, local, share), box)};
  std::vector<Part> parts;
  const auto [rows, columns] = tile.regions.kept[local];
  Box rest = tile.regions.needed[local];
  const auto take = [&](const Box& of, const std::optional<Place>& place) {
    if (const Box part = tiling::intersect(of, box); !part.none && place)
      parts.push_back(part_at(*place, part));
  };
  if (const auto h = axis_along(tiling::TileAxis::height, local); h && rows > 0) {
    Box above = rest;
    above[*h].end = above[*h].begin + rows;
    rest[*h].begin += rows;
    take(tiling::tidy(above), halo_place(tile, local, share, BufferRole::rows));
  }
  if (const auto w = axis_along(tiling::TileAxis::width, local); w && columns > 0) {
    Box left = rest;
    left[*w].end = left[*w].begin + columns;
    rest[*w].begin += columns;
    take(tiling::tidy(left), halo_place(tile, local, share, BufferRole::columns));
  }
  if (const Box part = tiling::intersect(tiling::tidy(rest), box); !part.none)
    parts.push_back(part_at(chip_place(tile, local, share), part));
  return parts;
}

}  // namespace tessera::commands
