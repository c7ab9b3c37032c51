#include "totalizer.h"

#include <algorithm>
#include <map>

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

namespace {

/// Per reachable sum (capped at most + 1) a literal that is true if the sum reaches it.
using Sums = std::map<Cost, int>;

Sums sums_of(std::span<const std::pair<int, Cost>> weighted, Cost most,
             const std::function<int()>& fresh, const ClauseSink& clause) {
  const Cost cap = most + 1;
  if (weighted.size() == 1) return {{std::min(cap, weighted[0].second), weighted[0].first}};
  const Sums left = sums_of(weighted.first(weighted.size() / 2), most, fresh, clause);
  const Sums right = sums_of(weighted.subspan(weighted.size() / 2), most, fresh, clause);
  Sums result;
  const auto imply = [&](Cost sum, std::initializer_list<int> literals) {
    const auto [entry, is_new] = result.try_emplace(std::min(cap, sum), 0);
    if (is_new) entry->second = fresh();
    std::vector<int> each(literals);
    each.push_back(entry->second);
    clause(each);
  };
  for (const auto& [a, x] : left) imply(a, {-x});
  for (const auto& [b, y] : right) imply(b, {-y});
  for (const auto& [a, x] : left) {
    for (const auto& [b, y] : right) imply(a + b, {-x, -y});
  }
  // A larger sum reaches every smaller one.
  for (auto larger = result.begin(); larger != result.end(); ++larger) {
    if (larger != result.begin()) {
      const int both[] = {-larger->second, std::prev(larger)->second};
      clause(both);
    }
  }
  return result;
}

}  // namespace

void limit_sum(std::span<const std::pair<int, Cost>> weighted, Cost most,
               const std::function<int()>& fresh, const ClauseSink& clause) {
  if (weighted.empty()) return;
  const Sums sums = sums_of(weighted, most, fresh, clause);
  if (const auto over = sums.find(most + 1); over != sums.end()) {
    const int unit[] = {-over->second};
    clause(unit);
  }
}

}  // namespace tessera::encoder
