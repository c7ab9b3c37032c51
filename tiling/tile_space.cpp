// The axes of a subgraph that can be cut, and the axes of every tensor that move with them.
#include <algorithm>
#include <bitset>
#include <tuple>

#include "tiling/op_region.h"
#include "tiling/propagate.h"

namespace tessera::tiling {
namespace {

/// W is the last axis, H the one before it, C the one before that, for NCHW feature maps as for
/// rows and columns of matrices.
std::optional<std::size_t> axis_of(std::size_t rank, std::size_t tile_axis) {
  const std::size_t from_end = tile_axes - tile_axis;
  if (rank < from_end) return std::nullopt;
  return rank - from_end;
}

/// The axis of a leaving tensor without reader along which its op can produce a slice.
std::optional<std::size_t> cut_axis(const Subgraph& subgraph, std::size_t t,
                                    std::size_t tile_axis) {
  const std::vector<Dim>& shape = subgraph.tensor(t).shape;
  const std::optional<std::size_t> axis = axis_of(shape.size(), tile_axis);
  if (!axis || shape[*axis] < 2) return std::nullopt;
  const Op& op = subgraph.op(*subgraph.tensors[t].producer);
  if (op.kind == OpKind::opaque) return std::nullopt;
  Box slice = whole(shape);
  slice[*axis] = {0, 1};
  return widen(*subgraph.network, op, slice) == slice ? axis : std::nullopt;
}

std::size_t find_anchor(const Subgraph& subgraph) {
  std::optional<std::size_t> best;
  const auto better = [&](std::size_t t) {
    const auto rank = [&](std::size_t u) {
      return std::tuple(subgraph.tensors[u].consumers.empty(),
                        element_count(subgraph.tensor(u).shape).value_or(0),
                        *subgraph.tensors[u].producer);
    };
    return !best || rank(t) >= rank(*best);
  };
  for (std::size_t t = 0; t < subgraph.tensors.size(); ++t)
    if (subgraph.tensors[t].leaves && better(t)) best = t;
  return best.value_or(0);
}

/// Produces given parts of the leaving tensors without reader, and nothing else.
struct Probe {
  const std::vector<Box>& ends;
  void store(std::size_t t, Box& needed) const { needed = hull(needed, ends[t]); }
  static Box fresh(std::size_t, const Box& needed) { return needed; }
  static bool read(const LocalOperand&, const Box&) { return true; }
};

/// extent * at / pieces, rounded down, without overflow.
/// require: 0 <= at <= pieces.
Dim share_of(Dim extent, Dim at, Dim pieces) {
  __extension__ using Wide = __int128;
  return static_cast<Dim>(static_cast<Wide>(extent) * at / pieces);
}

/// The needs of slices of the end tensors, one after the other in the same memory.
class Slices {
 public:
  /// Each end is cut along its own axis.
  /// require: all arguments outlive this.
  Slices(const Subgraph& subgraph, const std::vector<std::optional<std::size_t>>& cut,
         std::size_t anchor)
      : subgraph_(subgraph), cut_(cut), anchor_(anchor) {}

  /// The needed regions of slice `at` of `pieces`, valid until the next call.
  const std::vector<Box>& needed(Dim at, Dim pieces) {
    ends_.clear();
    for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t) {
      const std::vector<Dim>& shape = subgraph_.tensor(t).shape;
      const LocalTensor& local = subgraph_.tensors[t];
      const bool end = t == anchor_ || (local.leaves && local.consumers.empty());
      // An end that cannot be cut is produced by the first slice alone.
      const bool made = end && (cut_[t] || at == 0);
      ends_.push_back(made ? whole(shape) : nothing(shape.size()));
      if (end && cut_[t]) {
        const Dim extent = shape[*cut_[t]];
        const Dim begin = share_of(extent, at, pieces);
        ends_.back()[*cut_[t]] = {begin, std::max(begin + 1, share_of(extent, at + 1, pieces))};
      }
    }
    propagate(subgraph_, Probe{ends_}, regions_);
    return regions_.needed;
  }

 private:
  const Subgraph& subgraph_;
  const std::vector<std::optional<std::size_t>>& cut_;
  std::size_t anchor_;
  std::vector<Box> ends_;
  TileRegions regions_;
};

/// Does an op compute one coordinate of its input from several coordinates of its output, or from
/// another one?
bool mixes_axes(const Subgraph& subgraph) {
  for (std::size_t step = 0; step < subgraph.steps(); ++step) {
    const Op& op = subgraph.op(static_cast<Step>(step));
    switch (op.kind) {
      case OpKind::depth_to_space:
      case OpKind::space_to_depth:
      case OpKind::reshape:
      case OpKind::transpose:
        return true;
      case OpKind::matmul:
        if (op.transpose_a || op.transpose_b) return true;
        break;
      default:
        break;
    }
    for (const LocalOperand& operand : subgraph.operands_at[step])
      if (subgraph.network->tensors[operand.seen_as].view_of) return true;
  }
  return false;
}

/// May a tensor be needed in some tiles and not in others?
bool comes_and_goes(const Subgraph& subgraph) {
  for (std::size_t step = 0; step < subgraph.steps(); ++step) {
    const OpKind kind = subgraph.op(static_cast<Step>(step)).kind;
    if (kind == OpKind::pad || kind == OpKind::slice || kind == OpKind::concat) return true;
  }
  return false;
}

/// Begin, middle and end show how an axis moves. For irregular ops, the pattern inside a block of
/// positions also matters.
std::vector<Dim> probe_positions(Dim extent, bool irregular) {
  const Dim around = irregular ? 16 : 1;
  std::vector<Dim> positions;
  for (const Dim from : {Dim{0}, extent / 2 - around / 2, extent - around})
    for (Dim at = from; at < from + around; ++at)
      if (at >= 0 && at < extent && (positions.empty() || positions.back() < at))
        positions.push_back(at);
  return positions;
}

/// Limit on slices of an axis to try.
constexpr Dim most_slices = 64;

struct Movement {
  std::vector<std::optional<std::size_t>> follows;  ///< the first axis that moves
  std::vector<AxisSet> moving;                      ///< all axes that move
};

/// The axes on which a tensor's region differs between slices of the ends and the whole.
Movement find_movement(const Subgraph& subgraph, std::size_t anchor, std::size_t tile_axis,
                       const std::optional<std::size_t>& anchor_axis) {
  const std::size_t count = subgraph.tensors.size();
  Movement found{std::vector<std::optional<std::size_t>>(count), std::vector<AxisSet>(count)};
  if (!anchor_axis) return found;
  for (std::size_t t = 0; t < count; ++t) {
    const LocalTensor& local = subgraph.tensors[t];
    if (local.leaves && local.consumers.empty() && local.producer)
      found.follows[t] = cut_axis(subgraph, t, tile_axis);
  }
  found.follows[anchor] = anchor_axis;
  const std::vector<std::optional<std::size_t>> cut = found.follows;
  const Dim extent = subgraph.tensor(anchor).shape[*anchor_axis];
  Slices slices(subgraph, cut, anchor);
  const std::vector<Box> all = slices.needed(0, 1);
  std::vector<bool> seen(count);
  const auto look = [&](Dim at, Dim pieces) {
    const std::vector<Box>& part = slices.needed(at, pieces);
    for (std::size_t t = 0; t < count; ++t) {
      if (part[t].none || all[t].none) continue;
      for (std::size_t axis = 0; axis < part[t].rank; ++axis) {
        if (part[t][axis] == all[t][axis]) continue;
        seen[t] = true;
        found.moving[t].set(axis);
        if (!found.follows[t]) found.follows[t] = axis;
      }
      if (pieces == extent) seen[t] = true;
    }
  };
  const bool irregular = comes_and_goes(subgraph);
  for (const Dim at : probe_positions(extent, mixes_axes(subgraph) || irregular)) look(at, extent);
  // A tensor joined with many others may be needed at none of these positions: then try a few
  // slices.
  const auto never_needed = [&] {
    for (std::size_t t = 0; t < count; ++t)
      if (!seen[t] && !all[t].none) return true;
    return false;
  };
  for (Dim pieces = 2; irregular && pieces < extent && pieces <= most_slices && never_needed();
       pieces *= 2)
    for (Dim at = 0; at < pieces; ++at) look(at, pieces);
  return found;
}

bool sees_neighbours(const Op& op) {
  switch (op.kind) {
    case OpKind::conv:
    case OpKind::max_pool:
    case OpKind::average_pool:
      for (std::size_t axis = 0; axis < op.kernel.size(); ++axis)
        if (op.dilation[axis] * (op.kernel[axis] - 1) + 1 > op.stride[axis]) return true;
      return false;
    case OpKind::conv_transpose:
    case OpKind::resize:
      return true;
    case OpKind::pad:
      return !op.function.empty() && op.function != "constant";
    default:
      return false;
  }
}

/// Is every range of every tensor moved by at most one tile axis and never empty? Only then does a
/// tile know from its position along each axis what its neighbours hold.
bool is_regular(const Subgraph& subgraph) {
  if (mixes_axes(subgraph) || std::ranges::count(subgraph.tensors, true, &LocalTensor::leaves) != 1)
    return false;
  for (std::size_t step = 0; step < subgraph.steps(); ++step) {
    const Op& op = subgraph.op(static_cast<Step>(step));
    switch (op.kind) {
      case OpKind::conv:
      case OpKind::max_pool:
      case OpKind::average_pool:
        for (std::size_t axis = 0; axis < op.kernel.size(); ++axis)
          if (std::max(op.pad_begin[axis], op.pad_end[axis]) >
              op.dilation[axis] * (op.kernel[axis] - 1))
            return false;
        break;
      case OpKind::elementwise:
      case OpKind::batch_norm:
      case OpKind::softmax:
      case OpKind::normalize:
      case OpKind::matmul:
      case OpKind::reduce:
      case OpKind::resize:
        break;
      default:
        return false;
    }
  }
  return true;
}

std::vector<bool> find_halos(const Subgraph& subgraph) {
  std::vector<bool> halo(subgraph.tensors.size());
  if (!is_regular(subgraph)) return halo;
  std::vector<int> readers(subgraph.tensors.size());
  for (std::size_t step = 0; step < subgraph.steps(); ++step)
    for (const LocalOperand& operand : subgraph.operands_at[step]) {
      if (subgraph.tensors[operand.local].weight) continue;
      // Readers that work on different parts at a time leave gaps between them.
      const bool several = ++readers[operand.local] > 1;
      const bool neighbours =
          operand.position == 0 && sees_neighbours(subgraph.op(static_cast<Step>(step)));
      if (several || neighbours) halo[operand.local] = true;
    }
  return halo;
}

}  // namespace

TileSpace tile_space(const Subgraph& subgraph) {
  TileSpace space;
  const std::size_t count = subgraph.tensors.size();
  std::vector<AxisSet> seen(count);
  space.entangled.resize(count);
  space.anchor = find_anchor(subgraph);
  for (std::size_t a = 0; a < tile_axes; ++a) {
    const std::optional<std::size_t> axis = cut_axis(subgraph, space.anchor, a);
    space.axis[a] = axis;
    if (axis) space.whole.extent[a] = subgraph.tensor(space.anchor).shape[*axis];
    Movement movement = find_movement(subgraph, space.anchor, a, axis);
    space.follows[a] = std::move(movement.follows);
    for (std::size_t t = 0; t < count; ++t) {
      space.entangled[t] |= seen[t] & movement.moving[t];
      seen[t] |= movement.moving[t];
    }
    space.moving[a] = std::move(movement.moving);
  }
  // One axis of a tensor follows one tile axis, because stored parts have to be boxes.
  for (std::size_t t = 0; t < count; ++t)
    for (std::size_t a = 1; a < tile_axes; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (space.follows[a][t] && space.follows[a][t] == space.follows[b][t])
          space.follows[a][t].reset();
  space.has_halo = find_halos(subgraph);
  return space;
}

}  // namespace tessera::tiling
