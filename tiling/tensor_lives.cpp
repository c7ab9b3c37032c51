#include "tiling/tensor_lives.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

namespace tessera::tiling {
namespace {

constexpr Step never = -1;

/// A box whose bytes are all live at the same steps.
struct Cell {
  Box box;
  StepRange live;
};

/// The tensor, cut at every border of an access.
class Cells {
 public:
  Cells(const std::vector<Dim>& shape, std::span<const BoxAccess> accesses) : rank_(shape.size()) {
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < rank_; ++axis) {
      std::vector<Dim>& cuts = cuts_[axis];
      cuts = {0, shape[axis]};
      for (const BoxAccess& access : accesses) {
        if (access.box.none) continue;
        cuts.push_back(access.box[axis].begin);
        cuts.push_back(access.box[axis].end);
      }
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      count *= cuts.size() - 1;
      if (count > most_cells) {
        count = 0;
        break;
      }
    }
    uses_.resize(count);
  }

  [[nodiscard]] bool too_many() const { return uses_.empty(); }

  void touch(const BoxAccess& access) {
    if (access.box.none) return;
    std::array<std::size_t, max_rank> first{};
    std::array<std::size_t, max_rank> last{};
    for (std::size_t axis = 0; axis < rank_; ++axis) {
      first[axis] = place_of(axis, access.box[axis].begin);
      last[axis] = place_of(axis, access.box[axis].end);
    }
    std::array<std::size_t, max_rank> at = first;
    do {
      Use& use = uses_[index(at)];
      if (use.first == never) use.first = access.step;
      use.last = std::max(use.last, access.step);
    } while (next(at, first, last));
  }

  [[nodiscard]] std::vector<Cell> list(const OutsideLife& outside) const {
    std::vector<Cell> cells;
    std::array<std::size_t, max_rank> first{};
    std::array<std::size_t, max_rank> last{};
    for (std::size_t axis = 0; axis < rank_; ++axis) last[axis] = cuts_[axis].size() - 1;
    std::array<std::size_t, max_rank> at = first;
    do {
      const Use& use = uses_[index(at)];
      Step lower = use.first;
      Step upper = use.last + 1;
      if (outside.to) upper = std::max(upper, *outside.to);
      if (outside.from) lower = *outside.from;
      if (lower == never) continue;  // never accessed
      if (upper <= lower) upper = lower + 1;
      Cell cell{.box = {}, .live = {lower, upper}};
      cell.box.rank = rank_;
      cell.box.none = false;
      for (std::size_t axis = 0; axis < rank_; ++axis)
        cell.box[axis] = {cuts_[axis][at[axis]], cuts_[axis][at[axis] + 1]};
      cells.push_back(cell);
    } while (next(at, first, last));
    return cells;
  }

 private:
  struct Use {
    Step first = never;
    Step last = never;
  };

  [[nodiscard]] std::size_t place_of(std::size_t axis, Dim cut) const {
    return static_cast<std::size_t>(std::lower_bound(cuts_[axis].begin(), cuts_[axis].end(), cut) -
                                    cuts_[axis].begin());
  }
  [[nodiscard]] std::size_t index(const std::array<std::size_t, max_rank>& at) const {
    std::size_t result = 0;
    for (std::size_t axis = 0; axis < rank_; ++axis)
      result = result * (cuts_[axis].size() - 1) + at[axis];
    return result;
  }
  /// The next cell between `first` and `last`, the last axis fastest.
  [[nodiscard]] bool next(std::array<std::size_t, max_rank>& at,
                          const std::array<std::size_t, max_rank>& first,
                          const std::array<std::size_t, max_rank>& last) const {
    for (std::size_t axis = rank_; axis-- > 0;) {
      if (++at[axis] < last[axis]) return true;
      at[axis] = first[axis];
    }
    return false;
  }

  std::size_t rank_;
  std::array<std::vector<Dim>, max_rank> cuts_;
  std::vector<Use> uses_;
};

/// Joins cells with equal live steps that are adjacent along an axis and equal along the others.
void join_along(std::size_t axis, std::vector<Cell>& cells) {
  const auto key = [axis](const Cell& cell) {
    std::array<Dim, 2 * max_rank + 3> all{};
    std::size_t k = 0;
    all[k++] = cell.live.lower;
    all[k++] = cell.live.upper;
    for (std::size_t other = 0; other < cell.box.rank; ++other) {
      if (other == axis) continue;
      all[k++] = cell.box[other].begin;
      all[k++] = cell.box[other].end;
    }
    return all;
  };
  std::sort(cells.begin(), cells.end(), [&](const Cell& x, const Cell& y) {
    return std::pair(key(x), x.box[axis].begin) < std::pair(key(y), y.box[axis].begin);
  });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (kept > 0 && key(cells[kept - 1]) == key(cells[k]) &&
        cells[kept - 1].box[axis].end == cells[k].box[axis].begin)
      cells[kept - 1].box[axis].end = cells[k].box[axis].end;
    else
      cells[kept++] = cells[k];
  }
  cells.resize(kept);
}

/// Row-major: the innermost whole axes form one run, and the other axes repeat it.
BufferPart part_of(const std::vector<Dim>& shape, Size element, const Cell& cell) {
  BufferPart part{.live = {cell.live}, .offset = 0, .size = element, .repeat = {}};
  Size stride = element;
  bool one_run = true;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const Span& span = cell.box[axis];
    part.offset += span.begin * stride;
    if (one_run)
      part.size *= span.size();
    else if (span.size() > 1)
      part.repeat.push_back({span.size(), stride});
    one_run = one_run && span.size() == shape[axis];
    stride *= shape[axis];
  }
  return part;
}

}  // namespace

std::vector<BufferPart> lives_of(const std::vector<Dim>& shape, Size element,
                                 std::span<const BoxAccess> accesses, const OutsideLife& outside) {
  Cells cells(shape, accesses);
  if (cells.too_many()) return {};
  for (const BoxAccess& access : accesses) cells.touch(access);
  std::vector<Cell> list = cells.list(outside);
  for (std::size_t axis = shape.size(); axis-- > 0;) join_along(axis, list);
  std::sort(list.begin(), list.end(), [](const Cell& x, const Cell& y) {
    return std::tuple(x.live.lower, x.live.upper) < std::tuple(y.live.lower, y.live.upper);
  });
  std::vector<BufferPart> parts;
  for (const Cell& cell : list) parts.push_back(part_of(shape, element, cell));
  return parts;
}

}  // namespace tessera::tiling
