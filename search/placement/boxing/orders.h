// Keys for stacking: the priority of each job.
//
//   Orders orders(instance);
//   orders.draw(recipe_of(3), random, keys);       // a fresh order
//   orders.perturb(best_keys, random, keys);       // one near a good one
//
// A key is a weighted sum of the logarithms of size, lifetime and contention (the largest load
// during the job's life), with noise. The weights select an order between "largest area" and
// "longest life"; the noise makes rounds differ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/random.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

struct Recipe {
  double size = 1;
  double life = 1;
  double contention = 0;
  double noise = 0;
};

class Orders {
 public:
  /// require: `instance` outlives the object.
  explicit Orders(const Instance& instance);

  void draw(const Recipe& recipe, Random& random, std::vector<float>& keys) const;
  /// Changes some keys: of random jobs, or of jobs live in a random time range.
  void perturb(std::span<const float> keys, Random& random, std::vector<float>& changed) const;

 private:
  const Instance* instance_;
  std::vector<float> size_;
  std::vector<float> life_;
  std::vector<float> contention_;
};

/// The first few recipes are fixed, the others random.
[[nodiscard]] Recipe recipe(std::int64_t round, Random& random);
inline constexpr std::int64_t fixed_recipes = 6;

/// Keys that reproduce the order of a placement, lowest offset first.
void keys_from_offsets(std::span<const Offset> offsets, std::vector<float>& keys);

}  // namespace tessera::search::boxing
