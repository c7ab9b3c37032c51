#include "explorer/grid.h"

#include <algorithm>
#include <limits>
#include <set>

#include "model/random.h"

namespace tessera::explorer {

namespace {

constexpr std::uint64_t out_of_range = std::numeric_limits<std::uint64_t>::max();

/// Up to this size, sampling enumerates all choices instead of drawing at random.
constexpr std::uint64_t small_grid = 1'000'000;

}  // namespace

std::uint64_t grid_size(const std::vector<std::size_t>& lengths) {
  std::uint64_t size = 1;
  for (const std::size_t length : lengths) {
    if (length != 0 && size > out_of_range / length) return out_of_range;
    size *= length;
  }
  return size;
}

std::vector<Choice> grid(const std::vector<std::size_t>& lengths, const Keep& keep) {
  std::vector<Choice> all;
  Choice choice(lengths.size(), 0);
  const std::uint64_t size = grid_size(lengths);
  for (std::uint64_t k = 0; k < size; ++k) {
    if (keep(choice)) all.push_back(choice);
    for (std::size_t axis = lengths.size(); axis-- > 0;) {
      if (++choice[axis] < lengths[axis]) break;
      choice[axis] = 0;
    }
  }
  return all;
}

std::vector<Choice> sample(const std::vector<std::size_t>& lengths, std::uint64_t samples,
                           std::uint64_t seed, const Keep& keep) {
  Random random(mix(seed, 0));
  if (grid_size(lengths) <= small_grid) {
    std::vector<Choice> all = grid(lengths, keep);
    const std::uint64_t wanted = std::min<std::uint64_t>(samples, all.size());
    // The first positions of a shuffle.
    for (std::uint64_t k = 0; k < wanted; ++k)
      std::swap(all[k], all[k + random.below(all.size() - k)]);
    all.resize(wanted);
    std::ranges::sort(all);
    return all;
  }
  std::set<Choice> drawn;
  constexpr std::uint64_t tries_each = 1000;
  for (std::uint64_t tries = 0; drawn.size() < samples && tries < samples * tries_each; ++tries) {
    Choice choice;
    for (const std::size_t length : lengths)
      choice.push_back(static_cast<std::uint32_t>(random.below(length)));
    if (!drawn.contains(choice) && keep(choice)) drawn.insert(std::move(choice));
  }
  return {drawn.begin(), drawn.end()};
}

}  // namespace tessera::explorer
