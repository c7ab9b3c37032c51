#include "granule.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tessera::encoder {
namespace {

/// The greatest common divisor of all numbers whose sums are offsets: amounts of orders, and lower
/// bounds.
Size common_divisor(const Formula& formula, const Numbers& numbers) {
  std::vector<char> is_lower_bound(formula.atoms().size(), 0);
  for (std::size_t c = 0; c < formula.clauses().size(); ++c) {
    for (const Lit literal : formula.clauses()[c]) {
      if (literal > 0) is_lower_bound[static_cast<std::size_t>(literal) - 1] = 1;
    }
  }
  Size divisor = 0;
  for (std::size_t i = 0; i < formula.atoms().size() && divisor != 1; ++i) {
    const Atom& atom = formula.atoms()[i];
    if (atom.kind == AtomKind::before) {
      const Size stride =
          std::gcd(formula.integers()[atom.x].stride, formula.integers()[atom.y].stride);
      divisor = std::gcd(divisor, rounded_up(numbers.value(atom.amount), stride));
    } else if (atom.kind == AtomKind::at_least && is_lower_bound[i] != 0) {
      const Size bound = std::max<Size>(0, numbers.value(atom.amount));
      divisor = std::gcd(divisor, align_up(bound, formula.integers()[atom.x].stride));
    }
  }
  return divisor;
}

}  // namespace

Grid grid_of(const Formula& formula, const Numbers& numbers) {
  std::set<Size> strides;
  for (const Integer& each : formula.integers()) strides.insert(each.stride);
  for (const Atom& atom : formula.atoms()) {
    if (atom.kind == AtomKind::multiple) strides.insert(atom.modulus);
  }
  Grid grid;
  // Without any amount, 0 is the only sum; the largest stride is a valid unit.
  grid.unit = common_divisor(formula, numbers);
  if (grid.unit == 0) grid.unit = strides.empty() ? 1 : *strides.rbegin();
  for (bool changed = true; changed;) {
    changed = false;
    for (const Size stride : strides) {
      if (grid.unit % stride == 0 || stride % grid.unit == 0) continue;
      grid.unit = std::gcd(grid.unit, stride);
      changed = true;
    }
  }
  grid.domains.reserve(formula.integers().size());
  for (const Integer& each : formula.integers()) {
    const Size upper = numbers.upper(each);
    Domain domain{.stride = std::max(each.stride, grid.unit)};
    domain.last = upper < 0 ? -1 : align_down(upper, domain.stride);
    grid.empty = grid.empty || upper < 0;
    grid.domains.push_back(domain);
  }
  return grid;
}

Size rounded_up(Size value, Size stride) {
  return value >= 0 ? align_up(value, stride) : -align_down(-value, stride);
}

Size rounded_amount(const Numbers& numbers, const Grid& grid, const Atom& before) {
  return rounded_up(numbers.value(before.amount),
                    std::gcd(grid.domains[before.x].stride, grid.domains[before.y].stride));
}

}  // namespace tessera::encoder
