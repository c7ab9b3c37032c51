#include "cost/axis_needs.h"

#include <algorithm>
#include <limits>

#include "cost/group_parts.h"
#include "tiling/windows.h"

namespace tessera::cost {
namespace {

/// The elements of the input that the output elements `made` depend on.
tiling::Span read_along(Follows how, const Op& op, std::size_t axis, const tiling::Span& made,
                        Dim in, Dim out) {
  switch (how) {
    case Follows::window:
      return tiling::window_input(tiling::window_on(op, axis - 2), made, in);
    case Follows::transposed:
      return tiling::transposed_window_input(tiling::window_on(op, axis - 2), made, in);
    case Follows::resized:
      return tiling::resized_input(op.resize, made, in, out);
    case Follows::padded:
      return tiling::padded_input(op.function, op.pad_begin[axis], made, in);
    case Follows::whole:
      return {0, in};
    default:
      return made;
  }
}

/// Calls visit(span) with the elements that each tile of `extent` rows needs at least.
template <typename Visit>
void each_tile(const Rows& rows, Dim extent, const Visit& visit) {
  const auto end = static_cast<Dim>(rows.size());
  for (Dim first = 0; first < end; first += extent) {
    const tiling::Span& begin = rows[static_cast<std::size_t>(first)];
    const tiling::Span& last = rows[static_cast<std::size_t>(std::min(end, first + extent) - 1)];
    visit(tiling::hull(begin, last));
  }
}

/// Maps `made` through a window and clips the result to the tensor.
Slide slide(const Slide& made, const tiling::Window& window, Dim extent) {
  Slide read = made;
  read.step = made.step * window.stride;
  read.at_zero = tiling::window_reach(window, made.at_zero);
  read.gaps = made.gaps || tiling::window_reach(window, {0, 1}).size() < window.stride;
  if (read.step == 0) {
    read.at_zero = tiling::intersect(read.at_zero, tiling::Span{0, extent});
    return read.at_zero.empty() ? Slide{} : read;
  }
  const auto not_below = [](Dim a, Dim b) { return a > 0 ? (a + b - 1) / b : 0; };
  read.lower = std::max(read.lower, not_below(-read.at_zero.begin, read.step));
  if (read.at_zero.end > extent) return {};
  read.upper = std::min(read.upper, (extent - read.at_zero.end) / read.step + 1);
  return read.known() ? read : Slide{};
}

}  // namespace

bool four_axes(const Tensor& tensor) {
  return tensor.shape.size() == 4;
}

Follows follows(const Network& network, const Op& op, const tiling::LocalOperand& operand,
                std::size_t axis) {
  const Tensor& in = network.tensors[operand.seen_as];
  const Tensor& out = network.tensors[op.outputs[0]];
  if (in.view_of || !four_axes(in) || !four_axes(out) || op.outputs.size() != 1)
    return Follows::unknown;
  const bool same = in.shape[axis] == out.shape[axis];
  const Follows broadcast = same                  ? Follows::same
                            : in.shape[axis] == 1 ? Follows::whole
                                                  : Follows::unknown;
  if (op.kind == OpKind::opaque) return Follows::unknown;
  if (operand.position >= op.inputs.size()) return broadcast;
  switch (op.kind) {
    case OpKind::conv:
    case OpKind::max_pool:
    case OpKind::average_pool:
      return operand.position == 0 ? Follows::window : Follows::unknown;
    case OpKind::conv_transpose:
      return operand.position == 0 ? Follows::transposed : Follows::unknown;
    case OpKind::resize:
      return operand.position == 0 ? Follows::resized : Follows::unknown;
    case OpKind::pad:
      return operand.position == 0 ? Follows::padded : Follows::unknown;
    case OpKind::elementwise:
      return broadcast;
    case OpKind::batch_norm:
      return operand.position == 0 && same ? Follows::same : Follows::unknown;
    case OpKind::concat:
      return names_axis(op, channel_axis) && same ? Follows::same : Follows::unknown;
    case OpKind::softmax:
    case OpKind::normalize:
    case OpKind::reduce:
      if (operand.position != 0) return Follows::unknown;
      return names_axis(op, axis) ? Follows::whole : same ? Follows::same : Follows::unknown;
    default:
      return Follows::unknown;
  }
}

std::vector<Rows> row_needs(const tiling::Subgraph& part, const tiling::TileSpace& space,
                            std::size_t axis) {
  const Network& network = *part.network;
  const auto rows = static_cast<std::size_t>(part.tensor(space.anchor).shape[axis]);
  std::vector<Rows> needs(part.tensors.size());
  needs[space.anchor].resize(rows);
  for (std::size_t r = 0; r < rows; ++r)
    needs[space.anchor][r] = {static_cast<Dim>(r), static_cast<Dim>(r) + 1};
  each_read(part, axis,
            [&](const Op& op, std::size_t of, const tiling::LocalOperand& operand, Follows how) {
              const Rows& made = needs[of];
              if (made.empty()) return;
              const Dim in = network.tensors[operand.seen_as].shape[axis];
              const Dim out = network.tensors[op.outputs[0]].shape[axis];
              Rows& needed = needs[operand.local];
              needed.resize(rows);
              for (std::size_t r = 0; r < rows; ++r) {
                if (made[r].empty()) continue;
                needed[r] = tiling::hull(needed[r], read_along(how, op, axis, made[r], in, out));
              }
            });
  return needs;
}

Dim needed_by_tiles(const Rows& rows, Dim extent) {
  Dim sum = 0;
  each_tile(rows, extent, [&](const tiling::Span& needed) { sum += needed.size(); });
  return sum;
}

std::vector<Dim> needed_once(const tiling::Subgraph& part, const tiling::TileSpace& space,
                             std::size_t axis) {
  const Network& network = *part.network;
  std::vector<std::vector<bool>> needed(part.tensors.size());
  needed[space.anchor].assign(static_cast<std::size_t>(part.tensor(space.anchor).shape[axis]),
                              true);
  each_read(part, axis,
            [&](const Op& op, std::size_t of, const tiling::LocalOperand& operand, Follows how) {
              const std::vector<bool>& made = needed[of];
              if (made.empty()) return;
              const Dim in = network.tensors[operand.seen_as].shape[axis];
              std::vector<bool>& read = needed[operand.local];
              read.resize(static_cast<std::size_t>(in));
              for (std::size_t r = 0; r < made.size(); ++r) {
                if (!made[r]) continue;
                const auto row = static_cast<Dim>(r);
                const tiling::Span span =
                    read_along(how, op, axis, {row, row + 1}, in, static_cast<Dim>(made.size()));
                for (Dim k = span.begin; k < span.end; ++k)
                  read[static_cast<std::size_t>(k)] = true;
                if (how == Follows::whole) break;
              }
            });
  std::vector<Dim> once;
  for (const std::vector<bool>& rows : needed)
    once.push_back(static_cast<Dim>(std::ranges::count(rows, true)));
  return once;
}

double loaded_by_tiles(const Rows& columns, Dim extent, Size element, Size row, Size burst) {
  double sum = 0;
  each_tile(columns, extent, [&](const tiling::Span& needed) {
    const Size bytes = needed.size() * element;
    sum += static_cast<double>(std::min(row, (bytes + burst - 1) / burst * burst));
  });
  return sum;
}

std::vector<Slide> slides(const tiling::Subgraph& part, const tiling::TileSpace& space,
                          std::size_t axis, Dim rows) {
  const Network& network = *part.network;
  std::vector<Slide> needs(part.tensors.size());
  needs[space.anchor] = {.lower = 0, .upper = rows, .step = 1, .at_zero = {0, 1}};
  each_read(part, axis,
            [&](const Op& op, std::size_t of, const tiling::LocalOperand& operand, Follows how) {
              const Slide& made = needs[of];
              if (!made.known()) return;
              const Dim extent = network.tensors[operand.seen_as].shape[axis];
              Slide read = made;
              if (how == Follows::whole) {
                read.step = 0;
                read.at_zero = {0, extent};
              } else if (how == Follows::window) {
                read = slide(made, tiling::window_on(op, axis - 2), extent);
              } else if (how != Follows::same) {
                return;
              }
              Slide& needed = needs[operand.local];
              if (read.known() &&
                  (!needed.known() || read.at_zero.size() > needed.at_zero.size() ||
                   (read.at_zero.size() == needed.at_zero.size() && read.rows() > needed.rows())))
                needed = read;
            });
  return needs;
}

double needed_by_tiles(const Slide& needs, Dim extent) {
  const auto rows = static_cast<double>(needs.rows());
  const auto step = static_cast<double>(needs.step);
  const auto size = static_cast<double>(needs.at_zero.size());
  // Each tile with any of the rows needs `size` elements for its first row and `step` for each
  // further one. If rows leave gaps, tiles of a single row need least.
  const Dim tiles = size >= step ? (needs.rows() + extent - 1) / extent : needs.rows();
  return step * rows + (size - step) * static_cast<double>(tiles);
}

Dim needed_once(const Slide& needs) {
  if (!needs.known() || needs.gaps) return 0;
  const Dim size = needs.at_zero.size();
  return size + std::min(needs.step, size) * (needs.rows() - 1);
}

}  // namespace tessera::cost
