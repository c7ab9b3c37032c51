#include "search/placement/boxing/boxing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/numeric.h"
#include "search/placement/boxing/theorem2.h"

namespace tessera::search::boxing {

namespace {

/// (sqrt 5 - 1) / 2, below which the boxes of an iteration are larger than their contents.
constexpr double mu_limit = std::numbers::phi - 1;

/// The least ratio with a non-empty range of epsilon: the solution above 4 of r mu_limit^6 = lg^2
/// r.
constexpr double least_ratio = 2216.54;

struct Heights {
  Size least = 0;
  Size most = 0;
};

Heights heights(const std::vector<Item>& items, const std::vector<std::int32_t>& open) {
  Heights found{std::numeric_limits<Size>::max(), 0};
  for (const std::int32_t k : open) {
    found.least = std::min(found.least, items[static_cast<std::size_t>(k)].size);
    found.most = std::max(found.most, items[static_cast<std::size_t>(k)].size);
  }
  return found;
}

/// lg^2 of the ratio of heights.
double squared_log_ratio(const Heights& h) {
  const double log = std::log2(static_cast<double>(h.most) / static_cast<double>(h.least));
  return log * log;
}

/// Corollary 15: the members leave `open` in boxes of height `box`, one size class after the other.
bool corollary15(Boxes& boxes, std::vector<std::int32_t> members, Size box, double epsilon,
                 const Budget& budget, Random& random, std::vector<std::int32_t>& made) {
  std::sort(members.begin(), members.end(), [&](std::int32_t a, std::int32_t b) {
    const Size x = boxes.items[static_cast<std::size_t>(a)].size;
    const Size y = boxes.items[static_cast<std::size_t>(b)].size;
    return x != y ? x < y : a < b;
  });
  Theorem2 theorem2(boxes.items);
  Groups groups;
  for (std::size_t begin = 0; begin < members.size();) {
    const auto least =
        static_cast<double>(boxes.items[static_cast<std::size_t>(members[begin])].size);
    // The power of 1 + epsilon to which the smallest one is rounded up.
    const double power = std::ceil(std::log(least) / std::log1p(epsilon) - 1e-9);
    const double top = std::max(least, std::pow(1 + epsilon, power));
    std::size_t end = begin;
    std::vector<std::int32_t> unit;
    for (; end < members.size() &&
           static_cast<double>(boxes.items[static_cast<std::size_t>(members[end])].size) <= top;
         ++end)
      unit.push_back(members[end]);
    const Size height = boxes.items[static_cast<std::size_t>(members[end - 1])].size;
    if (!theorem2.box(std::move(unit),
                      {.rows = std::max<std::int64_t>(1, box / height), .epsilon = epsilon}, budget,
                      random, groups))
      return false;
    begin = end;
  }
  std::size_t begin = 0;
  for (const std::size_t end : groups.ends) {
    Item around{std::numeric_limits<Section>::max(), 0, box,
                static_cast<std::int32_t>(boxes.contents.size()),
                static_cast<std::int32_t>(end - begin)};
    for (; begin < end; ++begin) {
      const Item& inner = boxes.items[static_cast<std::size_t>(groups.members[begin])];
      around.lower = std::min(around.lower, inner.lower);
      around.upper = std::max(around.upper, inner.upper);
      boxes.contents.push_back(groups.members[begin]);
    }
    made.push_back(static_cast<std::int32_t>(boxes.items.size()));
    boxes.items.push_back(around);
  }
  return true;
}

/// Theorem 16 as far as it makes progress: items small relative to the largest height go into boxes
/// that are also small relative to it.
bool theorem16(Boxes& boxes, double epsilon, const Budget& budget, Random& random) {
  while (true) {
    const Heights h = heights(boxes.items, boxes.roots);
    const double lg2r = squared_log_ratio(h);
    const double mu = epsilon / lg2r;
    if (!(mu < mu_limit)) return true;
    const double box = std::ceil(std::pow(mu, 5) * static_cast<double>(h.most) / lg2r);
    const double small = std::floor(mu * box);
    if (!(small >= static_cast<double>(h.least))) return true;
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> large;
    for (const std::int32_t k : boxes.roots)
      (static_cast<double>(boxes.items[static_cast<std::size_t>(k)].size) <= small ? members
                                                                                   : large)
          .push_back(k);
    if (!corollary15(boxes, std::move(members), static_cast<Size>(box), mu, budget, random, large))
      return false;
    boxes.roots = std::move(large);
    ++boxes.levels;
  }
}

Boxes start(const Instance& instance, Size dummy) {
  Boxes boxes;
  boxes.items.reserve(2 * instance.jobs.size());
  for (const Job& job : instance.jobs)
    boxes.items.push_back(
        {job.lower, job.upper, align_up(job.size, instance.common_alignment), 0, 0});
  boxes.jobs = static_cast<std::int32_t>(instance.jobs.size());
  if (dummy > 0) boxes.items.push_back({0, instance.sections, dummy, 0, 0});
  boxes.roots.resize(boxes.items.size());
  for (std::size_t k = 0; k < boxes.roots.size(); ++k)
    boxes.roots[k] = static_cast<std::int32_t>(k);
  return boxes;
}

}  // namespace

EpsilonRange epsilon_range(const Instance& instance) {
  const Boxes boxes = start(instance, 0);
  Heights h = heights(boxes.items, boxes.roots);
  EpsilonRange range;
  const double needed = std::ceil(least_ratio * static_cast<double>(h.least));
  if (static_cast<double>(h.most) < needed) {
    range.dummy = static_cast<Size>(needed);
    h.most = range.dummy;
  }
  const double lg2r = squared_log_ratio(h);
  const double ratio = static_cast<double>(h.most) / static_cast<double>(h.least);
  range.low = std::pow(std::pow(lg2r, 7) / ratio, 1.0 / 6);
  range.high = mu_limit * lg2r;
  return range;
}

std::optional<Boxes> box_jobs(const Instance& instance, const BoxJobsParams& params,
                              Random& random) {
  Boxes boxes = start(instance, params.dummy);
  if (!theorem16(boxes, params.epsilon, params.budget, random)) return std::nullopt;
  // The last call of Corollary 15: everything into boxes of one height.
  const Heights h = heights(boxes.items, boxes.roots);
  const double lg2r = squared_log_ratio(h);
  double mu = lg2r > 0 ? params.epsilon / lg2r : mu_limit;
  mu = std::min(mu, 0.99 * mu_limit);
  const auto box = static_cast<Size>(static_cast<double>(h.most) / mu);
  std::vector<std::int32_t> roots;
  if (!corollary15(boxes, std::move(boxes.roots), box, mu, params.budget, random, roots))
    return std::nullopt;
  boxes.roots = std::move(roots);
  ++boxes.levels;
  return boxes;
}

double best_epsilon(const Instance& instance, const EpsilonRange& range, const Budget& budget,
                    Random& random) {
  double best = range.low;
  double least = infinity;
  double epsilon = range.low;
  for (int patience = 3; patience > 0 && !budget.exhausted(); --patience) {
    Boxes boxes = start(instance, range.dummy);
    if (!theorem16(boxes, epsilon, budget, random)) break;
    const double ratio = squared_log_ratio(heights(boxes.items, boxes.roots));
    if (ratio < least) {
      least = ratio;
      best = epsilon;
      patience = 4;
    }
    epsilon += (range.high - epsilon) * 0.01;
  }
  return best;
}

}  // namespace tessera::search::boxing
