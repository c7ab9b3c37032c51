#include "chains.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "granule.h"

namespace tessera::encoder {
namespace {

constexpr std::size_t most_cycles = 50;
constexpr double fine = 1000;        ///< values per order, on average
constexpr double most_orders = 600;  ///< with more of them, lemmas arrive too slowly

/// Values stay below `unbounded`, which is above every upper bound.
Size round_up(Size value, Size stride) {
  return value <= 0 ? 0 : std::min(unbounded, align_up(value, stride));
}

}  // namespace

std::vector<Lit> Chain::clause() const {
  std::vector<Lit> literals;
  if (base != 0) literals.push_back(-base);
  for (const std::uint32_t link : links) literals.push_back(-static_cast<Lit>(link) - 1);
  if (top != 0) literals.push_back(top);
  return literals;
}

ChainRules::ChainRules(const Formula& formula) : integers_(formula.integers()) {
  orders_.resize(integers_.size());
  multiples_.resize(integers_.size());
  for (const Integer& each : integers_) {
    rounds_ = rounds_ || each.stride != integers_.front().stride;
  }
  extend(formula);
}

void ChainRules::extend(const Formula& formula) {
  for (std::size_t i = atoms_.size(); i < formula.atoms().size(); ++i) {
    const Atom& atom = formula.atoms()[i];
    atoms_.push_back(atom);
    const auto index = static_cast<std::uint32_t>(i);
    if (atom.kind == AtomKind::at_least) borders_.push_back(index);
    if (atom.kind == AtomKind::before) orders_[atom.x].push_back(index);
    if (atom.kind == AtomKind::multiple) {
      rounds_ = true;
      multiples_[atom.x].push_back(index);
    }
  }
}

bool ChainRules::renumber(const Numbers& numbers) {
  amounts_.resize(atoms_.size());
  bool level = false;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    const Atom& atom = atoms_[i];
    if (atom.kind != AtomKind::at_least && atom.kind != AtomKind::before) continue;
    amounts_[i] = numbers.value(atom.amount);
    level = level || (atom.kind == AtomKind::before && amounts_[i] <= 0);
  }
  ranges_.clear();
  for (const Integer& each : integers_) {
    const Size upper = numbers.upper(each);
    ranges_.push_back(upper < 0 ? -1 : align_down(upper, each.stride));
  }
  // Around a cycle with a sum of at most 0, values rise only by rounding, with different strides:
  // possibly as many times as there are addresses.
  return !(rounds_ && level) && common_multiples_exist();
}

bool ChainRules::common_multiples_exist() const {
  for (IntIndex x = 0; x < integers_.size(); ++x) {
    Size common = integers_[x].stride;
    for (const std::uint32_t multiple : multiples_[x]) {
      const Size modulus = atoms_[multiple].modulus;
      const auto product = checked_mul(common, modulus / std::gcd(common, modulus));
      if (!product || *product > max_address) return false;
      common = *product;
    }
  }
  return true;
}

Size ChainRules::excess(const Chain& chain) const {
  if (chain.cycle) {
    // Both ends of an order are multiples of the greatest common divisor of their strides.
    Size sum = 0;
    for (const std::uint32_t link : chain.links) {
      const Size common =
          std::gcd(integers_[atoms_[link].x].stride, integers_[atoms_[link].y].stride);
      sum += rounded_up(amounts_[link], common);
    }
    return sum;
  }
  IntIndex last = chain.start;
  Size stride = integers_[last].stride;
  Size value = 0;
  if (chain.base != 0) value = round_up(amounts_[atom_of(chain.base)], stride);
  for (const std::uint32_t link : chain.links) {
    const Atom& atom = atoms_[link];
    if (atom.kind == AtomKind::before) {
      last = atom.y;
      stride = integers_[last].stride;
      value += amounts_[link];
    } else {
      stride = std::lcm(stride, atom.modulus);
    }
    value = round_up(value, stride);
  }
  return chain.top == 0 ? value - ranges_[last] : value - amounts_[atom_of(chain.top)] + 1;
}

std::vector<Chain> ChainRules::single_links() const {
  std::vector<Chain> result;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    Chain chain{.start = atoms_[i].x};
    if (atoms_[i].kind == AtomKind::before) chain.links.push_back(static_cast<std::uint32_t>(i));
    if (atoms_[i].kind == AtomKind::at_least) {
      chain.base = static_cast<Lit>(i + 1);
      if (excess(chain) > 0) result.push_back(chain);
      chain.top = chain.base;  // x >= n with n <= 0
      chain.base = 0;
    }
    if (atoms_[i].kind != AtomKind::boolean && excess(chain) > 0) result.push_back(chain);
  }
  for (IntIndex x = 0; x < integers_.size(); ++x) {
    if (ranges_[x] < 0) result.push_back({.start = x});
  }
  return result;
}

bool ChainRules::leads_back(IntIndex from, IntIndex to, std::uint32_t link) {
  Chain cycle{.start = to, .cycle = true};
  cycle.links.push_back(link);
  for (IntIndex x = from; x != to; x = atoms_[causes_[x]].x) {
    const std::uint32_t cause = causes_[x];
    if (cause == no_atom || atoms_[cause].kind == AtomKind::at_least) return false;
    cycle.links.push_back(cause);
  }
  if (excess(cycle) <= 0) return false;
  if (cycles_.size() < most_cycles) cycles_.push_back(std::move(cycle));
  return true;
}

void ChainRules::raise(IntIndex x, Size to, std::uint32_t cause) {
  if (to <= values_[x]) return;
  values_[x] = to;
  causes_[x] = cause;
  if (queued_[x] != 0) return;
  queued_[x] = 1;
  queue_.push_back(x);
}

bool ChainRules::push_down(const std::vector<signed char>& truth) {
  truth_ = truth;
  const std::size_t count = integers_.size();
  values_.assign(count, 0);
  causes_.assign(count, no_atom);
  uppers_ = ranges_;
  tops_.assign(count, no_atom);
  queued_.assign(count, 1);
  queue_.clear();
  cycles_.clear();
  strides_.clear();
  for (IntIndex x = 0; x < count; ++x) {
    queue_.push_back(x);
    strides_.push_back(integers_[x].stride);
    for (const std::uint32_t multiple : multiples_[x]) {
      if (truth_[multiple] > 0) strides_[x] = std::lcm(strides_[x], atoms_[multiple].modulus);
    }
  }
  for (const std::uint32_t border : borders_) {
    const IntIndex x = atoms_[border].x;
    if (truth_[border] > 0) {
      raise(x, round_up(amounts_[border], strides_[x]), border);
    } else if (truth_[border] < 0 && amounts_[border] - 1 < uppers_[x]) {
      uppers_[x] = amounts_[border] - 1;
      tops_[x] = border;
    }
  }
  while (!queue_.empty()) {
    const IntIndex x = queue_.front();
    queue_.pop_front();
    queued_[x] = 0;
    for (const std::uint32_t link : orders_[x]) {
      if (truth_[link] <= 0) continue;
      const IntIndex y = atoms_[link].y;
      const Size to = round_up(values_[x] + amounts_[link], strides_[y]);
      if (to > values_[y] && !leads_back(x, y, link)) raise(y, to, link);
    }
  }
  bool fits = cycles_.empty();
  for (IntIndex x = 0; x < count && fits; ++x) fits = values_[x] <= uppers_[x];
  return fits;
}

Chain ChainRules::chain_to(IntIndex x) const {
  Chain chain;
  if (tops_[x] != no_atom) chain.top = static_cast<Lit>(tops_[x]) + 1;
  // Backwards; the rounding of an integer follows the order that leads to it.
  for (;;) {
    for (const std::uint32_t multiple : multiples_[x]) {
      if (truth_[multiple] > 0) chain.links.push_back(multiple);
    }
    const std::uint32_t cause = causes_[x];
    if (cause == no_atom) break;
    if (atoms_[cause].kind == AtomKind::at_least) {
      chain.base = static_cast<Lit>(cause) + 1;
      break;
    }
    chain.links.push_back(cause);
    x = atoms_[cause].x;
  }
  std::reverse(chain.links.begin(), chain.links.end());
  chain.start = x;
  return chain;
}

std::vector<Chain> ChainRules::broken(std::size_t most) {
  std::vector<Chain> result = std::move(cycles_);
  for (IntIndex x = 0; x < integers_.size() && result.size() < most; ++x) {
    if (values_[x] <= uppers_[x]) continue;
    const std::uint32_t cause = causes_[x];
    if (cause != no_atom && atoms_[cause].kind == AtomKind::before) {
      const IntIndex below = atoms_[cause].x;
      // the chain exceeds the upper bound there already
      if (values_[below] > uppers_[below]) continue;
    }
    Chain chain = chain_to(x);
    if (excess(chain) <= 0) throw std::logic_error("a chain of orders does not explain an offset");
    shorten(chain);
    result.push_back(std::move(chain));
  }
  return result;
}

/// Fewer literals make a stronger lemma.
void ChainRules::shorten(Chain& chain) const {
  const auto accept = [&](Chain shorter) {
    if (excess(shorter) <= 0) return false;
    chain = std::move(shorter);
    return true;
  };
  if (chain.base != 0) {
    Chain without = chain;
    without.base = 0;
    static_cast<void>(accept(without));
  }
  while (chain.base == 0 && !chain.links.empty()) {
    Chain without = chain;
    const Atom& first = atoms_[chain.links.front()];
    if (first.kind == AtomKind::before) without.start = first.y;
    without.links.erase(without.links.begin());
    if (!accept(without)) break;
  }
  for (std::size_t k = chain.links.size(); k-- > 0;) {
    if (atoms_[chain.links[k]].kind != AtomKind::multiple) continue;
    Chain without = chain;
    without.links.erase(without.links.begin() + static_cast<std::ptrdiff_t>(k));
    static_cast<void>(accept(without));
  }
  while (shortcut(chain)) {
  }
}

/// Bypasses the buffer that contributes least, if a true order allows it.
bool ChainRules::shortcut(Chain& chain) const {
  std::optional<Chain> best;
  Size best_excess = 0;
  for (std::size_t k = 1; k < chain.links.size(); ++k) {
    const Atom& first = atoms_[chain.links[k - 1]];
    const Atom& second = atoms_[chain.links[k]];
    if (first.kind != AtomKind::before || second.kind != AtomKind::before) continue;
    for (const std::uint32_t past : orders_[first.x]) {
      if (truth_[past] <= 0 || atoms_[past].y != second.y) continue;
      Chain shorter = chain;
      shorter.links[k - 1] = past;
      shorter.links.erase(shorter.links.begin() + static_cast<std::ptrdiff_t>(k));
      const Size left = excess(shorter);
      if (left <= best_excess) continue;
      best_excess = left;
      best = std::move(shorter);
    }
  }
  if (best) chain = std::move(*best);
  return best.has_value();
}

bool chains_are_faster(const Formula& formula, const Numbers& numbers) {
  const Grid grid = grid_of(formula, numbers);
  double values = 0;
  double orders = 0;
  for (const Atom& atom : formula.atoms()) {
    if (atom.kind != AtomKind::before) continue;
    values +=
        static_cast<double>(std::min(grid.domains[atom.x].steps(), grid.domains[atom.y].steps()));
    ++orders;
  }
  return orders <= most_orders && values > fine * orders;
}

bool chains_pay(const Formula& formula, const Numbers& numbers) {
  return chains_are_faster(formula, numbers) && ChainRules(formula).renumber(numbers);
}

}  // namespace tessera::encoder
