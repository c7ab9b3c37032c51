#include "commands/place.h"

#include <algorithm>
#include <numeric>

#include "model/stored.h"
#include "tiling/ceil_div.h"

namespace tessera::commands {
namespace {

/// Equal counts on both sides of a copy, with the stride of each.
struct Twin {
  std::int64_t count = 1;
  Size from = 0;
  Size to = 0;
};

using Twins = std::vector<Twin>;

/// The outermost level of the source first; levels that are contiguous on both sides are one.
Twins merged(Twins levels) {
  std::ranges::stable_sort(levels, [](const Twin& a, const Twin& b) { return a.from > b.from; });
  Twins result;
  for (const Twin& level : levels) {
    if (level.count == 1) continue;
    if (!result.empty() && result.back().from == level.count * level.from &&
        result.back().to == level.count * level.to)
      result.back() = {result.back().count * level.count, level.from, level.to};
    else
      result.push_back(level);
  }
  return result;
}

Copy copy_of(const Part& from, const Part& to, const Twins& levels, Size element) {
  Copy copy;
  copy.src = {.memory = from.memory, .address = from.address, .dims = {}, .element_bytes = element};
  copy.dst = {.memory = to.memory, .address = to.address, .dims = {}, .element_bytes = element};
  for (const Twin& level : levels) {
    copy.src->dims.push_back({level.count, level.from});
    copy.dst->dims.push_back({level.count, level.to});
  }
  return copy;
}

/// Elements of half a byte: whole rows of bytes.
std::vector<Copy> packed_transfer(const Place& from, const Place& to, const tiling::Box& box) {
  const Part source = part_at(from, box);
  const Part target = part_at(to, box);
  const std::int64_t elements = tiling::volume(box);
  if (box == from.content && box == to.content)
    return {copy_of(source, target, merged({{tiling::ceil_div(elements, 2), 1, 1}}), 1)};
  Twins levels;
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    levels.push_back({box[axis].size(), from.strides[axis], to.strides[axis]});
  levels = merged(levels);
  // Strides count elements, two of which share a byte.
  if (levels.empty() || levels.back().from != 1 || levels.back().to != 1)
    throw Unsupported("a part of a 4-bit weight is not made of whole bytes");
  levels.back().count = tiling::ceil_div(levels.back().count, 2);
  for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
    if (levels[k].from % 2 != 0 || levels[k].to % 2 != 0)
      throw Unsupported("a part of a 4-bit weight is not made of whole bytes");
    levels[k].from /= 2;
    levels[k].to /= 2;
  }
  return {copy_of(source, target, levels, 1)};
}

/// A part of encoded data: its share of the bytes, beginning at the share of what is before it.
std::vector<Copy> encoded_transfer(const Place& from, const Place& to, const tiling::Box& box) {
  if (box != to.content) throw Unsupported("a weight in the machine's coding is loaded in parts");
  const auto all = static_cast<double>(tiling::volume(from.content));
  std::int64_t first = 0;  // elements before the box
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    first = first * from.content[axis].size() + box[axis].begin - from.content[axis].begin;
  const auto before =
      static_cast<Size>(static_cast<double>(first) / all * static_cast<double>(from.encoded));
  Part source = part_at(from, from.content);
  source.address += std::min(before, from.encoded - to.encoded);
  return {copy_of(source, part_at(to, box), merged({{to.encoded, 1, 1}}), 1)};
}

/// All axes but the channels.
Twins other_axes(const Place& from, const Place& to, const tiling::Box& box) {
  Twins levels;
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    if (axis != 1) levels.push_back({box[axis].size(), from.strides[axis], to.strides[axis]});
  return levels;
}

/// The place of a channel in its brick; 0 if there are no bricks.
Dim lane_of(const Place& place, Dim channel) {
  const Dim k = place.brick.phase + channel - place.content[1].begin;
  return place.brick.channels > 1 ? k % place.brick.channels : 0;
}

/// Channels that are in one brick on each side, and equal runs in later bricks.
struct Lanes {
  Dim first = 0;
  Dim count = 0;
  std::int64_t bricks = 1;  ///< runs
};

/// Runs of channels that no border of a brick cuts. Borders repeat after `period` channels; equal
/// runs at this distance are together.
std::vector<Lanes> lanes_of(const Place& from, const Place& to, const tiling::Span& channels,
                            Dim period) {
  std::vector<Lanes> all;
  for (Dim c = channels.begin; c < channels.end;) {
    Dim count = channels.end - c;
    for (const Place* place : {&from, &to})
      if (place->brick.channels > 1)
        count = std::min(count, place->brick.channels - lane_of(*place, c));
    const auto before = std::ranges::find_if(all, [&](const Lanes& each) {
      return each.count == count && each.first + each.bricks * period == c;
    });
    if (before != all.end())
      ++before->bricks;
    else
      all.push_back({.first = c, .count = count});
    c += count;
  }
  return all;
}

std::vector<Copy> bricked_transfer(const Place& from, const Place& to, const tiling::Box& box) {
  const Dim period = std::lcm(from.brick.channels, to.brick.channels);
  const auto apart = [&](const Place& place) {
    return place.brick.channels > 1 ? period / place.brick.channels * place.brick.stride
                                    : period * place.strides[1];
  };
  std::vector<Copy> copies;
  const auto add = [&](const Lanes& lanes) {
    tiling::Box at = box;
    at[1].begin = lanes.first;
    Twins levels = other_axes(from, to, box);
    levels.push_back({lanes.bricks, apart(from), apart(to)});
    levels.push_back({lanes.count, from.strides[1], to.strides[1]});
    Part source = part_at(from, at);
    Part target = part_at(to, at);
    source.address += source.brick.phase * from.strides[1];
    target.address += target.brick.phase * to.strides[1];
    copies.push_back(copy_of(source, target, merged(levels), from.element));
  };
  const Dim channels = box[1].size();
  const bool whole = from.brick.channels == to.brick.channels && lane_of(from, box[1].begin) == 0 &&
                     lane_of(to, box[1].begin) == 0 &&
                     (channels % period == 0 || box[1].end == to.content[1].end);
  if (whole)
    add({.first = box[1].begin, .count = period, .bricks = tiling::ceil_div(channels, period)});
  else
    for (const Lanes& lanes : lanes_of(from, to, box[1], period)) add(lanes);
  return copies;
}

}  // namespace

Place laid_out(const Spot& spot, const Tensor& tensor, const tiling::Box& content,
               const Layout& layout) {
  Place place{.at = spot, .content = content, .strides = {}, .element = element_bytes(tensor.type)};
  place.bits = element_bits(tensor.type);
  const std::size_t rank = tensor.shape.size();
  if (!has_layout(tensor)) {
    Size stride = place.bits < 8 ? 1 : place.element;  // of packed elements, in elements
    for (std::size_t axis = rank; axis-- > 0;) {
      place.strides[axis] = stride;
      stride *= content[axis].size();
    }
    return place;
  }
  Size stride = place.element * layout.brick;
  for (std::size_t k = layout.order.size(); k-- > 0;) {
    const std::size_t axis = layout.order[k];
    if (axis >= rank) continue;
    if (axis == 1 && layout.brick > 1) {
      place.strides[1] = place.element;
      place.brick = {.channels = layout.brick, .stride = stride};
      stride *= tiling::ceil_div(content[1].size(), layout.brick);
    } else {
      place.strides[axis] = stride;
      stride *= content[axis].size();
    }
  }
  return place;
}

Part part_at(const Place& place, const tiling::Box& box) {
  if (!tiling::contains(place.content, box))
    throw Unsupported("buffer '" + place.buffer + "' does not hold all that an op reads");
  Part part{.box = box,
            .memory = place.at.memory,
            .address = place.at.address,
            .strides = place.strides,
            .brick = place.brick,
            .buffer = place.buffer};
  Offset ahead = 0;
  for (std::size_t axis = 0; axis < box.rank; ++axis) {
    const Dim first = box[axis].begin - place.content[axis].begin;
    if (axis == 1 && place.brick.channels > 1) {
      part.brick.phase = (place.brick.phase + first) % place.brick.channels;
      ahead += (place.brick.phase + first) / place.brick.channels * place.brick.stride;
    } else {
      ahead += first * place.strides[axis];
    }
  }
  if (place.bits < 8) {
    if (ahead % 2 != 0) throw Unsupported("a part of a 4-bit weight begins inside a byte");
    ahead /= 2;
  }
  part.address += ahead;
  return part;
}

std::vector<Copy> transfer(const Place& from, const Place& to, const tiling::Box& box) {
  if (from.encoded > 0 || to.encoded > 0) return encoded_transfer(from, to, box);
  if (from.bits < 8) return packed_transfer(from, to, box);
  if (from.brick.channels > 1 || to.brick.channels > 1) return bricked_transfer(from, to, box);
  Twins levels;
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    levels.push_back({box[axis].size(), from.strides[axis], to.strides[axis]});
  return {copy_of(part_at(from, box), part_at(to, box), merged(levels), from.element)};
}

Side side_of(const Place& place, const tiling::Box& box) {
  return *transfer(place, place, box).front().src;
}

}  // namespace tessera::commands
