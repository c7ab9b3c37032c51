#include "cost/tile_sequence.h"

#include <array>
#include <cstddef>
#include <utility>

namespace tessera::cost {
namespace {

/// Consecutive rounds of a loop, and how many of them are equal.
struct Stretch {
  std::size_t begin = 0;
  std::size_t length = 0;
};

template <typename Kind>
Stretch longest_stretch(std::size_t count, const Kind& kind) {
  Stretch best;
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin;
    while (end < count && kind(end) == kind(begin)) ++end;
    if (end - begin > best.length) best = {begin, end - begin};
    begin = end;
  }
  return best;
}

class Rounds {
 public:
  Rounds(const tiling::TileWalk& walk, const tiling::TileGrid& grid) : walk_(walk), grid_(grid) {
    for (std::size_t loop = 0; loop < tiling::tile_axes; ++loop)
      counts_[loop] = static_cast<std::size_t>(grid.counts[walk.order()[loop]]);
  }

  void put(Pipeline& pipeline) const {
    const std::size_t rows = counts_[0] * counts_[1];
    const Stretch inner = longest_stretch(rows, [&](std::size_t row) { return row_kind(row); });
    const Stretch outer = longest_stretch(
        counts_[0], [&](std::size_t k) { return std::pair(class_of(0, k), is_first(k)); });
    // Parts that do not repeat are stepped through row by row.
    const bool by_rows = inner.length + 1 >= outer.length * counts_[1];
    const std::size_t begin = by_rows ? inner.begin : outer.begin * counts_[1];
    const std::size_t size = by_rows ? 1 : counts_[1];
    const std::size_t times = by_rows ? inner.length : outer.length;
    for (std::size_t row = 0; row < begin; ++row) append(row, pipeline.before);
    for (std::size_t row = begin; row < begin + size; ++row) append(row, pipeline.sequence);
    pipeline.repeat = static_cast<std::int64_t>(times);
    for (std::size_t row = begin + size * times; row < rows; ++row) append(row, pipeline.after);
  }

 private:
  [[nodiscard]] std::uint32_t class_of(std::size_t loop, std::size_t position) const {
    return grid_.classes[walk_.order()[loop]][position];
  }
  /// First round of the outermost loop; matters only if data stays on chip between tiles.
  [[nodiscard]] bool is_first(std::size_t round) const {
    std::array<Dim, tiling::tile_axes> at{};
    at[walk_.order()[0]] = static_cast<Dim>(round);
    return walk_.level_at(at) == tiling::TileLevel::first;
  }
  /// Rows of one kind have the same tiles.
  [[nodiscard]] std::array<std::uint32_t, 3> row_kind(std::size_t row) const {
    const std::size_t outer = row / counts_[1];
    const std::size_t middle = row % counts_[1];
    return {class_of(0, outer), class_of(1, middle),
            static_cast<std::uint32_t>(walk_.level_at(position(outer, middle, 0)))};
  }
  [[nodiscard]] std::array<Dim, tiling::tile_axes> position(std::size_t outer, std::size_t middle,
                                                            std::size_t inner) const {
    std::array<Dim, tiling::tile_axes> at{};
    at[walk_.order()[0]] = static_cast<Dim>(outer);
    at[walk_.order()[1]] = static_cast<Dim>(middle);
    at[walk_.order()[2]] = static_cast<Dim>(inner);
    return at;
  }
  void append(std::size_t row, std::vector<TileRun>& runs) const {
    const std::size_t before = runs.size();
    for (std::size_t inner = 0; inner < counts_[2]; ++inner) {
      const std::size_t visit = walk_.at(position(row / counts_[1], row % counts_[1], inner));
      if (runs.size() > before && runs.back().tile_class == visit)
        ++runs.back().count;
      else
        runs.push_back({visit, 1});
    }
  }

  const tiling::TileWalk& walk_;
  const tiling::TileGrid& grid_;
  std::array<std::size_t, tiling::tile_axes> counts_{};  ///< by loop
};

}  // namespace

void set_sequence(const tiling::TileWalk& walk, const tiling::TileGrid& grid, Pipeline& pipeline) {
  Rounds(walk, grid).put(pipeline);
}

}  // namespace tessera::cost
