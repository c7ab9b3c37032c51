#include "placer/first_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/forest.h"
#include "model/derived.h"

namespace tessera::placer {
namespace {

/// The interval between two changes of the set of live buffers.
struct Slice {
  double length = 0;
  double load = 0;
  double alive = 0;
};

std::vector<Slice> slices_of(const PlacementProblem& problem) {
  struct Change {
    Step at;
    double bytes;
    double buffers;
  };
  std::vector<Change> changes;
  changes.reserve(2 * problem.buffers.size());
  for (const Buffer& buffer : problem.buffers) {
    const auto size = static_cast<double>(buffer.size);
    changes.push_back({buffer.live.front().lower, size, 1});
    changes.push_back({buffer.live.front().upper, -size, -1});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.at < b.at; });
  std::vector<Slice> slices;
  Slice now;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    now.load += changes[k].bytes;
    now.alive += changes[k].buffers;
    if (k + 1 == changes.size() || changes[k + 1].at == changes[k].at) continue;
    now.length = static_cast<double>(changes[k + 1].at - changes[k].at);
    slices.push_back(now);
  }
  return slices;
}

}  // namespace

std::optional<ShapeFeatures> shape_of(const PlacementProblem& problem) {
  if (problem.memories.size() != 1 || problem.memories[0].capacity >= unbounded ||
      problem.memories[0].capacity <= 0 || problem.buffers.size() < 2)
    return std::nullopt;
  for (const Buffer& buffer : problem.buffers)
    if (buffer.live.size() != 1 || !buffer.parts.empty()) return std::nullopt;
  const auto capacity = static_cast<double>(problem.memories[0].capacity);
  const auto n = static_cast<double>(problem.buffers.size());
  const std::vector<Slice> slices = slices_of(problem);
  const auto count = static_cast<double>(slices.size());
  double time = 0;
  double load = 0;        // by time
  double slice_load = 0;  // by slices
  double alive = 0;
  double crowd = 0;
  double most = 0;
  double full = 0;
  for (const Slice& slice : slices) {
    time += slice.length;
    load += slice.length * slice.load;
    slice_load += slice.load;
    alive += slice.alive;
    crowd = std::max(crowd, slice.alive);
    most = std::max(most, slice.load);
    full += slice.load >= 0.99 * capacity ? 1 : 0;
  }
  double largest = 0;
  double total = 0;
  double squares = 0;
  double life = 0;
  Size unit = problem.memories[0].capacity;
  std::vector<Size> sizes;
  for (const Buffer& buffer : problem.buffers) {
    const auto size = static_cast<double>(buffer.size);
    largest = std::max(largest, size);
    total += size;
    squares += size * size;
    life += static_cast<double>(buffer.live.front().upper - buffer.live.front().lower);
    unit = std::gcd(unit, buffer.size);
    sizes.push_back(buffer.size);
  }
  std::sort(sizes.begin(), sizes.end());
  const auto different =
      static_cast<double>(std::unique(sizes.begin(), sizes.end()) - sizes.begin());
  const double mean = std::max(total / n, 1.0);
  const double variance = std::max(squares / n - mean * mean, 0.0);
  const auto narrow = [](double value) { return static_cast<float>(value); };
  return ShapeFeatures{narrow(std::log2(n)),
                       narrow(std::log2(1 + alive / count)),
                       narrow(crowd / n),
                       narrow((capacity - most) / capacity),
                       narrow(load / time / capacity),
                       narrow(slice_load / count / capacity),
                       narrow(full / count),
                       narrow(largest / capacity),
                       narrow(mean / capacity),
                       narrow(std::sqrt(variance) / mean),
                       narrow(different / n),
                       narrow(life / n / time),
                       narrow(count / n),
                       narrow(std::log2(capacity / static_cast<double>(std::max<Size>(unit, 1))))};
}

bool learning_goes_first(const PlacementProblem& problem) {
  const auto shape = shape_of(problem);
  if (!shape) return false;
  // Read once; it is constant.
  static const engine::Forest forest = engine::Forest::read(shipped_first_choice(), shape_features);
  return forest.value(*shape) >= forest.threshold();
}

}  // namespace tessera::placer
