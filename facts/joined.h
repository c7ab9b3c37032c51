// Disjoint sets of indices (union-find).
//
//   Joined sets(problem.buffers.size());
//   sets.join(a, b);
//   if (sets.find(a) == sets.find(c)) ...      // they are in one set
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tessera::facts {

/// A set is represented by its least index.
class Joined {
 public:
  explicit Joined(std::size_t count) : root_(count) {
    std::iota(root_.begin(), root_.end(), std::size_t{0});
  }
  [[nodiscard]] std::size_t find(std::size_t i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    const std::size_t one = find(a);
    const std::size_t other = find(b);
    root_[std::max(one, other)] = std::min(one, other);
  }

 private:
  std::vector<std::size_t> root_;
};

}  // namespace tessera::facts
