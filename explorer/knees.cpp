#include "explorer/knees.h"

#include <algorithm>
#include <map>
#include <set>

#include "explorer/condition.h"
#include "model/numeric.h"

namespace tessera::explorer {

namespace {

/// No plan scores less: a number, or infinity where there is none.
double least(const CurvePoint& point) {
  if (point.status == SweepStatus::infeasible) return infinity;
  return point.bound.value_or(0);
}

/// Without a plan what is known of it is that it is no better than its bound.
double most_likely(const CurvePoint& point) {
  return point.score ? *point.score : least(point);
}

void find_fits(Curve& curve) {
  const auto first = std::ranges::find_if(
      curve.points, [](const CurvePoint& point) { return point.score.has_value(); });
  if (first == curve.points.end()) return;
  Knee knee{.point = static_cast<std::size_t>(first - curve.points.begin()), .proved = true};
  for (auto below = curve.points.begin(); below != first; ++below)
    if (below->status != SweepStatus::infeasible) {
      knee.proved = false;
      knee.open.push_back(below->value);
    }
  curve.fits = knee;
}

void find_enough(Curve& curve) {
  const std::vector<CurvePoint>& points = curve.points;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!points[k].score) continue;
    double better = infinity, possible = infinity;
    for (std::size_t above = k + 1; above < points.size(); ++above) {
      if (points[above].score) better = std::min(better, *points[above].score);
      possible = std::min(possible, least(points[above]));
    }
    if (*points[k].score > better + tolerance) continue;
    Knee knee{.point = k, .proved = *points[k].score <= possible + tolerance};
    if (!knee.proved) knee.gap = (*points[k].score - possible) / *points[k].score;
    curve.enough = knee;
    return;
  }
}

/// What is worse than tolerated, below the value that is enough. Proved: its bound says so, and no
/// value between is worse than the best could be.
void find_suffers(Curve& curve) {
  if (!curve.enough) return;
  const std::vector<CurvePoint>& points = curve.points;
  const double best = *points[curve.enough->point].score;
  const double tolerated = best * (1 + tolerated_loss);
  double possible = infinity;
  for (const CurvePoint& point : points) possible = std::min(possible, least(point));
  double between = 0;
  for (std::size_t k = curve.enough->point; k-- > 0;) {
    if (most_likely(points[k]) <= tolerated) {
      between = std::max(between, most_likely(points[k]));
      continue;
    }
    Knee knee{.point = k};
    const double low = std::max(0.0, tolerated - least(points[k]));
    const double high = std::max(0.0, between - possible * (1 + tolerated_loss));
    knee.gap = best > 0 ? std::max(low, high) / best : 0;
    knee.proved = low <= tolerance && high <= tolerance;
    curve.suffers = knee;
    return;
  }
}

}  // namespace

std::optional<std::vector<double>> numbers_of(const std::vector<std::string>& values) {
  std::vector<double> numbers;
  std::size_t per_cycle = 0;
  for (const std::string& value : values) {
    double number = 0;
    if (!number_of(value, number)) return std::nullopt;
    per_cycle += value.ends_with("/cycle");
    numbers.push_back(number);
  }
  if (per_cycle != 0 && per_cycle != values.size()) return std::nullopt;
  return numbers;
}

std::vector<Curve> curves(const ExploreResult& result) {
  std::vector<Curve> all;
  if (!result.best) return all;
  const auto best = std::ranges::find(result.rows, *result.best, &ExploreRow::candidate);
  if (best == result.rows.end()) return all;
  for (std::size_t key = 0; key < result.keys.size(); ++key) {
    std::set<std::string> values;
    std::map<std::string, Curve> of_network;
    std::vector<std::string> order;
    for (const ExploreRow& row : result.rows) {
      bool beside = true;
      for (std::size_t k = 0; k < result.keys.size() && beside; ++k)
        beside = k == key || row.values[k] == best->values[k];
      if (!beside || row.status == SweepStatus::failed) continue;  // that is no machine
      values.insert(row.values[key]);
      Curve& curve = of_network[row.network];
      if (curve.points.empty()) order.push_back(row.network);
      curve.points.push_back(
          {.value = row.values[key], .status = row.status, .score = row.score, .bound = row.bound});
    }
    if (values.size() < 2 || !numbers_of({values.begin(), values.end()})) continue;
    for (const std::string& network : order) {
      Curve& curve = of_network[network];
      if (curve.points.size() < 2) continue;
      curve.key = key;
      curve.network = network;
      for (CurvePoint& point : curve.points)
        static_cast<void>(number_of(point.value, point.number));
      std::ranges::stable_sort(curve.points, {}, &CurvePoint::number);
      find_fits(curve);
      find_enough(curve);
      find_suffers(curve);
      all.push_back(std::move(curve));
    }
  }
  return all;
}

}  // namespace tessera::explorer
