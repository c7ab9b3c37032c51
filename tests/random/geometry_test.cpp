// Geometry against brute force. For random small networks, the needs of a tile are exactly the
// smallest box around the elements it reads, found element by element from the ops' definitions.
// The parts that tiles store partition every tensor that leaves.
//
//   random_geometry_test                               10,000 networks
//   TESSERA_SEED=17 TESSERA_CASES=1 random_geometry_test   repeats one of them
#include "tiling/geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "tessera/network_shapes.h"
#include "tests/support/effort.h"
#include "tests/support/literal_ops.h"
#include "tests/support/random.h"
#include "tests/support/random_network.h"
#include "tiling/op_region.h"

namespace tessera {
namespace {

using testing::Element;
using testing::Random;
using testing::setting;

/// A set of elements of one tensor, as flags in row-major order.
class Elements {
 public:
  explicit Elements(const std::vector<Dim>& shape)
      : shape_(shape), in_(static_cast<std::size_t>(*element_count(shape))) {}

  void add(const Element& at) { in_[flat(at)] = true; }
  void add_flat(std::size_t at) { in_[at] = true; }
  [[nodiscard]] std::size_t flat(const Element& at) const {
    Dim index = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis)
      index = index * shape_[axis] + at[axis];
    return static_cast<std::size_t>(index);
  }
  void add(const tiling::Box& box) {
    if (box.none) return;
    Element begin;
    Element end;
    for (std::size_t axis = 0; axis < box.rank; ++axis) {
      begin.push_back(box[axis].begin);
      end.push_back(box[axis].end);
    }
    testing::each_element(begin, end, [&](const Element& at) { add(at); });
  }
  [[nodiscard]] tiling::Box around() const {
    tiling::Box box = tiling::nothing(shape_.size());
    testing::each_element(Element(shape_.size(), 0), shape_, [&](const Element& at) {
      if (!in_[flat(at)]) return;
      tiling::Box one = tiling::whole(shape_);
      for (std::size_t axis = 0; axis < at.size(); ++axis) one[axis] = {at[axis], at[axis] + 1};
      box = tiling::hull(box, one);
    });
    return box;
  }

 private:
  const std::vector<Dim>& shape_;
  std::vector<bool> in_;
};

std::string show(const tiling::Box& box) {
  if (box.none) return "nothing";
  std::string out;
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    out += "[" + std::to_string(box[axis].begin) + "," + std::to_string(box[axis].end) + ")";
  return out;
}

void each_in(const tiling::Box& box, const std::function<void(const Element&)>& visit) {
  if (box.none) return;
  Element begin;
  Element end;
  for (std::size_t axis = 0; axis < box.rank; ++axis) {
    begin.push_back(box[axis].begin);
    end.push_back(box[axis].end);
  }
  testing::each_element(begin, end, visit);
}

class Case {
 public:
  explicit Case(std::uint64_t seed) : random_(seed ^ 0x5eed) {
    const std::size_t ops = static_cast<std::size_t>(random_.between(1, 5));
    network_ = testing::random_network(seed, {.ops = ops, .extent = 8, .channels = 4});
    range_.first = random_.below(ops);
    range_.last = range_.first + random_.below(ops - range_.first);
    subgraph_ = tiling::make_subgraph(network_, range_);
  }

  void run() {
    tiling::TileGeometry geometry(subgraph_, HaloPolicy::recompute);
    const tiling::TileShape shape = random_shape(geometry.space());
    describe(shape);
    positions(geometry, shape, [&](const tiling::TileRegions& tile) { exact(tile); });
    partition(geometry, shape);
    origin(geometry, shape);
    volumes(geometry, shape);
    for (const HaloPolicy halo : {HaloPolicy::keep_columns, HaloPolicy::keep}) {
      tiling::TileGeometry keeping(subgraph_, halo);
      positions(keeping, shape, [&](const tiling::TileRegions& tile) { enough(tile); });
      partition(keeping, shape);
      held(keeping, shape);
    }
  }

  std::uint64_t multiplied = 0;  ///< number of shapes with a volume query

 private:
  void describe(const tiling::TileShape& shape) {
    text_ = "ops " + std::to_string(range_.first) + ".." + std::to_string(range_.last) + " (";
    for (OpIndex k = range_.first; k <= range_.last; ++k)
      text_ += std::string(to_string(network_.ops[k].kind)) + " ";
    text_ += ") tile";
    for (const Dim extent : shape.extent) text_ += " " + std::to_string(extent);
  }

  tiling::TileShape random_shape(const tiling::TileSpace& space) {
    tiling::TileShape shape = space.whole;
    for (Dim& extent : shape.extent)
      if (random_.chance(70)) extent = random_.between(1, extent);
    return shape;
  }

  template <typename Visit>
  void positions(tiling::TileGeometry& geometry, const tiling::TileShape& shape, Visit visit) {
    const tiling::TileGrid grid = geometry.grid(shape);
    const tiling::TileGeometry::Positions positions = geometry.positions(shape);
    for (Dim c = 0; c < grid.counts[0]; ++c)
      for (Dim h = 0; h < grid.counts[1]; ++h)
        for (Dim w = 0; w < grid.counts[2]; ++w) {
          const tiling::TileRegions tile = geometry.tile_at(positions, {c, h, w});
          visit(tile);
          const tiling::TileRegions& same = grid.tiles[grid.at(c, h, w)];
          for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t) {
            ASSERT_EQ(tiling::volume(tile.needed[t]), tiling::volume(same.needed[t]))
                << text_ << " " << subgraph_.tensor(t).name << " at " << c << " " << h << " " << w
                << ": " << show(tile.needed[t]) << " and " << show(same.needed[t]);
            ASSERT_EQ(tiling::volume(tile.fresh[t]), tiling::volume(same.fresh[t])) << text_;
            ASSERT_EQ(tiling::volume(tile.stored[t]), tiling::volume(same.stored[t])) << text_;
          }
          if (::testing::Test::HasFatalFailure()) return;
        }
  }

  bool through_view(std::size_t t) const {
    for (const std::vector<tiling::LocalOperand>& step : subgraph_.operands_at)
      for (const tiling::LocalOperand& operand : step)
        if (operand.local == t && network_.tensors[operand.seen_as].view_of) return true;
    return false;
  }

  /// Runs the ops backwards over sets of elements.
  void exact(const tiling::TileRegions& tile) {
    std::vector<Elements> sets;
    for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t) {
      sets.emplace_back(subgraph_.tensor(t).shape);
      sets.back().add(tile.stored[t]);
    }
    for (std::size_t step = subgraph_.steps(); step-- > 0;) {
      const Op& op = subgraph_.op(static_cast<Step>(step));
      bool anything = false;
      for (const std::size_t t : subgraph_.made_at[step]) {
        const tiling::Box wanted = sets[t].around();
        tiling::Box made = wanted;
        anything = anything || !wanted.none;
        if (!wanted.none && (op.kind == OpKind::softmax || op.kind == OpKind::normalize))
          for (const std::size_t axis : op.axes) made[axis] = {0, subgraph_.tensor(t).shape[axis]};
        // The geometry chooses the granularity of a reshape or a view.
        if (op.kind == OpKind::reshape || through_view(t)) made = tile.needed[t];
        ASSERT_TRUE(tiling::contains(made, wanted)) << text_;
        if (op.kind == OpKind::opaque) continue;
        ASSERT_EQ(made, tile.needed[t]) << text_ << ": op " << op.name << " should make "
                                        << show(made) << ", not " << show(tile.needed[t]);
        each_in(made, [&](const Element& out) { mark(op, step, out, sets); });
      }
      if (op.kind == OpKind::opaque && anything)
        mark(op, step, Element(subgraph_.tensor(subgraph_.made_at[step][0]).shape.size(), 0), sets);
    }
    for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t) {
      if (subgraph_.tensors[t].producer) continue;
      const tiling::Box touched = sets[t].around();
      if (through_view(t)) {
        ASSERT_TRUE(tiling::contains(tile.needed[t], touched)) << text_;
      } else {
        ASSERT_EQ(touched, tile.needed[t])
            << text_ << ": " << subgraph_.tensor(t).name << " is read in " << show(touched)
            << ", not " << show(tile.needed[t]);
      }
    }
  }

  void mark(const Op& op, std::size_t step, const Element& out, std::vector<Elements>& sets) {
    const std::vector<tiling::LocalOperand>& by = subgraph_.operands_at[step];
    testing::literal_reads(network_, op, out, [&](std::size_t position, const Element& at) {
      const Tensor& seen = network_.tensors[by[position].seen_as];
      if (!seen.view_of) return sets[by[position].local].add(at);
      Dim flat = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis)
        flat = flat * seen.shape[axis] + at[axis];
      sets[by[position].local].add_flat(static_cast<std::size_t>(flat));
    });
  }

  /// Volumes without regions: exact, each that of some tile, and complete; and the first tile along
  /// C grows with its extent.
  void volumes(tiling::TileGeometry& geometry, const tiling::TileShape& shape) {
    const auto of = [](const tiling::TileRegions& tile) {
      std::vector<std::int64_t> all;
      for (const tiling::Box& box : tile.fresh) all.push_back(tiling::volume(box));
      return all;
    };
    std::vector<std::int64_t> first;
    if (geometry.first_volumes(shape, first)) {
      ASSERT_EQ(first, of(geometry.first_tile(shape))) << text_;
    }
    std::vector<std::vector<std::int64_t>> largest;
    using Found = tiling::TileGeometry::Found;
    const Found found = geometry.largest_volumes(shape, false, largest);
    if (found == Found::none) return;
    ++multiplied;
    std::set<std::vector<std::int64_t>> tiles;
    for (const tiling::TileRegions& tile : geometry.grid(shape).tiles) tiles.insert(of(tile));
    for (const auto& large : largest) ASSERT_TRUE(tiles.contains(large)) << text_;
    for (const auto& tile : tiles)
      ASSERT_TRUE(found == Found::some || std::ranges::any_of(largest,
                                                              [&](const auto& large) {
                                                                return std::ranges::equal(
                                                                    large, tile,
                                                                    std::greater_equal<>());
                                                              }))
          << text_;
    std::vector<std::vector<std::int64_t>> firsts;
    std::vector<std::vector<std::int64_t>> smaller;
    const Found all_first = geometry.largest_volumes(shape, true, firsts);
    if (all_first == Found::none) return;
    for (const auto& one : firsts) ASSERT_TRUE(tiles.contains(one)) << text_;
    tiling::TileShape thin = shape;
    if (geometry.space().axis[0]) thin.extent[0] = (shape.extent[0] + 1) / 2;
    if (geometry.largest_volumes(thin, true, smaller) == Found::none) return;
    // If only some are listed, the covering one may be missing.
    for (const auto& one : smaller)
      ASSERT_TRUE(all_first == Found::some || std::ranges::any_of(firsts,
                                                                  [&](const auto& other) {
                                                                    return std::ranges::equal(
                                                                        other, one,
                                                                        std::greater_equal<>());
                                                                  }))
          << text_;
  }

  /// With halo reuse: everything an op reads is among the needs, everything stored is present.
  void enough(const tiling::TileRegions& tile) {
    for (std::size_t step = 0; step < subgraph_.steps(); ++step) {
      const Op& op = subgraph_.op(static_cast<Step>(step));
      const tiling::Box& made = tile.fresh[subgraph_.made_at[step][0]];
      for (const tiling::LocalOperand& operand : subgraph_.operands_at[step]) {
        if (network_.tensors[operand.seen_as].view_of) continue;
        const tiling::Box read = tiling::operand_region(network_, op, operand.position, made);
        ASSERT_TRUE(tiling::contains(tile.needed[operand.local], read)) << text_;
      }
    }
    for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t) {
      ASSERT_TRUE(tiling::contains(tile.needed[t], tile.fresh[t])) << text_;
      ASSERT_TRUE(tiling::contains(tile.needed[t], tile.stored[t])) << text_;
    }
  }

  /// Exactly one tile stores each element that leaves.
  void partition(tiling::TileGeometry& geometry, const tiling::TileShape& shape) {
    std::vector<std::vector<int>> times;
    for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t)
      times.emplace_back(static_cast<std::size_t>(*element_count(subgraph_.tensor(t).shape)));
    const tiling::TileGrid grid = geometry.grid(shape);
    std::int64_t total = 0;
    for (const tiling::TileRegions& tile : grid.tiles) total += tile.times;
    ASSERT_EQ(total, grid.count());
    const tiling::TileGeometry::Positions positions = geometry.positions(shape);
    for (Dim c = 0; c < grid.counts[0]; ++c)
      for (Dim h = 0; h < grid.counts[1]; ++h)
        for (Dim w = 0; w < grid.counts[2]; ++w) {
          const tiling::TileRegions tile = geometry.tile_at(positions, {c, h, w});
          for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t) {
            const Elements flat(subgraph_.tensor(t).shape);
            each_in(tile.stored[t], [&](const Element& at) { ++times[t][flat.flat(at)]; });
          }
        }
    for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t)
      for (const int count : times[t])
        ASSERT_EQ(count, subgraph_.tensors[t].leaves ? 1 : 0)
            << text_ << ": an element of " << subgraph_.tensor(t).name;
  }

  /// Needed elements that are neither loaded nor made were in memory for the tile to the left or
  /// above.
  void held(tiling::TileGeometry& geometry, const tiling::TileShape& shape) {
    const tiling::TileGrid grid = geometry.grid(shape);
    const tiling::TileGeometry::Positions positions = geometry.positions(shape);
    for (Dim h = 0; h < grid.counts[1]; ++h)
      for (Dim w = 0; w < grid.counts[2]; ++w) {
        const tiling::TileRegions tile = geometry.tile_at(positions, {0, h, w});
        for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t) {
          rest(geometry, tile, t);
          if (tile.fresh[t] == tile.needed[t]) continue;
          std::vector<bool> there(
              static_cast<std::size_t>(*element_count(subgraph_.tensor(t).shape)));
          const Elements flat(subgraph_.tensor(t).shape);
          const auto bring = [&](const tiling::Box& box) {
            each_in(box, [&](const Element& at) { there[flat.flat(at)] = true; });
          };
          bring(tile.fresh[t]);
          if (w > 0) bring(geometry.tile_at(positions, {0, h, w - 1}).needed[t]);
          for (Dim k = 0; h > 0 && k < grid.counts[2]; ++k)
            bring(geometry.tile_at(positions, {0, h - 1, k}).needed[t]);
          each_in(tile.needed[t], [&](const Element& at) {
            ASSERT_TRUE(there[flat.flat(at)]) << text_ << ": " << subgraph_.tensor(t).name;
          });
        }
      }
  }

  /// Needs minus kept rows and columns are fresh.
  void rest(const tiling::TileGeometry& geometry, const tiling::TileRegions& tile, std::size_t t) {
    tiling::Box box = tile.needed[t];
    for (std::size_t a = 1; a < tiling::tile_axes && !tile.kept.empty(); ++a) {
      const auto along = geometry.space().follows[a][t];
      if (along) box[*along].begin += tile.kept[t][a - 1];
    }
    ASSERT_EQ(tiling::tidy(box), tile.fresh[t]) << text_ << ": " << subgraph_.tensor(t).name;
  }

  /// The bound used for pruning.
  void origin(tiling::TileGeometry& geometry, const tiling::TileShape& shape) {
    const tiling::TileRegions bound = geometry.first_tile(shape);
    const tiling::TileRegions tile = geometry.tile_at(shape, {0, 0, 0});
    tiling::TileShape larger = shape;
    for (std::size_t a = 0; a < tiling::tile_axes; ++a)
      larger.extent[a] = random_.between(shape.extent[a], geometry.space().whole.extent[a]);
    const tiling::TileRegions grown = geometry.first_tile(larger);
    for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t) {
      ASSERT_TRUE(tiling::contains(tile.needed[t], bound.needed[t])) << text_;
      ASSERT_TRUE(tiling::contains(grown.needed[t], bound.needed[t])) << text_;
    }
  }

  Random random_;
  Network network_;
  OpRange range_;
  tiling::Subgraph subgraph_;
  std::string text_;
};

TEST(Geometry, AgreesWithEveryElement) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(10000));
  std::uint64_t multiplied = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Case one(seed);
    one.run();
    multiplied += one.multiplied;
    ASSERT_FALSE(HasFatalFailure())
        << "repeat with TESSERA_SEED=" << seed << " TESSERA_CASES=1 random_geometry_test";
  }
  EXPECT_GE(multiplied, cases / 4) << "the quick way is hardly tested";
}

}  // namespace
}  // namespace tessera
