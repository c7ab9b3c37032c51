#include "search/placement/boxing/unboxing.h"

#include <algorithm>
#include <span>

#include "search/placement/boxing/colouring.h"

namespace tessera::search::boxing {

namespace {

struct Task {
  std::span<const std::int32_t> members;
  Offset offset = 0;
};

}  // namespace

std::vector<Offset> unbox(const Instance& instance, const Boxes& boxes) {
  std::vector<Offset> offsets(instance.jobs.size(), 0);
  std::vector<Task> tasks;
  tasks.push_back({boxes.roots, 0});
  Colouring colouring;
  std::vector<Interval> intervals;
  std::vector<Row> row_of;
  std::vector<Offset> row_offset;
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    intervals.clear();
    for (const std::int32_t k : task.members) {
      const Item& item = boxes.items[static_cast<std::size_t>(k)];
      intervals.push_back({item.lower, item.upper});
    }
    const Row rows = colouring.colour(intervals, row_of);
    // A row is as high as its highest member, which needs less space than its size class.
    row_offset.assign(static_cast<std::size_t>(rows) + 1, 0);
    for (std::size_t p = 0; p < task.members.size(); ++p) {
      Offset& height = row_offset[static_cast<std::size_t>(row_of[p]) + 1];
      const Item& item = boxes.items[static_cast<std::size_t>(task.members[p])];
      height = std::max(height, item.size);
    }
    row_offset[0] = task.offset;
    for (std::size_t row = 1; row < row_offset.size(); ++row)
      row_offset[row] += row_offset[row - 1];
    for (std::size_t p = 0; p < task.members.size(); ++p) {
      const std::int32_t k = task.members[p];
      const Item& item = boxes.items[static_cast<std::size_t>(k)];
      const Offset offset = row_offset[static_cast<std::size_t>(row_of[p])];
      if (item.count > 0) {
        tasks.push_back(
            {{boxes.contents.data() + item.first, static_cast<std::size_t>(item.count)}, offset});
      } else if (k < boxes.jobs) {
        offsets[static_cast<std::size_t>(k)] = offset;
      }
    }
  }
  return offsets;
}

}  // namespace tessera::search::boxing
