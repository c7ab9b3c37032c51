#include "order.h"

#include <algorithm>
#include <bit>

namespace tessera::search::learning {

ItemIndex OrderRules::add_item(const State& state, Var var, Value begin, Value end) {
  items_.push_back({var, {begin, state.span(var) - end}, end - begin});
  return static_cast<ItemIndex>(items_.size() - 1);
}

Key OrderRules::add_pair(State& state, ItemIndex i, ItemIndex j) {
  const Key key = key_of(state.add_bool(), 0);
  set_pair(i, j, key);
  set_pair(j, i, opposite(key));
  add_edge(state, key, items_[i].var, items_[j].var,
           items_[i].shift[0] + items_[i].length - items_[j].shift[0]);
  add_edge(state, opposite(key), items_[j].var, items_[i].var,
           items_[j].shift[0] + items_[j].length - items_[i].shift[0]);
  edges_[key].lower = edges_[opposite(key)].upper = i;
  edges_[key].upper = edges_[opposite(key)].lower = j;
  return key;
}

std::pair<Key, Key> OrderRules::add_loose_pair(State& state, ItemIndex i, ItemIndex j) {
  const Key ij = key_of(state.add_bool(), 0);
  const Key ji = key_of(state.add_bool(), 0);
  set_pair(i, j, ij);
  set_pair(j, i, ji);
  add_edge(state, ij, items_[i].var, items_[j].var,
           items_[i].shift[0] + items_[i].length - items_[j].shift[0]);
  add_edge(state, ji, items_[j].var, items_[i].var,
           items_[j].shift[0] + items_[j].length - items_[i].shift[0]);
  edges_[ij].lower = edges_[ji].upper = i;
  edges_[ij].upper = edges_[ji].lower = j;
  return {ij, ji};
}

void OrderRules::set_pair(ItemIndex i, ItemIndex j, Key key) {
  pairs_.push_back({i, j, key});
}

void OrderRules::add_edge(const State& state, Key key, Var source, Var target, Value distance) {
  if (edges_.size() <= (key | 1)) edges_.resize((key | 1) + 1);
  edges_[key] = {source,
                 target,
                 {distance, state.span(target) + distance - state.span(source)},
                 no_item,
                 no_item};
}

void OrderRules::finish(const State& state, Poll& poll) {
  stride_ = items_.size();
  words_ = (items_.size() + 63) / 64;
  pair_.assign(stride_ * stride_, no_key);
  related_.assign(stride_ * words_, 0);
  for (auto& side : after_) side.assign(stride_ * words_, 0);
  poll.check();
  for (const Pair& pair : pairs_) {
    poll();
    pair_[pair.i * stride_ + pair.j] = pair.key;
    related_[pair.i * words_ + pair.j / 64] |= std::uint64_t{1} << (pair.j % 64);
  }
  for (const Alias& alias : aliases_) {
    pair_[alias.part_i * stride_ + alias.part_j] = below(alias.i, alias.j);
    pair_[alias.part_j * stride_ + alias.part_i] = below(alias.j, alias.i);
  }
  edges_.resize(2 * state.variables());
  raised_.assign(2 * state.variables(), {});
  place_.assign(2 * state.variables(), -1);
  arcs_.assign(2 * state.variables(), {});
  for (Key key = 0; key < edges_.size(); ++key) {
    const Edge* e = edge(key);
    if (e == nullptr) continue;
    poll(2);
    arcs_[key_of(e->source, 0)].push_back({key, e->target, e->weight[0]});
    arcs_[key_of(e->target, 1)].push_back({key, e->source, e->weight[1]});
  }
}

void OrderRules::renew(const State& state) {
  for (auto& side : after_) std::fill(side.begin(), side.end(), 0);
  for (Item& item : items_) item.length = state.span(item.var);
  for (Edge& e : edges_)
    if (e.lower != no_item) {
      e.weight[0] = items_[e.lower].length;
      e.weight[1] = items_[e.upper].length;
    }
  for (Key key = 0; key < arcs_.size(); ++key)
    for (Arc& arc : arcs_[key]) arc.weight = edges_[arc.lit].weight[side_of(key)];
}

void OrderRules::undo_pair(Key key) {
  const Edge* e = edge(key);
  if (e == nullptr || e->lower == no_item) return;
  after_[0][e->lower * words_ + e->upper / 64] &= ~(std::uint64_t{1} << (e->upper % 64));
  after_[1][e->upper * words_ + e->lower / 64] &= ~(std::uint64_t{1} << (e->lower % 64));
}

bool OrderRules::propagate_pair(State& state, Key key) {
  const Edge* e = edge(key);
  if (e == nullptr || e->lower == no_item) return true;
  const ItemIndex i = e->lower;
  const ItemIndex j = e->upper;
  after_[0][i * words_ + j / 64] |= std::uint64_t{1} << (j % 64);
  after_[1][j * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
  if (!triangles_) return true;
  // On both sides: what is beyond j is beyond i, and what is before i is before j.
  for (unsigned side = 0; side < 2; ++side) {
    const ItemIndex near = side == 0 ? i : j;
    const ItemIndex far = side == 0 ? j : i;
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t fresh = after_[side][far * words_ + w] & related_[near * words_ + w] &
                            ~after_[side][near * words_ + w];
      for (; fresh != 0; fresh &= fresh - 1) {
        const auto k =
            static_cast<ItemIndex>(w * 64 + static_cast<unsigned>(std::countr_zero(fresh)));
        const Key second = side == 0 ? below(j, k) : below(k, i);
        const Key third = side == 0 ? below(i, k) : below(k, j);
        if (!state.raise({third, 1}, {.rule = Rule::triangle, .a = key, .b = second})) return false;
      }
    }
  }
  return true;
}

bool OrderRules::follow(State& state, Key key, const Edge& e) {
  for (unsigned side = 0; side < 2; ++side) {
    const Var from = side == 0 ? e.source : e.target;
    const Var to = side == 0 ? e.target : e.source;
    if (!raise(state, {key_of(to, side), state.bound(key_of(from, side)) + e.weight[side]}, key,
               side))
      return false;
  }
  return true;
}

bool OrderRules::raise(State& state, Lit lit, Key edge, unsigned side) {
  constexpr std::uint32_t often = 4;  // first at this count, then whenever it has doubled
  if (state.holds(lit)) return true;
  if (!state.raise(lit, {.rule = Rule::edge, .side = static_cast<std::uint8_t>(side), .a = edge}))
    return false;
  Raised& raised = raised_[lit.key];
  if (raised.round != round_) raised = {round_, 0};
  ++raised.times;
  if (raised.times < often || !std::has_single_bit(raised.times)) return true;
  return !find_cycle(state, lit.key);
}

/// Follows edges backwards from the raised bound to their begin or to a repetition.
bool OrderRules::find_cycle(const State& state, Key key) {
  std::vector<Key> edges;
  std::vector<Key> visited;
  const auto entry_before = [&](Key of, std::int32_t before) {
    std::int32_t at = state.entry_of({of, state.bound(of)});
    while (at >= before) at = state.entry(at).previous;
    return at;
  };
  for (std::int32_t at = entry_before(key, state.size()); at >= 0;) {
    const Entry& entry = state.entry(at);
    if (entry.reason.rule == Rule::stride) {  // rounded up from its previous value
      at = entry.previous;
      continue;
    }
    if (entry.reason.rule != Rule::edge) break;
    if (place_[entry.key] >= 0) {
      edges.erase(edges.begin(), edges.begin() + place_[entry.key]);
      // Alignment also raises bounds, and usually stops: see State::raise().
      Value distance = 0;
      for (const Key each : edges) distance += edges_[each].weight[side_of(entry.key)];
      if (distance > 0) cycle_ = std::move(edges);
      break;
    }
    place_[entry.key] = static_cast<std::int32_t>(edges.size());
    visited.push_back(entry.key);
    edges.push_back(entry.reason.a);
    const Edge& e = edges_[entry.reason.a];
    at = entry_before(key_of(entry.reason.side == 0 ? e.source : e.target, entry.reason.side), at);
  }
  for (const Key each : visited) place_[each] = -1;
  return !cycle_.empty();
}

bool OrderRules::propagate_edges(State& state, Key key, std::uint64_t& work) {
  const Var var = var_of(key);
  if (state.is_bool(var)) {
    const Edge* e = edge(key);
    return e == nullptr || follow(state, key, *e);
  }
  const unsigned side = side_of(key);
  const Value start = state.bound(key);
  work += arcs_[key].size();
  for (const Arc& arc : arcs_[key]) {
    if (state.bound(arc.lit) > 0) {
      if (!raise(state, {key_of(arc.target, side), start + arc.weight}, arc.lit, side))
        return false;
    } else if (state.bound(opposite(arc.lit)) == 0 &&
               start + arc.weight + state.bound(key_of(arc.target, 1 - side)) +
                       state.span(arc.target) >
                   0) {
      if (!state.raise(
              {opposite(arc.lit), 1},
              {.rule = Rule::forced, .side = static_cast<std::uint8_t>(side), .a = arc.lit}))
        return false;
    }
  }
  return true;
}

void OrderRules::explain(const State& state, const Reason& reason, Lit lit, std::int32_t at,
                         bool generalise, std::vector<Lit>& premises) const {
  if (reason.rule == Rule::cycle) {
    for (const Key edge : cycle_) premises.push_back({edge, 1});
    return;
  }
  if (reason.rule == Rule::triangle) {
    premises.push_back({reason.a, 1});
    premises.push_back({reason.b, 1});
    return;
  }
  const Edge& e = edges_[reason.a];
  const unsigned side = reason.side;
  const Var from = side == 0 ? e.source : e.target;
  const Var to = side == 0 ? e.target : e.source;
  if (reason.rule == Rule::edge) {
    premises.push_back({reason.a, 1});
    premises.push_back({key_of(from, side), state.unrounded(lit).value - e.weight[side]});
    return;
  }
  // Forced: start(from) + weight > latest start(to). Both bounds could be lower by the slack. It is
  // spent on the later one, unless the earlier one then needs no literal.
  Lit low{key_of(from, side), state.bound_before(key_of(from, side), at)};
  Lit high{key_of(to, 1 - side), state.bound_before(key_of(to, 1 - side), at)};
  const Value slack = low.value + e.weight[side] + high.value + state.span(to) - 1;
  if (generalise && slack > 0) {
    const std::int32_t low_at = state.entry_of({low.key, low.value - slack});
    const std::int32_t high_at = state.entry_of({high.key, high.value - slack});
    const bool spend_low =
        low_at < 0 || (high_at >= 0 && state.entry_of(low) > state.entry_of(high));
    (spend_low ? low : high).value -= slack;
  }
  premises.push_back(low);
  premises.push_back(high);
}

}  // namespace tessera::search::learning
