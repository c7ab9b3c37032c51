#include "place.h"

#include <algorithm>
#include <numeric>

namespace tessera::learning {
namespace {

constexpr Var nobody = ~Var{0};
constexpr double activity_decay = 0.95;

}  // namespace

PlaceSearch::PlaceSearch(const Deduction& deduction, const Plan& plan, std::uint64_t seed)
    : deduction_(deduction), plan_(plan), random_(seed) {
  const std::size_t variables = deduction.state.variables();
  ground_.resize(variables, 0);
  rank_.resize(variables, 0);
  activity_.resize(variables, 0);
  for (const Var var : plan_.offsets) ground_[var] = low(var);
}

// splitmix64 (Steele, Lea, Flood 2014): the same numbers with every library.
double PlaceSearch::unit() {
  random_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = random_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

void PlaceSearch::rank(Order order, double noise) {
  const std::size_t n = plan_.offsets.size();
  std::vector<std::array<double, 3>> facts(n);
  for (std::size_t b = 0; b < n; ++b) {
    const Looks& l = plan_.looks[b];
    const double area = l.length * l.size;
    switch (order) {
      case Order::load_length:
        facts[b] = {l.load, l.length, area};
        break;
      case Order::load_area:
        facts[b] = {l.load, area, l.length};
        break;
      case Order::length:
        facts[b] = {l.length, area, l.load};
        break;
      case Order::overlaps:
        facts[b] = {l.overlaps, l.size, l.length};
        break;
      case Order::area:
        facts[b] = {area, l.length, l.load};
        break;
    }
    // The load stays as it is: that many buffers share it says what is contended.
    const bool load_first = order == Order::load_length || order == Order::load_area;
    for (std::size_t k = load_first ? 1 : 0; k < 3; ++k) facts[b][k] *= 1 + noise * unit();
  }
  std::vector<std::size_t> sorted(n);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
    return facts[a] != facts[b] ? facts[a] > facts[b] : a < b;
  });
  for (std::size_t k = 0; k < n; ++k)
    rank_[plan_.offsets[sorted[k]]] = static_cast<std::uint32_t>(k);
}

// Every order as it is, then again and again with noise and with more conflicts.
void PlaceSearch::begin_turn(bool light) {
  struct Try {
    Order order;
    bool active;
  };
  static constexpr std::array<Try, 6> tries = {{{Order::load_length, false},
                                                {Order::length, false},
                                                {Order::overlaps, false},
                                                {Order::load_area, false},
                                                {Order::area, false},
                                                {Order::load_length, true}}};
  static constexpr std::array<double, 3> noises = {1.0, 0.1, 0.3};
  // Following conflicts pays only where much is deduced from them.
  const std::size_t count = tries.size() - (light ? 1 : 0);
  std::size_t& turns = turns_[light ? 1 : 0];
  const std::size_t round = turns / count;
  const Try& now = tries[turns % count];
  ++turns;
  rank(now.order, round == 0 ? 0.0 : noises[round % noises.size()]);
  active_ = now.active;
  budget_ = light ? 300 : 60;
  budget_ += budget_ / 8 * static_cast<std::int64_t>(round);
}

void PlaceSearch::decay() {
  step_ /= activity_decay;
  if (step_ < 1e100) return;
  for (double& each : activity_) each *= 1e-100;
  step_ *= 1e-100;
}

// A bound raised by a learned clause is neither ground nor support: then something open has to lie
// below, and trying the next address would be creeping.
bool PlaceSearch::rests(Var var) const {
  const State& state = deduction_.state;
  const Value at = low(var);
  if (at == ground_[var]) return true;
  for (const Neighbour& each : plan_.neighbours[var]) {
    if (!state.fixed(each.var)) continue;
    const Edge& edge = *deduction_.orders.edge(each.above);
    if (state.bound(opposite(each.above)) > 0) continue;
    const Value top = low(each.var) + edge.weight[0];
    if (top <= at && top > at - state.stride(var)) return true;
  }
  return false;
}

/// From a variable to one that nothing open would fit under.
Var PlaceSearch::descend(Var var) const {
  const State& state = deduction_.state;
  for (;;) {
    Var below = nobody;
    for (const Neighbour& each : plan_.neighbours[var]) {
      if (state.fixed(each.var) || state.bound(opposite(each.above)) > 0) continue;
      if (low(each.var) + deduction_.orders.edge(each.above)->weight[0] > low(var)) continue;
      if (below == nobody || low(each.var) < low(below)) below = each.var;
    }
    if (below == nobody) return var;
    var = below;
  }
}

PlaceSearch::Step PlaceSearch::next() const {
  const State& state = deduction_.state;
  Var best = nobody;
  const auto before = [&](Var var) {
    if (best == nobody) return true;
    if (active_ && activity_[var] != activity_[best]) return activity_[var] > activity_[best];
    if (low(var) != low(best)) return low(var) < low(best);
    return rank_[var] < rank_[best];
  };
  for (const Var var : plan_.offsets)
    if (!state.fixed(var) && before(var)) best = var;
  if (best == nobody) return {};
  if (active_) best = descend(best);
  if (rests(best)) return {Step::Kind::decide, best};
  if (deduction_.rests.governs(best)) return {Step::Kind::lift, best};
  best = nobody;
  for (const Var var : plan_.offsets)
    if (!state.fixed(var) && (best == nobody || rank_[var] < rank_[best]) && rests(var) &&
        descend(var) == var)
      best = var;
  if (best == nobody) return {};
  return {Step::Kind::decide, best};
}

}  // namespace tessera::learning
