#include "explorer/finished.h"

#include <algorithm>

namespace tessera::explorer {

void Finished::add(const std::vector<One>& wave) {
  for (const One& one : wave) {
    front_.emplace_back(one.candidate, one.point);
    const std::pair entry(one.score, one.candidate);
    if (!best_ || entry < *best_) best_ = entry;
  }
  std::ranges::sort(front_, {}, &std::pair<std::size_t, Point>::first);
  std::vector<Point> points;
  for (const auto& [candidate, point] : front_) points.push_back(point);
  std::vector<std::pair<std::size_t, Point>> kept;
  for (const std::size_t k : explorer::front(points)) kept.push_back(std::move(front_[k]));
  front_ = std::move(kept);
}

std::optional<std::size_t> Finished::dominating(const Point& least) const {
  for (const auto& [candidate, point] : front_)
    if (dominates(point, least)) return candidate;
  return std::nullopt;
}

std::optional<std::size_t> Finished::best() const {
  return best_ ? std::optional(best_->second) : std::nullopt;
}

}  // namespace tessera::explorer
