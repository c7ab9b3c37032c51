#include "search/placement/boxing/occupancy.h"

#include <bit>

namespace tessera::search::boxing {

namespace {

/// Limit on births and deaths in a leaf of several sections: a scan of them should take no longer
/// than the tree levels that the leaf replaces.
constexpr std::int32_t most_in_leaf = 512;

/// Adds a range, merging it with those it touches or overlaps.
void merge(Occupancy::Ranges& ranges, AddressRange range) {
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

/// Per section, the number of ranges to be added that begin or end in it.
std::vector<std::int32_t> events(const Instance& instance) {
  std::vector<std::int32_t> count(static_cast<std::size_t>(instance.sections), 0);
  const auto note = [&](Section lower, Section upper) {
    ++count[static_cast<std::size_t>(lower)];
    ++count[static_cast<std::size_t>(upper) - 1];
  };
  for (const Job& job : instance.jobs) {
    if (job.fragment_count == 0) note(job.lower, job.upper);
  }
  for (const Fragment& fragment : instance.fragments) note(fragment.lower, fragment.upper);
  for (const Obstacle& obstacle : instance.obstacles) note(obstacle.lower, obstacle.upper);
  return count;
}

}  // namespace

Occupancy::Occupancy(const Instance& instance) {
  const std::vector<std::int32_t> count = events(instance);
  std::int64_t here = 0;
  for (Section s = 0; s < instance.sections; ++s) {
    const std::int32_t more = count[static_cast<std::size_t>(s)];
    if (first_.empty() || here + more > most_in_leaf) {
      first_.push_back(s);
      here = 0;
    }
    here += more;
  }
  base_ = static_cast<Leaf>(
      std::bit_ceil(std::max<std::uint32_t>(static_cast<std::uint32_t>(first_.size()), 1)));
  parts_.resize(first_.size());
  first_.push_back(instance.sections);
  nodes_.resize(2 * static_cast<std::size_t>(base_));
}

void Occupancy::clear() {
  const auto base = static_cast<std::size_t>(base_);
  for (const std::size_t node : used_) {
    nodes_[node].spanning.clear();
    nodes_[node].inside.clear();
    if (node >= base) parts_[node - base].clear();
  }
  used_.clear();
}

void Occupancy::add(Section lower, Section upper, AddressRange range) {
  add(1, 0, base_, {range, lower, upper});
}

void Occupancy::add(std::size_t node, Leaf l, Leaf u, const Part& part) {
  Node& here = nodes_[node];
  if (here.inside.empty()) used_.push_back(node);
  merge(here.inside, part.range);
  if (part.lower <= first(l) && first(u) <= part.upper) {
    merge(here.spanning, part.range);
    return;
  }
  if (u - l == 1) {
    std::vector<Part>& parts = parts_[static_cast<std::size_t>(l)];
    parts.insert(std::upper_bound(parts.begin(), parts.end(), part,
                                  [](const Part& a, const Part& b) { return a.range < b.range; }),
                 part);
    return;
  }
  const Leaf middle = l + (u - l) / 2;
  if (part.lower < first(middle)) add(2 * node, l, middle, part);
  if (part.upper > first(middle)) add(2 * node + 1, middle, u, part);
}

void Occupancy::collect(Section lower, Section upper, Sets& sets) const {
  collect(1, 0, base_, lower, upper, sets);
}

void Occupancy::collect(std::size_t node, Leaf l, Leaf u, Section lower, Section upper,
                        Sets& sets) const {
  const Node& here = nodes_[node];
  if (here.inside.empty()) return;
  if (lower <= first(l) && first(u) <= upper) {
    sets.all.push_back(&here.inside);
    return;
  }
  if (!here.spanning.empty()) sets.all.push_back(&here.spanning);
  if (u - l > 1) {
    const Leaf middle = l + (u - l) / 2;
    if (lower < first(middle)) collect(2 * node, l, middle, lower, upper, sets);
    if (upper > first(middle)) collect(2 * node + 1, middle, u, lower, upper, sets);
    return;
  }
  if (sets.used == sets.made.size()) sets.made.emplace_back();
  Ranges& made = sets.made[sets.used];
  made.clear();
  for (const Part& part : parts_[static_cast<std::size_t>(l)]) {
    if (part.upper <= lower || upper <= part.lower) continue;
    if (made.empty() || made.back().end < part.range.begin)
      made.push_back(part.range);
    else
      made.back().end = std::max(made.back().end, part.range.end);
  }
  if (made.empty()) return;
  ++sets.used;
  sets.all.push_back(&made);
}

}  // namespace tessera::search::boxing
