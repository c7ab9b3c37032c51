// Pairs that must not overlap, and sets of items that share one axis.
#include <algorithm>
#include <set>

#include "build.h"
#include "model/differences.h"
#include "model/polled_sort.h"

namespace tessera::search::learning {

namespace {

/// Limit on the ranges of all pairs together; above it nothing is built.
constexpr std::size_t most_ranges = std::size_t{1} << 18U;

/// The segments that orders separate.
std::vector<Segment> item_segments(const Buffer& buffer) {
  return buffer.parts.empty() ? segments(buffer) : std::vector<Segment>{};
}

}  // namespace

LivePairs live_pairs(const PlacementProblem& problem) {
  LivePairs found;
  std::vector<std::pair<Step, int>> events;
  for (const Buffer& buffer : problem.buffers)
    for (const Segment& part : item_segments(buffer)) {
      events.emplace_back(part.steps.lower, 1);
      events.emplace_back(part.steps.upper, 0);
      ++found.parts;
    }
  // Parts are separated by differences; a buffer with parts is one item.
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.parts.empty()) continue;
    events.emplace_back(buffer.live.front().lower, 1);
    events.emplace_back(buffer.live.back().upper, 0);
    ++found.parts;
  }
  std::sort(events.begin(), events.end());
  std::size_t live = 0;
  for (const auto& [step, begins] : events) {
    if (begins != 0)
      found.pairs += live++;
    else
      --live;
  }
  return found;
}

ItemIndex Build::item(BufferIndex b, AddressRange range) {
  const auto [at, is_new] = items_.try_emplace({b, range}, 0);
  if (is_new) {
    at->second = deduction_.orders.add_item(deduction_.state, offset_[b], range.begin, range.end);
    item_buffer_.push_back(b);
  }
  return at->second;
}

void Build::hard_pair(BufferIndex a, AddressRange of_a, BufferIndex b, AddressRange of_b) {
  const ItemIndex i = item(a, of_a);
  const ItemIndex j = item(b, of_b);
  if (hard_.contains(i, j)) return;
  poll_(4);
  const double weight = 1e-12 * static_cast<double>(problem_.buffers[a].size) *
                        static_cast<double>(problem_.buffers[b].size) /
                        static_cast<double>(max_address);
  if (tied(a, b)) {
    const Key key = deduction_.orders.add_pair(deduction_.state, i, j);
    plan.bools.emplace_back(var_of(key), weight);
    hard_.add(i, j, key);
    return;
  }
  const auto [ij, ji] = deduction_.orders.add_loose_pair(deduction_.state, i, j);
  plan.bools.emplace_back(var_of(ij), weight);
  plan.bools.emplace_back(var_of(ji), weight);
  plan.phase.resize(var_of(ji) + 1, -1);
  plan.phase[var_of(ij)] = plan.phase[var_of(ji)] = 1;
  hard_.add(i, j, ij);
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
    std::vector<Lit> lits{{ij, 1}, {ji, 1}};
    if (unless_in(a, m, lits) && unless_in(b, m, lits)) clause(lits);
  }
}

void Build::pairs() {
  const auto& buffers = problem_.buffers;
  exempt_ = exempt_pairs(problem_);
  std::set<std::pair<BufferIndex, BufferIndex>> apart;  // pairs separated at all steps
  for (const Relation& relation : problem_.relations)
    if (relation.kind == RelationKind::disjoint)
      for (const BufferIndex a : relation.buffers)
        for (const BufferIndex b : relation.buffers)
          if (a < b) apart.emplace(a, b);

  std::vector<std::vector<Segment>> parts;
  for (BufferIndex b = 0; b < buffers.size(); ++b) parts.push_back(item_segments(buffers[b]));
  // Pairs that are live at the same step, by a sweep.
  struct Start {
    StepRange steps;
    AddressRange range;
    BufferIndex buffer;
  };
  std::vector<Start> starts;
  for (BufferIndex b = 0; b < buffers.size(); ++b)
    for (const Segment& part : parts[b]) starts.push_back({part.steps, part.range, b});
  std::sort(starts.begin(), starts.end(), [](const Start& x, const Start& y) {
    return std::pair(x.steps.lower, x.buffer) < std::pair(y.steps.lower, y.buffer);
  });
  using Ranges = std::pair<AddressRange, AddressRange>;
  // Sorted later: a map with millions of nodes takes as long to free as to build.
  using Meeting = std::pair<std::pair<BufferIndex, BufferIndex>, Ranges>;
  std::vector<Meeting> together;
  std::vector<Start> live;
  for (const Start& now : starts) {
    std::erase_if(live, [&](const Start& each) { return each.steps.upper <= now.steps.lower; });
    poll_(static_cast<std::int64_t>(live.size()));
    for (const Start& each : live) {
      if (each.buffer == now.buffer) continue;
      if (each.buffer < now.buffer)
        together.push_back({{each.buffer, now.buffer}, {each.range, now.range}});
      else
        together.push_back({{now.buffer, each.buffer}, {now.range, each.range}});
    }
    live.push_back(now);
  }
  if (!exempt_.empty())
    std::erase_if(together, [this](const Meeting& each) {
      return std::binary_search(exempt_.begin(), exempt_.end(), each.first);
    });
  for (const auto& pair : apart)
    if (buffers[pair.first].parts.empty() && buffers[pair.second].parts.empty())
      together.push_back({pair, {{0, buffers[pair.first].size}, {0, buffers[pair.second].size}}});
  sort_polled(together, poll_);
  together.erase(std::unique(together.begin(), together.end()), together.end());

  for (BufferIndex b = 0; b < buffers.size(); ++b)
    for (const Segment& part : parts[b]) item(b, part.range);
  for (auto first = together.begin(), last = first; first != together.end(); first = last) {
    const auto& pair = first->first;
    last = std::find_if(first, together.end(),
                        [&](const Meeting& each) { return each.first != pair; });
    const auto& [a, b] = pair;
    if (!may_share(a, b)) continue;
    const Ranges whole{{0, buffers[a].size}, {0, buffers[b].size}};
    const bool wholly = std::binary_search(first, last, Meeting{pair, whole});
    if (wholly) hard_pair(a, whole.first, b, whole.second);
    for (auto each = first; each != last; ++each) {
      const auto& [of_a, of_b] = each->second;
      if (each->second == whole) continue;
      if (!wholly) {
        hard_pair(a, of_a, b, of_b);
        continue;
      }
      // Implied by the pair of the whole buffers.
      const ItemIndex i = item(a, whole.first);
      const ItemIndex j = item(b, whole.second);
      const ItemIndex part_a = item(a, of_a);
      const ItemIndex part_b = item(b, of_b);
      deduction_.orders.same_pair(part_a, part_b, i, j);
      if (!hard_.contains(part_a, part_b)) hard_.add(part_a, part_b, *hard_.find(i, j));
    }
  }
  gaps(apart);
}

// Pairs of which one has parts: the difference of their offsets is above or below each forbidden
// range.
void Build::gaps(const std::set<std::pair<BufferIndex, BufferIndex>>& apart) {
  const auto& buffers = problem_.buffers;
  std::size_t ranges = 0;
  for (BufferIndex b = 0; b < buffers.size(); ++b)
    for (BufferIndex a = 0; a < b; ++a) {
      poll_();
      if (buffers[a].parts.empty() && buffers[b].parts.empty()) continue;
      if (!may_share(a, b)) continue;
      const bool always = apart.contains({a, b});
      if (!always && std::binary_search(exempt_.begin(), exempt_.end(), std::pair(a, b))) continue;
      const Differences forbidden = always ? shared_differences(buffers[a], buffers[b], poll_)
                                           : forbidden_differences(buffers[a], buffers[b], poll_);
      ranges += forbidden.size();
      if (ranges > most_ranges) throw BudgetEnded(StopReason::memory_limit, true);
      for (const AddressRange& range : forbidden) outside(a, b, range);
    }
}

void Build::outside(BufferIndex a, BufferIndex b, const AddressRange& differences) {
  State& state = deduction_.state;
  const double activity =
      1e-12 * static_cast<double>(differences.size()) / static_cast<double>(max_address);
  const Var from = offset_[a];
  const Var to = offset_[b];
  const Value up = differences.end;          // b >= a + up
  const Value down = 1 - differences.begin;  // a >= b + down
  const Key above = key_of(new_bool(activity, -1), 0);
  const bool one = tied(a, b);
  const Key below = one ? opposite(above) : key_of(new_bool(activity, 1), 0);
  deduction_.orders.add_edge(state, above, from, to, up);
  deduction_.orders.add_edge(state, below, to, from, down);
  if (!one) {
    plan.phase[var_of(above)] = 1;
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      std::vector<Lit> lits{{above, 1}, {below, 1}};
      if (unless_in(a, m, lits) && unless_in(b, m, lits)) clause(lits);
    }
  }
  // Only a buffer that pushes the other one up is in its way from below.
  plan.neighbours.resize(state.variables());
  if (up > 0) plan.neighbours[to].push_back({from, below, above});
  if (down > 0) plan.neighbours[from].push_back({to, above, below});
}

// A set with pairs that may overlap is split at the first such pair.
void Build::clique(MemoryIndex m, std::vector<ItemIndex> set, int splits, bool in_time) {
  // All buffers live at one step or declared disjoint are separated, except for exempt pairs.
  for (std::size_t x = 0; !exempt_.empty() && x < set.size(); ++x) {
    poll_(static_cast<std::int64_t>(set.size() - x));
    for (std::size_t y = x + 1; y < set.size(); ++y) {
      if (hard_.contains(set[x], set[y])) continue;
      auto without = set;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(x));
      set.erase(set.begin() + static_cast<std::ptrdiff_t>(y));
      if (splits > 0) clique(m, std::move(without), splits - 1, in_time);
      clique(m, std::move(set), splits - 1, in_time);
      return;
    }
  }
  if (set.size() < 2) return;
  poll_(static_cast<std::int64_t>(set.size()));
  std::vector<Member> members;
  double load = 0;
  for (const ItemIndex i : set) load += static_cast<double>(deduction_.orders.items()[i].length);
  load /= static_cast<double>(std::max<Size>(1, problem_.memories[m].capacity));
  const auto before = static_cast<double>(deduction_.sections.size());
  plan.flatness = (plan.flatness * before + load) / (before + 1);
  for (const ItemIndex i : set) {
    const Key in = memory_[item_buffer_[i]][m];
    members.push_back({i, in == always_ ? no_key : in});
  }
  if (record_ == Record::renewal) kept_.of_section.push_back(m);
  deduction_.sections.add_section(std::move(members), in_time);
}

void Build::sections() {
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
    struct Event {
      Step step;
      bool begins;
      ItemIndex item;
    };
    std::vector<Event> events;
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      if (!may_be_in(b, m)) continue;
      for (const Segment& part : item_segments(problem_.buffers[b])) {
        const ItemIndex i = item(b, part.range);
        events.push_back({part.steps.lower, true, i});
        events.push_back({part.steps.upper, false, i});
      }
    }
    std::sort(events.begin(), events.end(), [](const Event& x, const Event& y) {
      return std::tuple(x.step, x.begins, x.item) < std::tuple(y.step, y.begins, y.item);
    });
    std::set<ItemIndex> live;
    bool grew = false;
    for (const Event& event : events) {
      if (event.begins) {
        live.insert(event.item);
        grew = true;
        continue;
      }
      if (grew) clique(m, {live.begin(), live.end()}, 4, true);
      grew = false;
      live.erase(event.item);
    }
    for (const Relation& relation : problem_.relations) {
      if (relation.kind != RelationKind::disjoint || relation.buffers.size() < 3) continue;
      std::vector<ItemIndex> set;
      for (const BufferIndex b : relation.buffers)
        if (may_be_in(b, m) && problem_.buffers[b].parts.empty())
          set.push_back(item(b, {0, problem_.buffers[b].size}));
      clique(m, std::move(set), 4, false);
    }
    cliques(m);
  }
}

}  // namespace tessera::search::learning
