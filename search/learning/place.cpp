#include "place.h"

#include <algorithm>
#include <numeric>

namespace tessera::search::learning {
namespace {

constexpr Var no_var = ~Var{0};
constexpr float blame_growth = 1.5F;  // weight of a conflict relative to the previous one

}  // namespace

PlaceSearch::PlaceSearch(const Deduction& deduction, const Plan& plan, std::uint64_t seed)
    : deduction_(deduction), plan_(plan), random_(seed) {
  const std::size_t variables = deduction.state.variables();
  ground_.resize(variables, 0);
  rank_.resize(variables, 0);
  blame_.resize(deduction.sections.size(), 0);
  for (const Var var : plan_.offsets) ground_[var] = low(var);
}

void PlaceSearch::renew() {
  turns_ = {0, 0};
  std::ranges::fill(blame_, 0.0F);
  next_blame_ = 1;
}

void PlaceSearch::rank(Order order, double noise) {
  const std::size_t n = plan_.offsets.size();
  std::vector<std::array<double, 3>> facts(n);
  for (std::size_t b = 0; b < n; ++b) {
    const BufferTraits& l = plan_.traits[b];
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
    // No noise for the load: many buffers share it, and it shows the contended steps.
    const bool load_first = order == Order::load_length || order == Order::load_area;
    for (std::size_t k = load_first ? 1 : 0; k < 3; ++k) facts[b][k] *= 1 + noise * random_.unit();
  }
  std::vector<std::size_t> sorted(n);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
    return facts[a] != facts[b] ? facts[a] > facts[b] : a < b;
  });
  for (std::size_t k = 0; k < n; ++k)
    rank_[plan_.offsets[sorted[k]]] = static_cast<std::uint32_t>(k);
}

// Each order once unchanged, then repeatedly with noise and more conflicts.
void PlaceSearch::begin_turn(bool light) {
  struct Try {
    Order order;
    bool blamed;
  };
  static constexpr std::array<Try, 7> tries = {{{Order::load_length, false},
                                                {Order::length, false},
                                                {Order::load_length, true},
                                                {Order::overlaps, false},
                                                {Order::length, true},
                                                {Order::load_area, false},
                                                {Order::area, false}}};
  static constexpr std::array<double, 3> noises = {1.0, 0.1, 0.3};
  std::size_t& turns = turns_[light ? 1 : 0];
  const std::size_t round = turns / tries.size();
  const Try& now = tries[turns % tries.size()];
  ++turns;
  rank(now.order, round == 0 ? 0.0 : noises[round % noises.size()]);
  blamed_ = now.blamed;
  budget_ = light ? 800 : 80;
  budget_ += budget_ / 8 * static_cast<std::int64_t>(round);
}

void PlaceSearch::blame(std::span<const std::uint32_t> sections) {
  for (const std::uint32_t id : sections) blame_[id] += next_blame_;
  next_blame_ *= blame_growth;
  if (next_blame_ < 1e30F) return;
  for (float& each : blame_) each *= 1e-30F;
  next_blame_ *= 1e-30F;
}

// A bound raised by a learned clause is neither ground nor support. Then some unplaced item has to
// be below, and trying the next address would only raise the bound bit by bit.
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

/// From a variable to one under which no unplaced item fits. Windows of gaps may let two items lie
/// below each other, so each step leads to an earlier one.
Var PlaceSearch::descend(Var var) const {
  const State& state = deduction_.state;
  for (;;) {
    Var below = no_var;
    for (const Neighbour& each : plan_.neighbours[var]) {
      if (state.fixed(each.var) || state.bound(opposite(each.above)) > 0) continue;
      if (!before(each.var, var)) continue;
      if (low(each.var) + deduction_.orders.edge(each.above)->weight[0] > low(var)) continue;
      if (below == no_var || low(each.var) < low(below)) below = each.var;
    }
    if (below == no_var) return var;
    var = below;
  }
}

bool PlaceSearch::before(Var var, Var other) const {
  if (other == no_var) return true;
  return low(var) != low(other) ? low(var) < low(other) : rank_[var] < rank_[other];
}

Var PlaceSearch::lowest() const {
  Var best = no_var;
  for (const Var var : plan_.offsets)
    if (!deduction_.state.fixed(var) && before(var, best)) best = var;
  return best;
}

Var PlaceSearch::lowest_of_blamed() const {
  Var best = no_var;
  float most = 0;
  for (std::uint32_t id = 0; id < blame_.size(); ++id) {
    if (blame_[id] <= most) continue;
    Var found = no_var;
    for (const auto& each : deduction_.sections.open(id))
      if (!deduction_.state.fixed(each.var) && before(each.var, found)) found = each.var;
    if (found == no_var) continue;
    best = found;
    most = blame_[id];
  }
  return best == no_var ? lowest() : descend(best);
}

PlaceSearch::Step PlaceSearch::next() const {
  Var best = blamed_ ? lowest_of_blamed() : lowest();
  if (best == no_var) return {};
  if (rests(best)) return {Step::Kind::decide, best};
  if (deduction_.rests.governs(best)) return {Step::Kind::lift, best};
  best = no_var;
  for (const Var var : plan_.offsets)
    if (!deduction_.state.fixed(var) && (best == no_var || rank_[var] < rank_[best]) &&
        rests(var) && descend(var) == var)
      best = var;
  if (best == no_var) return {};
  return {Step::Kind::decide, best};
}

}  // namespace tessera::search::learning
