// Regions through a reshape: axes that both shapes share keep their range; other axes are treated
// as one flat range of elements.
#include "tiling/op_region.h"

namespace tessera::tiling {
namespace {

/// Axes [from_begin, from_end) of one shape hold as many elements as [to_begin, to_end) of the
/// other.
struct Group {
  std::size_t from_begin = 0;
  std::size_t from_end = 0;
  std::size_t to_begin = 0;
  std::size_t to_end = 0;
};

/// Calls `visit` for each pair of shortest matching groups, left to right.
template <typename Visit>
void each_group(const std::vector<Dim>& from, const std::vector<Dim>& to, Visit visit) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() || j < to.size()) {
    Group group{i, i, j, j};
    std::int64_t left = 1;
    std::int64_t right = 1;
    if (i < from.size()) left = from[i++];
    if (j < to.size()) right = to[j++];
    while (left != right) {
      if (left < right)
        left *= from[i++];
      else
        right *= to[j++];
    }
    // Trailing axes of extent 1 belong to the last group.
    const auto ones = [](const std::vector<Dim>& shape, std::size_t at) {
      for (; at < shape.size(); ++at)
        if (shape[at] != 1) return false;
      return true;
    };
    if (ones(from, i) && ones(to, j)) {
      i = from.size();
      j = to.size();
    }
    group.from_end = i;
    group.to_end = j;
    visit(group);
  }
}

}  // namespace

Box reshaped(const std::vector<Dim>& from, const std::vector<Dim>& to, const Box& box) {
  if (box.none) return nothing(to.size());
  Box out = whole(to);
  each_group(from, to, [&](const Group& group) {
    std::int64_t first = 0;
    std::int64_t last = 0;
    for (std::size_t axis = group.from_begin; axis < group.from_end; ++axis) {
      first = first * from[axis] + box[axis].begin;
      last = last * from[axis] + box[axis].end - 1;
    }
    std::int64_t stride = 1;
    for (std::size_t axis = group.to_begin; axis < group.to_end; ++axis) stride *= to[axis];
    for (std::size_t axis = group.to_begin; axis < group.to_end; ++axis) {
      stride /= to[axis];
      out[axis] = {first / stride, last / stride + 1};
      // A range over several indices contains the end of one and the start of the next, so the
      // inner axes are needed whole.
      if (first / stride != last / stride) break;
      first %= stride;
      last %= stride;
    }
  });
  return out;
}

Box reshape_unit(const std::vector<Dim>& from, const std::vector<Dim>& to, const Box& box) {
  if (box.none) return box;
  Box out = box;
  each_group(from, to, [&](const Group& group) {
    bool inner = false;
    for (std::size_t axis = group.from_begin; axis < group.from_end; ++axis) {
      if (inner) out[axis] = {0, from[axis]};
      inner = inner || from[axis] > 1;
    }
  });
  return out;
}

}  // namespace tessera::tiling
