#include "search/schedule/layers.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

namespace tessera::search {
namespace {

constexpr std::size_t no_state = static_cast<std::size_t>(-1);
/// Sets of kept items per step, unless all choices are tried.
constexpr std::size_t kept_choices = 8;
/// Items of which all subsets are tried.
constexpr std::size_t most_items = 62;

struct State {
  OpSet done, stored, closed;
  std::vector<OpId> kept{};
  OpSet needed;  ///< ops that have to run
  double cost = 0;
  double estimate = 0;  ///< of the whole schedule
  double bound = 0;     ///< of the whole schedule
  std::size_t parent = no_state;
  std::uint32_t group = 0;
  std::vector<OpId> written{};  ///< by the step that led here
  bool dead = false;            ///< dominated
};

class Search {
 public:
  Search(const GroupGraph& graph, GroupCosts& costs, const GroupPool& pool, const OpValues& values,
         const LayerParams& params)
      : graph_(graph), costs_(costs), pool_(pool), values_(values), params_(params) {
    result_.cost = params.below;
    for (OpId op = 0; op < graph.ops(); ++op)
      if (graph.readers[op].empty()) final_.push_back(op);
    find_related();
  }

  LayerResult run() {
    layers_.resize(graph_.ops() + 1);
    State start{.done = OpSet(graph_.ops()),
                .stored = OpSet(graph_.ops()),
                .closed = OpSet(graph_.ops()),
                .needed = OpSet(graph_.ops())};
    find_needed(start);
    insert(std::move(start));
    for (std::size_t layer = 0; layer < layers_.size() && !stopped_; ++layer) expand_layer(layer);
    if (best_ != no_state) result_.steps = steps_to(best_);
    return std::move(result_);
  }

 private:
  struct Layer {
    std::vector<std::size_t> states{};  ///< not yet expanded, the best `width` of them or more
    double worst = infinity;            ///< estimate from which on states are left out
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> alike{};
  };

  /// Ops on whose order something depends: an op, and what any of its groups needs.
  void find_related() {
    std::vector<OpSet> before(graph_.ops(), OpSet(graph_.ops()));
    std::vector<std::size_t> missing(graph_.ops());
    std::vector<OpId> order;
    for (OpId op = 0; op < graph_.ops(); ++op) {
      missing[op] = graph_.reads[op].size();
      if (missing[op] == 0) order.push_back(op);
    }
    for (std::size_t at = 0; at < order.size(); ++at)
      for (const OpId reader : graph_.readers[order[at]]) {
        before[reader].insert(order[at]);
        before[reader] |= before[order[at]];
        if (--missing[reader] == 0) order.push_back(reader);
      }
    related_.assign(graph_.ops(), OpSet(graph_.ops()));
    for (const Group& group : pool_.groups) {
      OpSet all = group.ops | group.outside;
      group.outside.each([&](OpId item) { all |= before[item]; });
      for (const OpId op : group.members) related_[op] |= all;
    }
  }

  void find_needed(State& state) const {
    std::vector<OpId> todo;
    const auto need = [&](OpId op) {
      if (state.needed.contains(op)) return;
      state.needed.insert(op);
      todo.push_back(op);
    };
    state.needed = OpSet(graph_.ops());
    for (OpId op = 0; op < graph_.ops(); ++op)
      if (!state.done.contains(op)) need(op);
    for (const OpId op : final_)
      if (!state.stored.contains(op)) need(op);
    while (!todo.empty()) {
      const OpId op = todo.back();
      todo.pop_back();
      for (const OpId item : graph_.reads[op])
        if (!state.stored.contains(item) && !kept(state, item)) need(item);
    }
    state.estimate = state.cost;
    state.bound = state.cost;
    state.needed.each([&](OpId op) {
      state.estimate += values_.estimate[op];
      state.bound += values_.bound[op];
    });
  }

  [[nodiscard]] static bool kept(const State& state, OpId item) {
    return std::ranges::find(state.kept, item) != state.kept.end();
  }
  /// True if no schedule with this lower bound improves the result.
  [[nodiscard]] bool no_better(double bound) const {
    return bound >= result_.cost * (1 - tolerance);
  }

  void insert(State&& state) {
    if (state.needed.empty()) {
      if (state.cost < result_.cost * (1 - tolerance)) {
        result_.cost = state.cost;
        states_.push_back(std::move(state));
        best_ = states_.size() - 1;
      }
      return;
    }
    Layer& layer = layers_[state.done.size()];
    if (state.estimate >= layer.worst) {
      result_.cut = true;
      return;
    }
    std::uint64_t key = state.done.hash();
    for (const OpId item : state.kept) key = (key ^ item) * 0x9e3779b97f4a7c15U;
    std::vector<std::size_t>& alike = layer.alike[key];
    for (const std::size_t other : alike) {
      State& known = states_[other];
      if (known.dead || !(known.done == state.done) || known.kept != state.kept) continue;
      if (known.cost <= state.cost && known.stored.contains(state.stored) &&
          state.closed.contains(known.closed))
        return;
      if (state.cost <= known.cost && state.stored.contains(known.stored) &&
          known.closed.contains(state.closed))
        known.dead = true;
    }
    alike.push_back(states_.size());
    layer.states.push_back(states_.size());
    states_.push_back(std::move(state));
    if (layer.states.size() >= 2 * params_.width + 16) shrink(layer, params_.width);
  }

  [[nodiscard]] bool better(std::size_t a, std::size_t b) const {
    return states_[a].estimate < states_[b].estimate ||
           (states_[a].estimate == states_[b].estimate && a < b);
  }

  void shrink(Layer& layer, std::size_t width) {
    std::erase_if(layer.states, [&](std::size_t k) { return states_[k].dead; });
    if (layer.states.size() <= width) return;
    std::ranges::sort(layer.states, [&](auto a, auto b) { return better(a, b); });
    layer.worst = states_[layer.states[width]].estimate;
    layer.states.resize(width);
    result_.cut = true;
  }

  void expand_layer(std::size_t index) {
    std::size_t expanded = 0;
    while (!layers_[index].states.empty() && expanded < params_.width) {
      std::vector<std::size_t>& states = layers_[index].states;
      const auto at =
          std::ranges::min_element(states, [&](auto a, auto b) { return better(a, b); });
      // Expanding inserts states, also into this layer.
      if (expanded == 0) {
        shrink(layers_[index], params_.width);
        std::ranges::sort(states, [&](auto a, auto b) { return better(b, a); });
      }
      const std::size_t state = expanded == 0 ? states.back() : *at;
      if (expanded == 0)
        states.pop_back();
      else
        states.erase(at);
      if (states_[state].dead || no_better(states_[state].bound)) continue;
      ++expanded;
      ++result_.expanded;
      if (params_.stop && params_.stop()) {
        stopped_ = true;
        result_.cut = true;
        return;
      }
      expand(state);
      if (stopped_) return;
    }
    if (!layers_[index].states.empty()) result_.cut = true;
    layers_[index] = {};
  }

  /// The groups that a state may continue with, best estimates first.
  std::vector<std::pair<double, std::uint32_t>> next_groups(const State& state) {
    OpSet available = state.stored;
    OpSet fast(graph_.ops());
    for (const OpId item : state.kept) fast.insert(item);
    available |= fast;
    available -= state.closed;
    OpSet wanted = state.needed;
    if (!params_.all_choices && state.kept.empty()) {
      const OpId first = first_ready(state, available);
      wanted &= related_[first];
    }
    std::vector<std::pair<double, std::uint32_t>> out;
    for (std::uint32_t k = 0; k < pool_.groups.size(); ++k) {
      const Group& group = pool_.groups[k];
      if (!available.contains(group.outside)) continue;
      // A step of ops that need not run may still keep an item for the next step.
      if (!params_.all_choices &&
          (!group.ops.meets(wanted) || (!state.kept.empty() && !group.outside.meets(fast))))
        continue;
      double estimate = state.estimate + group.bound;
      double bound = state.bound + group.bound;
      for (const OpId op : group.members)
        if (state.needed.contains(op)) {
          estimate -= values_.estimate[op];
          bound -= values_.bound[op];
        }
      if (!no_better(bound)) out.emplace_back(estimate, k);
    }
    std::ranges::sort(out);
    return out;
  }

  [[nodiscard]] OpId first_ready(const State& state, const OpSet& available) const {
    OpId first = 0;
    bool found = false;
    state.needed.each([&](OpId op) {
      if (found) return;
      for (const OpId item : graph_.reads[op])
        if (!available.contains(item)) return;
      first = op;
      found = true;
    });
    return first;
  }

  void expand(std::size_t index) {
    for (const auto& [estimate, group] : next_groups(states_[index])) {
      const std::size_t layer = (states_[index].done | pool_.groups[group].ops).size();
      if (estimate >= layers_[layer].worst) {
        result_.cut = true;
        continue;
      }
      run_group(index, group);
      if (stopped_) return;
    }
  }

  /// All ways to run a group: which items it closes, writes and keeps.
  void run_group(std::size_t index, std::uint32_t number) {
    const Group& group = pool_.groups[number];
    const State& state = states_[index];
    std::vector<OpId> open;  // inner items that may be written or closed
    std::vector<OpId> keepable;
    for (const OpId item : group.inner)
      if (!state.closed.contains(item)) open.push_back(item);
    // An item that no later step may read is kept so that it is not written.
    const auto may_keep = [&](OpId item) {
      return params_.keep && graph_.size[item] <= graph_.capacity &&
             !graph_.readers[item].empty() && (params_.all_choices || !state.closed.contains(item));
    };
    for (const OpId item : params_.all_choices ? group.members : open)
      if (may_keep(item)) keepable.push_back(item);
    if (!params_.all_choices)
      for (const OpId item : group.sinks)
        if (may_keep(item)) keepable.push_back(item);
    for (std::vector<OpId>* items : {&open, &keepable})
      if (items->size() > most_items) {
        result_.cut = true;
        return;
      }
    const OpSet after = state.needed - group.ops;
    // A subset of the keepable items, and of the other open items.
    const std::size_t most_kept =
        params_.all_choices ? std::size_t{1} << keepable.size() : kept_choices;
    std::size_t tried = 0;
    for (std::uint64_t keep = 0; keep < (std::uint64_t{1} << keepable.size()); ++keep) {
      if (ends()) return;
      if (tried++ >= most_kept) {
        result_.cut = true;
        break;
      }
      std::vector<OpId> kept;
      std::int64_t size = 0;
      for (std::size_t k = 0; k < keepable.size(); ++k)
        if ((keep >> k & 1U) != 0) {
          kept.push_back(keepable[k]);
          size += graph_.size[keepable[k]];
        }
      if (size > graph_.capacity) continue;
      std::ranges::sort(kept);
      std::vector<OpId> rest;
      for (const OpId item : open)
        if (!std::ranges::binary_search(kept, item)) rest.push_back(item);
      for (std::uint64_t close = 0; close < (std::uint64_t{1} << rest.size()); ++close) {
        if (ends()) return;
        std::vector<OpId> written, closed;
        for (std::size_t k = 0; k < rest.size(); ++k)
          ((close >> k & 1U) != 0 ? closed : written).push_back(rest[k]);
        if (close != 0 && !params_.all_choices && (!params_.keep || !recomputable(closed, after))) {
          result_.cut = true;
          continue;
        }
        add(index, number, kept, written, closed);
      }
    }
  }

  /// Counts a way to run a group. Is the search over?
  bool ends() {
    constexpr std::int64_t per_poll = 1024;
    ++result_.tried;
    if (result_.tried >= params_.most ||
        (result_.tried % per_poll == 0 && params_.stop && params_.stop()))
      stopped_ = true;
    if (stopped_) result_.cut = true;
    return stopped_;
  }

  /// Is each reader in a group with the op that makes the item? Then the item may be closed.
  [[nodiscard]] bool recomputable(const std::vector<OpId>& closed, const OpSet& after) const {
    for (const OpId item : closed)
      for (const OpId reader : graph_.readers[item])
        if (after.contains(reader) && !related_[reader].contains(item)) return false;
    return true;
  }

  void add(std::size_t index, std::uint32_t number, const std::vector<OpId>& kept,
           const std::vector<OpId>& written, const std::vector<OpId>& closed) {
    const Group& group = pool_.groups[number];
    const State& state = states_[index];
    State next{.done = state.done | group.ops,
               .stored = state.stored,
               .closed = state.closed,
               .kept = kept,
               .needed = {},
               .cost = state.cost + group.bound,
               .parent = index,
               .group = number,
               .written = written};
    for (const OpId item : group.sinks)
      if (!std::ranges::binary_search(kept, item)) next.stored.insert(item);
    for (const OpId item : written) next.stored.insert(item);
    for (const OpId item : closed) {
      next.closed.insert(item);
      next.stored.erase(item);
    }
    // An item that was closed stays so, even if it is written as a sink.
    next.stored -= next.closed;
    for (const OpId item : final_)
      if (group.ops.contains(item) && !std::ranges::binary_search(kept, item))
        next.stored.insert(item);
    find_needed(next);
    if (no_better(next.bound)) return;
    if (next.estimate >= layers_[next.done.size()].worst) {
      result_.cut = true;
      return;
    }
    const double enough = result_.cost - (next.bound - group.bound);
    const double price = costs_.price(step_of(state, group, kept, written), enough);
    if (price >= enough) return;
    next.cost += price - group.bound;
    next.estimate += price - group.bound;
    next.bound += price - group.bound;
    if (!no_better(next.bound)) insert(std::move(next));
  }

  [[nodiscard]] GroupStep step_of(const State& state, const Group& group,
                                  const std::vector<OpId>& kept,
                                  const std::vector<OpId>& written) const {
    GroupStep step{.ops = group.members, .written = written, .kept = kept};
    for (const OpId item : state.kept) {
      if (group.outside.contains(item))
        step.resident.push_back(item);
      else
        step.idle += graph_.size[item];
    }
    return step;
  }

  [[nodiscard]] std::vector<GroupStep> steps_to(std::size_t index) const {
    std::vector<GroupStep> out;
    for (; states_[index].parent != no_state; index = states_[index].parent) {
      const State& state = states_[index];
      out.push_back(
          step_of(states_[state.parent], pool_.groups[state.group], state.kept, state.written));
    }
    std::ranges::reverse(out);
    return out;
  }

  const GroupGraph& graph_;
  GroupCosts& costs_;
  const GroupPool& pool_;
  const OpValues& values_;
  const LayerParams& params_;
  LayerResult result_;
  std::vector<OpId> final_;
  std::vector<OpSet> related_;  ///< per op: ops of its groups, and all ops before them
  std::deque<State> states_;    ///< references stay valid
  std::vector<Layer> layers_;
  std::size_t best_ = no_state;
  bool stopped_ = false;
};

}  // namespace

LayerResult search_layers(const GroupGraph& graph, GroupCosts& costs, const GroupPool& pool,
                          const OpValues& values, const LayerParams& params) {
  return Search(graph, costs, pool, values, params).run();
}

}  // namespace tessera::search
