#include "search/placement/boxing/theorem2.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera::search::boxing {

namespace {

/// Of the critical points first..last (counted from 1), the one highest in the balanced tree over
/// all of them: the number with the most trailing zeros.
std::uint32_t highest_between(std::uint32_t first, std::uint32_t last) {
  const std::uint32_t differ = (first - 1) ^ last;
  return last & ~(std::bit_floor(differ) - 1);
}

}  // namespace

bool Theorem2::box(std::vector<std::int32_t> members, const Theorem2Params& params,
                   const Budget& budget, Random& random, Groups& groups) {
  params_ = params;
  open_.clear();
  open_.push_back({std::move(members), {}});
  while (!open_.empty()) {
    if (budget.exhausted()) return false;
    Part part = std::move(open_.back());
    open_.pop_back();
    if (!part.members.empty()) split(std::move(part), random, groups);
  }
  return true;
}

void Theorem2::split(Part part, Random& random, Groups& groups) {
  // A recursion needs a critical section with a live item, otherwise it would not shrink.
  const auto any_live = [&] {
    return std::any_of(part.members.begin(), part.members.end(), [&](std::int32_t k) {
      const auto point = std::lower_bound(part.points.begin(), part.points.end(), item(k).lower);
      return point != part.points.end() && *point < item(k).upper;
    });
  };
  if (part.points.empty() || !any_live()) {
    // The first or last section of a random job, as a random event would be.
    const Item& drawn = item(part.members[random.below(part.members.size())]);
    const Section point = random.below(2) == 0 ? drawn.lower : drawn.upper - 1;
    part.points.insert(std::lower_bound(part.points.begin(), part.points.end(), point), point);
  }

  // R: items live at critical sections. X_i: items strictly between two of them.
  by_point_.clear();
  std::vector<std::pair<std::size_t, std::int32_t>> between;
  for (const std::int32_t k : part.members) {
    const auto first = std::lower_bound(part.points.begin(), part.points.end(), item(k).lower);
    const auto index = static_cast<std::size_t>(first - part.points.begin());
    if (first == part.points.end() || *first >= item(k).upper) {
      between.emplace_back(index, k);
      continue;
    }
    const auto last = std::lower_bound(first, part.points.end(), item(k).upper);
    by_point_.emplace_back(highest_between(static_cast<std::uint32_t>(index) + 1,
                                           static_cast<std::uint32_t>(last - part.points.begin())),
                           k);
  }
  std::sort(by_point_.begin(), by_point_.end());
  unresolved_.clear();
  for (std::size_t begin = 0; begin < by_point_.size();) {
    std::size_t end = begin;
    live_.clear();
    for (; end < by_point_.size() && by_point_[end].first == by_point_[begin].first; ++end)
      live_.push_back(by_point_[end].second);
    lemma1(live_, groups);
    begin = end;
  }
  std::vector<Section> gap_points;
  box_rows(groups, gap_points);

  std::sort(between.begin(), between.end());
  for (std::size_t begin = 0; begin < between.size();) {
    const std::size_t index = between[begin].first;
    Part next;
    std::size_t end = begin;
    for (; end < between.size() && between[end].first == index; ++end)
      next.members.push_back(between[end].second);
    auto from = gap_points.begin();
    auto to = gap_points.end();
    if (index > 0) from = std::upper_bound(from, to, part.points[index - 1]);
    if (index < part.points.size()) to = std::lower_bound(from, to, part.points[index]);
    next.points.assign(from, to);
    open_.push_back(std::move(next));
    begin = end;
  }
}

void Theorem2::lemma1(std::span<const std::int32_t> live, Groups& groups) {
  const auto rows = static_cast<double>(params_.rows);
  const double outer_jobs = rows * std::ceil(1.0 / (params_.epsilon * params_.epsilon));
  if (static_cast<double>(live.size()) <= 2 * outer_jobs) {
    unresolved_.insert(unresolved_.end(), live.begin(), live.end());
    return;
  }
  const auto outer = static_cast<std::size_t>(outer_jobs);
  const auto inner = static_cast<std::size_t>(rows * std::ceil(1.0 / params_.epsilon));
  // Positions in `live`, by birth (earliest first) and by death (latest first).
  const auto at = [&](std::int32_t p) -> const Item& {
    return item(live[static_cast<std::size_t>(p)]);
  };
  by_birth_.resize(live.size());
  std::iota(by_birth_.begin(), by_birth_.end(), 0);
  by_death_ = by_birth_;
  std::sort(by_birth_.begin(), by_birth_.end(), [&](std::int32_t a, std::int32_t b) {
    return at(a).lower != at(b).lower ? at(a).lower < at(b).lower : a < b;
  });
  std::sort(by_death_.begin(), by_death_.end(), [&](std::int32_t a, std::int32_t b) {
    return at(a).upper != at(b).upper ? at(a).upper > at(b).upper : a < b;
  });
  cut_.assign(live.size(), 0);
  std::size_t birth = 0;
  std::size_t death = 0;
  const auto cut = [&](const std::vector<std::int32_t>& source, std::size_t& next,
                       std::size_t count) {
    strip_.clear();
    for (; next < source.size() && strip_.size() < count; ++next) {
      const auto position = static_cast<std::size_t>(source[next]);
      if (cut_[position] != 0) continue;
      cut_[position] = 1;
      strip_.push_back(live[position]);
    }
  };
  // The two outer strips stay unresolved; they are coloured into rows later.
  cut(by_birth_, birth, outer);
  unresolved_.insert(unresolved_.end(), strip_.begin(), strip_.end());
  cut(by_death_, death, outer);
  unresolved_.insert(unresolved_.end(), strip_.begin(), strip_.end());
  std::size_t left = live.size() - 2 * outer;
  while (left > 0) {
    cut(by_birth_, birth, inner);
    left -= strip_.size();
    // Similar births; neighbours in death share a box.
    std::sort(strip_.begin(), strip_.end(), [&](std::int32_t a, std::int32_t b) {
      return item(a).upper != item(b).upper ? item(a).upper > item(b).upper : a < b;
    });
    add_groups(strip_, groups);
    if (left == 0) break;
    cut(by_death_, death, inner);
    left -= strip_.size();
    std::sort(strip_.begin(), strip_.end(), [&](std::int32_t a, std::int32_t b) {
      return item(a).lower != item(b).lower ? item(a).lower < item(b).lower : a < b;
    });
    add_groups(strip_, groups);
  }
}

void Theorem2::add_groups(std::span<const std::int32_t> strip, Groups& groups) {
  const auto rows = static_cast<std::size_t>(params_.rows);
  for (std::size_t begin = 0; begin < strip.size(); begin += rows) {
    const std::size_t end = std::min(strip.size(), begin + rows);
    groups.members.insert(groups.members.end(), strip.begin() + static_cast<std::ptrdiff_t>(begin),
                          strip.begin() + static_cast<std::ptrdiff_t>(end));
    groups.ends.push_back(groups.members.size());
  }
}

/// Colours the items that Lemma 1 left over, makes boxes of `rows` rows, and reports the gaps of
/// the rows: the critical sections of the recursion.
void Theorem2::box_rows(Groups& groups, std::vector<Section>& points) {
  if (unresolved_.empty()) return;
  intervals_.clear();
  for (const std::int32_t k : unresolved_) intervals_.push_back({item(k).lower, item(k).upper});
  static_cast<void>(colouring_.colour(intervals_, row_of_));
  by_row_.resize(unresolved_.size());
  std::iota(by_row_.begin(), by_row_.end(), 0);
  std::sort(by_row_.begin(), by_row_.end(), [&](std::int32_t a, std::int32_t b) {
    const auto x = static_cast<std::size_t>(a);
    const auto y = static_cast<std::size_t>(b);
    return row_of_[x] != row_of_[y] ? row_of_[x] < row_of_[y]
                                    : intervals_[x].lower < intervals_[y].lower;
  });
  for (std::size_t p = 0; p < by_row_.size(); ++p) {
    const auto here = static_cast<std::size_t>(by_row_[p]);
    const Interval& interval = intervals_[here];
    if (interval.lower > 0) points.push_back(interval.lower - 1);  // a gap may end here
    points.push_back(interval.upper);                              // and one may begin here
    const bool row_ends = p + 1 == by_row_.size() ||
                          row_of_[static_cast<std::size_t>(by_row_[p + 1])] != row_of_[here];
    groups.members.push_back(unresolved_[here]);
    if (!row_ends) {
      const Interval& next = intervals_[static_cast<std::size_t>(by_row_[p + 1])];
      if (next.lower == interval.upper) points.pop_back();  // no gap
    }
    if (p + 1 == by_row_.size() || (row_ends && (row_of_[here] + 1) % params_.rows == 0))
      groups.ends.push_back(groups.members.size());
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
}

}  // namespace tessera::search::boxing
