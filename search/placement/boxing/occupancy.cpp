#include "search/placement/boxing/occupancy.h"

#include <bit>

namespace tessera::search::boxing {

namespace {

/// Adds a range, melting it with those it touches or overlaps.
void melt(Occupancy::Ranges& ranges, AddressRange range) {
  const auto first = std::partition_point(
      ranges.begin(), ranges.end(), [&](const AddressRange& r) { return r.end < range.begin; });
  auto last = first;
  while (last != ranges.end() && last->begin <= range.end) {
    range.begin = std::min(range.begin, last->begin);
    range.end = std::max(range.end, last->end);
    ++last;
  }
  if (first == last) {
    ranges.insert(first, range);
  } else {
    *first = range;
    ranges.erase(first + 1, last);
  }
}

}  // namespace

Occupancy::Occupancy(Section sections)
    : base_(static_cast<Section>(
          std::bit_ceil(static_cast<std::uint32_t>(std::max(sections, Section{1}))))),
      nodes_(2 * static_cast<std::size_t>(base_)) {}

void Occupancy::clear() {
  for (const std::size_t node : used_) {
    nodes_[node].spanning.clear();
    nodes_[node].inside.clear();
  }
  used_.clear();
}

void Occupancy::add(Section lower, Section upper, AddressRange range) {
  add(1, 0, base_, lower, upper, range);
}

void Occupancy::add(std::size_t node, Section l, Section u, Section lower, Section upper,
                    AddressRange range) {
  Node& here = nodes_[node];
  if (here.inside.empty()) used_.push_back(node);
  melt(here.inside, range);
  if (lower <= l && u <= upper) {
    melt(here.spanning, range);
    return;
  }
  const Section middle = l + (u - l) / 2;
  if (lower < middle) add(2 * node, l, middle, lower, upper, range);
  if (upper > middle) add(2 * node + 1, middle, u, lower, upper, range);
}

void Occupancy::collect(Section lower, Section upper, std::vector<const Ranges*>& sets) const {
  collect(1, 0, base_, lower, upper, sets);
}

void Occupancy::collect(std::size_t node, Section l, Section u, Section lower, Section upper,
                        std::vector<const Ranges*>& sets) const {
  const Node& here = nodes_[node];
  if (here.inside.empty()) return;
  if (lower <= l && u <= upper) {
    sets.push_back(&here.inside);
    return;
  }
  if (!here.spanning.empty()) sets.push_back(&here.spanning);
  const Section middle = l + (u - l) / 2;
  if (lower < middle) collect(2 * node, l, middle, lower, upper, sets);
  if (upper > middle) collect(2 * node + 1, middle, u, lower, upper, sets);
}

}  // namespace tessera::search::boxing
