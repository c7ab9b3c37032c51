// Copies between two places of a tensor, element by element.
#include "commands/place.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "tests/support/random.h"

namespace tessera::commands {
namespace {

/// The address of an element, from the definition of places.
Offset address_of(const Place& place, const std::vector<Dim>& at) {
  Offset address = place.at.address;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const Dim k = at[axis] - place.content[axis].begin;
    if (axis == 1 && place.brick.channels > 1) {
      const Dim lane = k + place.brick.phase;
      address += lane / place.brick.channels * place.brick.stride +
                 lane % place.brick.channels * place.strides[1];
    } else {
      address += k * place.strides[axis];
    }
  }
  return address;
}

std::vector<Offset> elements(const Place& place, const tiling::Box& box) {
  std::vector<Offset> all;
  for (Dim c = box[1].begin; c < box[1].end; ++c)
    for (Dim h = box[2].begin; h < box[2].end; ++h)
      for (Dim w = box[3].begin; w < box[3].end; ++w)
        all.push_back(address_of(place, {0, c, h, w}));
  return all;
}

/// By destination: the source.
std::map<Offset, Offset> moved(const std::vector<Copy>& copies) {
  std::map<Offset, Offset> from;
  for (const Copy& copy : copies) {
    const std::size_t rank = copy.src->dims.size();
    std::vector<std::int64_t> at(rank, 0);
    for (bool more = true; more;) {
      Offset source = copy.src->address;
      Offset target = copy.dst->address;
      for (std::size_t k = 0; k < rank; ++k) {
        source += at[k] * copy.src->dims[k].stride;
        target += at[k] * copy.dst->dims[k].stride;
      }
      EXPECT_TRUE(from.emplace(target, source).second) << "written twice: " << target;
      more = false;
      for (std::size_t k = rank; k-- > 0 && !more;)
        if (++at[k] < copy.src->dims[k].count)
          more = true;
        else
          at[k] = 0;
    }
  }
  return from;
}

TEST(Places, TransfersMoveTheBoxAndSpareItsNeighbours) {
  testing::Random random(7);
  int shifted = 0;
  int two_sizes = 0;
  for (int round = 0; round < 4000; ++round) {
    const Tensor tensor{.name = "t", .shape = {1, random.between(1, 40), 3, 2}};
    const Layout rows{.order = {0, 2, 3, 1}};
    const auto place = [&](Offset address) {
      const Layout bricks{.order = {0, 1, 2, 3},
                          .brick = random.pick(std::vector<Dim>{2, 3, 4, 16})};
      tiling::Box content = tiling::whole(tensor.shape);
      if (random.chance(50)) content[1].begin = random.between(0, tensor.shape[1] - 1);
      if (random.chance(50)) content[1].end = random.between(content[1].begin + 1, tensor.shape[1]);
      return laid_out({0, address}, tensor, content, random.chance(80) ? bricks : rows);
    };
    const Place from = place(0);
    const Place to = place(100'000);
    tiling::Box box = tiling::intersect(from.content, to.content);
    if (box.none) continue;
    if (random.chance(50)) box[1].begin = random.between(box[1].begin, box[1].end - 1);
    if (random.chance(50)) box[1].end = random.between(box[1].begin + 1, box[1].end);
    if (random.chance(50)) box[2] = {1, 3};
    SCOPED_TRACE("round " + std::to_string(round));
    const std::map<Offset, Offset> copied = moved(transfer(from, to, box));
    const std::vector<Offset> sources = elements(from, box);
    const std::vector<Offset> targets = elements(to, box);
    for (std::size_t k = 0; k < targets.size(); ++k) {
      ASSERT_TRUE(copied.contains(targets[k]));
      ASSERT_EQ(copied.at(targets[k]), sources[k]);
    }
    const std::set<Offset> asked(targets.begin(), targets.end());
    for (const Offset other : elements(to, to.content))
      ASSERT_TRUE(asked.contains(other) || !copied.contains(other)) << "a neighbour's element";
    if (from.brick.channels == 1 || to.brick.channels == 1) continue;
    if (from.brick.channels != to.brick.channels)
      ++two_sizes;
    else if ((from.content[1].begin - to.content[1].begin) % from.brick.channels != 0)
      ++shifted;
  }
  EXPECT_GT(shifted, 200);
  EXPECT_GT(two_sizes, 500);
}

}  // namespace
}  // namespace tessera::commands
