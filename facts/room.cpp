#include "facts/room.h"

#include <algorithm>

namespace tessera {

std::vector<AddressRange> merged(std::vector<AddressRange> ranges) {
  std::erase_if(ranges, [](const AddressRange& range) { return range.empty(); });
  std::ranges::sort(ranges);
  std::vector<AddressRange> result;
  for (const AddressRange& range : ranges) {
    if (!result.empty() && range.begin <= result.back().end)
      result.back().end = std::max(result.back().end, range.end);
    else
      result.push_back(range);
  }
  return result;
}

Size room_of(const Memory& memory) {
  if (memory.capacity == unbounded) return unbounded;
  Size room = memory.capacity;
  for (const AddressRange& range : merged(memory.reserved))
    room -= std::max<Size>(0, std::min(range.end, memory.capacity) - range.begin);
  return std::max<Size>(0, room);
}

Size least_height(std::span<const AddressRange> taken, Size bytes) {
  Size height = bytes;
  for (const AddressRange& range : taken) {
    if (range.begin >= height) break;
    height += range.size();
  }
  return height;
}

}  // namespace tessera
