// std::sort() of large vectors with a poll of the budget about every millisecond.
//
//   sort_polled(events, by_time, poll);        // throws BudgetEnded and leaves the vector unsorted
//
// Sorts small blocks and merges them pair by pair. A vector of one block is sorted by std::sort().
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

#include "poll.h"

namespace tessera {

template <typename Value, typename Less>
void sort_polled(std::vector<Value>& values, Less less, Poll& poll) {
  constexpr std::size_t block = std::size_t{1} << 14U;
  const std::size_t count = values.size();
  const auto at = [&](std::size_t index) {
    return values.begin() + static_cast<std::ptrdiff_t>(std::min(index, count));
  };
  for (std::size_t begin = 0; begin < count; begin += block) {
    if (begin > 0) poll.check();
    std::sort(at(begin), at(begin + block), less);
  }
  for (std::size_t width = block; width < count; width *= 2)
    for (std::size_t begin = 0; begin + width < count; begin += 2 * width) {
      poll.check();
      std::inplace_merge(at(begin), at(begin + width), at(begin + 2 * width), less);
    }
}

template <typename Value>
void sort_polled(std::vector<Value>& values, Poll& poll) {
  sort_polled(values, std::less<>(), poll);
}

}  // namespace tessera
