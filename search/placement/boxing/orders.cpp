#include "search/placement/boxing/orders.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "search/placement/boxing/first_fit.h"

namespace tessera::search::boxing {

Orders::Orders(const Instance& instance) : instance_(&instance) {
  const std::vector<Size> contention = boxing::contention(instance);
  Size peak = 1;
  for (const Size load : contention) peak = std::max(peak, load);
  for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
    const Job& job = instance.jobs[j];
    size_.push_back(std::log2(static_cast<float>(job.size)));
    life_.push_back(std::log2(static_cast<float>(job.upper - job.lower)));
    const double share =
        static_cast<double>(std::max<Size>(contention[j], 1)) / static_cast<double>(peak);
    contention_.push_back(std::log2(static_cast<float>(share)));
  }
}

void Orders::draw(const Recipe& recipe, Random& random, std::vector<float>& keys) const {
  keys.resize(size_.size());
  for (std::size_t j = 0; j < keys.size(); ++j) {
    double key = recipe.size * static_cast<double>(size_[j]) +
                 recipe.life * static_cast<double>(life_[j]) +
                 recipe.contention * static_cast<double>(contention_[j]);
    if (recipe.noise > 0) key += recipe.noise * (random.unit() - 0.5);
    keys[j] = static_cast<float>(key);
  }
}

void Orders::perturb(std::span<const float> keys, Random& random,
                     std::vector<float>& changed) const {
  changed.assign(keys.begin(), keys.end());
  if (keys.empty()) return;
  const double noise = std::exp2(4 - 8 * random.unit());
  const double share = std::exp2(-8 * random.unit());
  Section lower = 0;
  Section upper = instance_->sections;
  if (random.below(2) == 0) {
    // A time range around a random job, so that a change stays local in a long trace.
    const Job& job = instance_->jobs[random.below(keys.size())];
    lower = job.lower;
    upper = job.upper;
  }
  const std::size_t always = random.below(keys.size());
  for (std::size_t j = 0; j < keys.size(); ++j) {
    const Job& job = instance_->jobs[j];
    if (job.lower >= upper || job.upper <= lower) continue;
    if (j != always && random.unit() >= share) continue;
    changed[j] += static_cast<float>(noise * (random.unit() - 0.5));
  }
}

Recipe recipe(std::int64_t round, Random& random) {
  static constexpr std::array<Recipe, fixed_recipes> fixed = {
      {{1, 1, 0, 0}, {0.5, 1, 0, 0}, {1, 0.5, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {1, 1, 4, 0}}};
  if (round < fixed_recipes) return fixed[static_cast<std::size_t>(round)];
  Recipe drawn{2 * random.unit(), 2 * random.unit(), 0, 0};
  if (random.below(3) == 0) drawn.contention = 8 * random.unit();
  if (random.below(4) != 0) drawn.noise = std::exp2(3 - 6 * random.unit());
  return drawn;
}

void keys_from_offsets(std::span<const Offset> offsets, std::vector<float>& keys) {
  // Ranks, not offsets: the noise of perturb() then moves a job past a share of all others.
  const std::vector<JobIndex> order = by_offset(offsets);
  keys.resize(offsets.size());
  const float step = 16.0F / static_cast<float>(std::max<std::size_t>(order.size(), 1));
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    keys[static_cast<std::size_t>(order[rank])] = -step * static_cast<float>(rank);
}

}  // namespace tessera::search::boxing
