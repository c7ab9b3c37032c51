#include "totalizer.h"

namespace tessera::encoder {

std::vector<int> count(Backend& solver, std::span<const int> inputs) {
  if (inputs.size() <= 1) return {inputs.begin(), inputs.end()};
  const std::vector<int> left = count(solver, inputs.first(inputs.size() / 2));
  const std::vector<int> right = count(solver, inputs.subspan(inputs.size() / 2));
  std::vector<int> sums;
  for (std::size_t k = 0; k < inputs.size(); ++k) sums.push_back(solver.fresh());
  for (std::size_t k = 1; k < sums.size(); ++k) solver.clause({-sums[k], sums[k - 1]});
  for (std::size_t i = 0; i <= left.size(); ++i) {
    for (std::size_t j = 0; j <= right.size(); ++j) {
      if (i + j == 0) continue;
      solver.clause(
          {i == 0 ? never : -left[i - 1], j == 0 ? never : -right[j - 1], sums[i + j - 1]});
    }
  }
  return sums;
}

}  // namespace tessera::encoder
