#include "commands/operands.h"

#include <algorithm>

#include "cost/group_parts.h"
#include "tiling/joined.h"
#include "tiling/op_region.h"

namespace tessera::commands {
namespace {

using tiling::Box;

class Computing {
 public:
  Computing(const Group& group, const TileAt& tile, Step step)
      : group_(group), tile_(tile), step_(step), op_(group.part().op(step)) {}

  std::optional<Command> run() {
    const tiling::Subgraph& part = group_.part();
    const std::vector<std::size_t>& made = part.made_at[static_cast<std::size_t>(step_)];
    if (made.empty())
      throw Unsupported("op '" + op_.name + "' makes a tensor without storage of its own");
    if (part.tensors[made.front()].in_its_place) return std::nullopt;
    command_.kind = CommandKind::compute;
    command_.group = group_.index();
    command_.tile = tile_.index;
    command_.op =
        group_.context().network.ops[group_.planned().ops.first + part.planned_op(step_)].name;
    if (tiling::joins_channels(op_))
      joined(made.front());
    else
      whole_op(made);
    if (command_.out.empty()) return std::nullopt;
    return std::move(command_);
  }

 private:
  void whole_op(const std::vector<std::size_t>& made) {
    for (const std::size_t local : made) {
      const Box& box = tile_.regions.fresh[local];
      if (!box.none) command_.out.push_back(operand(local, box, 0));
    }
    if (command_.out.empty()) return;
    const Box& box = tile_.regions.fresh[made.front()];
    for (const std::size_t axis : spatial_axes()) {
      const tiling::Padding pad = tiling::tile_padding(*group_.part().network, op_, box);
      command_.pad.emplace_back(pad.before[axis], pad.after[axis]);
    }
    const std::size_t operands = tessera::operands(op_).size();
    const bool adds = is_part() && part_number() > 0;
    for (std::size_t position = 0; position < operands; ++position) {
      // The sums of the parts before are the operand of the first fused function.
      if (adds && position == op_.inputs.size()) continue;
      command_.in.push_back(read(position, box));
    }
    if (is_part()) sums(adds, box);
  }

  [[nodiscard]] std::vector<std::size_t> spatial_axes() const {
    std::vector<std::size_t> axes;
    if (op_.kind != OpKind::conv && op_.kind != OpKind::max_pool &&
        op_.kind != OpKind::average_pool)
      return axes;
    const std::size_t rank = group_.part().network->tensors[op_.inputs[0]].shape.size();
    for (std::size_t axis = 2; axis < rank; ++axis) axes.push_back(axis);
    return axes;
  }

  // Split reductions.
  [[nodiscard]] bool is_part() const {
    const tiling::Subgraph& part = group_.part();
    return part.own && step_ >= part.split_at && step_ < part.split_at + part.split_parts;
  }
  [[nodiscard]] Dim part_number() const { return step_ - group_.part().split_at; }

  void sums(bool adds, const Box& box) {
    const tiling::Subgraph& part = group_.part();
    Accumulate accumulate{.part = part_number(), .parts = part.split_parts, .sums = std::nullopt};
    if (adds) accumulate.sums = read(op_.inputs.size(), box);
    if (part_number() + 1 < part.split_parts) {
      // Bias and fused functions are operands of the last part.
      const Op& whole =
          group_.context().network.ops[group_.planned().ops.first + part.planned_op(step_)];
      command_.in.resize(tessera::operands(whole).size());
    }
    command_.accumulate = std::move(accumulate);
  }

  /// A concatenation copies only operands that are not in place yet.
  void joined(std::size_t made) {
    const tiling::Subgraph& part = group_.part();
    const Box& box = tile_.regions.fresh[made];
    const std::vector<tiling::Join> joins = tiling::joins_of(part, step_);
    command_.in.resize(joins.size());
    if (box.none) return;
    for (std::size_t k = 0; k < joins.size(); ++k) {
      Box copied = box;
      copied[1] = tiling::intersect(box[1], joins[k].channels);
      if (joins[k].in_place || copied[1].empty()) continue;
      command_.out.push_back(operand(made, copied, 0));
      command_.in[k] = read(k, copied);
    }
  }

  /// The part of an operand that the op reads to make `box`.
  std::optional<Operand> read(std::size_t position, const Box& box) {
    const tiling::Subgraph& part = group_.part();
    const auto& operands = part.operands_at[static_cast<std::size_t>(step_)];
    const auto found = std::ranges::find(operands, position, &tiling::LocalOperand::position);
    if (found == operands.end())
      throw Unsupported("op '" + op_.name + "' has an operand that the group does not list");
    const Box region = tiling::operand_region(*part.network, op_, position, box);
    if (region.none) return std::nullopt;
    const TensorIndex storage = part.tensors[found->local].tensor;
    const std::size_t share = group_.lowering().share_of(found->local, step_);
    if (found->seen_as == storage) return operand(found->local, region, share);
    const Network& network = *part.network;
    Operand result = operand(found->local,
                             tiling::reshaped(network.tensors[found->seen_as].shape,
                                              network.tensors[storage].shape, region),
                             share);
    result.as = {.tensor = part.planned(found->seen_as), .box = region};
    return result;
  }

  Operand operand(std::size_t local, const Box& box, std::size_t share) {
    const tiling::Subgraph& part = group_.part();
    const Place place = group_.chip_place(tile_, local, share);
    Operand result{.tensor = group_.tensor(local),
                   .box = group_.own(local, box),
                   .parts = {},
                   .element_bytes = place.element,
                   .bits = place.bits,
                   .encoded = place.encoded,
                   .buffer = {},
                   .dtype = std::nullopt,
                   .as = std::nullopt};
    result.parts = group_.chip_parts(tile_, local, share, result.box);
    if (result.parts.size() == 1) result.buffer = result.parts.front().buffer;
    if (result.encoded > 0) result.parts.front().address = place.at.address;
    const ElementType type = part.tensor(local).type;
    if (type != group_.context().network.tensors[result.tensor].type) result.dtype = type;
    return result;
  }

  const Group& group_;
  const TileAt& tile_;
  Step step_;
  const Op& op_;
  Command command_;
};

/// Copies of `box` into a place, from wherever it is in this tile.
void add_copies(const Group& group, const TileAt& tile, std::size_t local, std::size_t share,
                const Box& box, const Place& to, std::vector<Copy>& copies) {
  if (box.none) return;
  for (const Part& part : group.chip_parts(tile, local, share, box)) {
    Place from{.at = {part.memory, part.address}, .content = part.box, .strides = part.strides};
    from.brick = part.brick;
    from.element = to.element;
    for (Copy& copy : transfer(from, to, part.box)) copies.push_back(std::move(copy));
  }
}

}  // namespace

std::optional<Command> compute_of(const Group& group, const TileAt& tile, Step step) {
  return Computing(group, tile, step).run();
}

std::vector<Copy> halo_copies(const Group& group, const TileAt& tile, std::size_t local,
                              std::size_t share) {
  std::vector<Copy> copies;
  const Box& needed = tile.regions.needed[local];
  if (needed.none || tile.index + 1 >= group.tiles()) return copies;
  const auto h = group.axis_along(tiling::TileAxis::height, local);
  const auto w = group.axis_along(tiling::TileAxis::width, local);
  const TileAt next = group.tile(tile.index + 1);
  const bool same_row =
      next.position[0] == tile.position[0] && next.position[1] == tile.position[1];
  if (same_row && w) {
    const auto [rows, columns] = next.regions.kept[local];
    Box box = next.regions.needed[local];
    if (h) box[*h].begin += rows;
    box[*w].end = box[*w].begin + columns;
    box = tiling::intersect(tiling::tidy(box), needed);
    if (const auto to = group.halo_place(next, local, share, tiling::BufferRole::columns))
      add_copies(group, tile, local, share, box, *to, copies);
  }
  // The first tile of the next row of tiles tells which rows that row reuses.
  const std::int64_t row = tile.index - tile.position[2] + group.row_length();
  if (!h || row >= group.tiles()) return copies;
  if (same_row && !w) return copies;  // the next tile needs the same rows
  const TileAt below = group.tile(row);
  if (below.position[0] != tile.position[0]) return copies;
  Box box = needed;
  const Box& wanted = below.regions.needed[local];
  if (wanted.none) return copies;
  box[*h] = tiling::intersect(needed[*h],
                              {wanted[*h].begin, wanted[*h].begin + below.regions.kept[local][0]});
  if (w && same_row && !next.regions.needed[local].none)
    box[*w].end = std::min(box[*w].end, next.regions.needed[local][*w].begin);
  if (const auto to = group.halo_place(below, local, share, tiling::BufferRole::rows))
    add_copies(group, tile, local, share, tiling::tidy(box), *to, copies);
  return copies;
}

}  // namespace tessera::commands
