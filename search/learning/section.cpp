#include "section.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tessera::search::learning {
namespace {

constexpr Value lowest = std::numeric_limits<Value>::min() / 4;
constexpr Value highest = std::numeric_limits<Value>::max() / 4;

}  // namespace

void FullestWindow::clear(std::size_t leaves) {
  leaves_ = std::bit_ceil(leaves);
  nodes_.assign(2 * leaves_, {0, lowest});
}

void FullestWindow::insert(std::size_t leaf, Value start, Value length) {
  std::size_t at = leaves_ + leaf;
  nodes_[at] = {length, start + length};
  for (at /= 2; at > 0; at /= 2) {
    const Node& left = nodes_[2 * at];
    const Node& right = nodes_[2 * at + 1];
    nodes_[at] = {left.sum + right.sum, std::max(left.completion + right.sum, right.completion)};
  }
}

void SectionRules::add_section(std::vector<Member> members, bool in_time) {
  Section section;
  section.in_time = in_time;
  section.members = std::move(members);
  for (auto& order : section.by_start) {
    order.resize(section.members.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  }
  sections_.push_back(std::move(section));
}

void SectionRules::finish(const State& state, Poll& poll) {
  of_item_.assign(orders_.items().size(), {});
  of_var_.assign(state.variables(), {});
  std::size_t widest = 0;
  for (std::uint32_t id = 0; id < sections_.size(); ++id) {
    widest = std::max(widest, sections_[id].members.size());
    poll(static_cast<std::int64_t>(sections_[id].members.size()));
    for (const Member& member : sections_[id].members) {
      const Item& item = orders_.items()[member.item];
      sections_[id].open.push_back(
          {item.var, member.present, {item.shift[0], item.shift[1]}, item.length});
      of_item_[member.item].push_back(id);
      of_var_[item.var].push_back(id);
      if (member.present != no_key) of_var_[var_of(member.present)].push_back(id);
    }
    enqueue(id);
  }
  start_changed_.assign(2 * state.variables(), 1);
  for (auto& side : order_changed_) side.assign(orders_.items().size(), 1);
  place_.resize(widest);
  completion_.resize(widest);
  longest_.resize(widest);
}

void SectionRules::touch(const State& state, Key key) {
  for (const std::uint32_t id : of_var_[var_of(key)]) {
    enqueue(id);
    if (state.is_bool(var_of(key))) sections_[id].seen = 0;  // a member joined
  }
  start_changed_[key] = ++clock_;
  if (!state.is_bool(var_of(key))) return;
  const Edge* edge = orders_.edge(key);
  if (edge == nullptr || edge->lower == no_item) return;
  order_changed_[0][edge->upper] = order_changed_[1][edge->lower] = clock_;
  const auto& a = of_item_[edge->lower];
  const auto& b = of_item_[edge->upper];
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) enqueue(a[i]);
    const bool step_i = a[i] <= b[j];
    const bool step_j = b[j] <= a[i];
    i += step_i ? 1 : 0;
    j += step_j ? 1 : 0;
  }
}

void SectionRules::forget_touched() {
  for (; head_ < queue_.size(); ++head_) sections_[queue_[head_]].queued = false;
  queue_.clear();
  head_ = 0;
}

void SectionRules::gather(const State& state, Section& section) {
  const auto& items = orders_.items();
  // Only members that overlap the window of unfixed ones matter: a member fixed below or above adds
  // no more to a set than the space it takes.
  Value low = highest;
  Value high = lowest;
  const auto present = [&](const Member& m) {
    return m.present == no_key || state.bound(m.present) > 0;
  };
  for (const Member& member : section.members) {
    if (!present(member) || state.fixed(items[member.item].var)) continue;
    const Item& item = items[member.item];
    low = std::min(low, earliest(state, item, 0));
    high = std::max(high, -earliest(state, item, 1));
  }
  for (unsigned side = 0; side < 2; ++side) {
    View& view = view_[side];
    view.start.clear();
    view.end.clear();
    view.length.clear();
    view.member.clear();
    view.by_end.clear();
    if (low >= high) continue;
    auto& order = section.by_start[side];
    const auto start_of = [&](std::uint32_t k) {
      return earliest(state, items[section.members[k].item], side);
    };
    for (std::size_t k = 1; k < order.size(); ++k) {
      const std::uint32_t moved = order[k];
      const Value start = start_of(moved);
      std::size_t to = k;
      for (; to > 0 && start_of(order[to - 1]) > start; --to) order[to] = order[to - 1];
      order[to] = moved;
    }
    for (const std::uint32_t k : order) {
      place_[k] = -1;
      const Member& member = section.members[k];
      if (!present(member)) continue;
      const Item& item = items[member.item];
      const Value start = earliest(state, item, side);
      const Value end = -earliest(state, item, 1 - side);
      if (side == 0 ? (end <= low || start >= high) : (end <= -high || start >= -low)) continue;
      place_[k] = static_cast<std::int32_t>(view.member.size());
      view.start.push_back(start);
      view.end.push_back(end);
      view.length.push_back(item.length);
      view.member.push_back(k);
    }
    // Latest ends ascending are the other side's earliest starts descending.
    View& other = view_[1 - side];
    if (side == 1) {
      for (std::size_t k = view.member.size(); k-- > 0;) other.by_end.push_back(view.member[k]);
      for (std::size_t k = other.member.size(); k-- > 0;)
        view.by_end.push_back(static_cast<std::uint32_t>(place_[other.member[k]]));
      for (std::size_t k = 0; k < other.member.size(); ++k)
        place_[other.member[k]] = static_cast<std::int32_t>(k);
      for (std::uint32_t& k : other.by_end) k = static_cast<std::uint32_t>(place_[k]);
    }
  }
}

std::uint32_t SectionRules::dequeue() {
  const std::uint32_t id = queue_[head_++];
  if (head_ == queue_.size()) {
    queue_.clear();
    head_ = 0;
  }
  sections_[id].queued = false;
  return id;
}

bool SectionRules::propagate(State& state, std::uint64_t& work) {
  const std::uint32_t id = dequeue();
  Section& section = sections_[id];
  overloaded_ = false;
  gather(state, section);
  const std::uint64_t now = clock_;
  const std::size_t size = view_[0].member.size();
  work += section.members.size() + size * size;
  if (size < 2) {
    section.seen = now;
    return true;
  }
  for (unsigned side = 0; side < 2; ++side)
    if (!windows(state, id, side)) return false;
  if (params_.energy)
    for (unsigned side = 0; side < 2; ++side)
      if (!energy(state, id, side)) return false;
  section.seen = now;
  if (params_.not_first)
    for (unsigned side = 0; side < 2; ++side)
      if (!not_first(state, id, side)) return false;
  return true;
}

bool SectionRules::windows(State& state, std::uint32_t id, unsigned side) {
  const View& v = view_[side];
  const std::size_t size = v.member.size();
  // The longest of those that may end after the members seen so far.
  Value longest = 0;
  for (std::size_t at = size; at-- > 0;) {
    longest_[at] = longest;
    longest = std::max(longest, v.length[v.by_end[at]]);
  }
  fullest_.clear(size);
  for (std::size_t at = 0; at < size; ++at) {
    const std::uint32_t last = v.by_end[at];
    const Value l = v.end[last];
    fullest_.insert(last, v.start[last], v.length[last]);
    if (at + 1 < size && v.end[v.by_end[at + 1]] == l) continue;  // once for each latest end
    const Value completion = fullest_.completion();
    if (completion > l ? !params_.overload && !params_.edge_finding
                       : !params_.edge_finding || completion + longest_[at] <= l)
      continue;
    if (!window(state, id, side, l)) return false;
  }
  return true;
}

// All rules for the windows that end at l.
bool SectionRules::window(State& state, std::uint32_t id, unsigned side, Value l) {
  const View& v = view_[side];
  const std::size_t size = v.member.size();
  Value sum = 0;
  for (std::size_t k = size; k-- > 0;) {
    if (v.end[k] <= l) sum += v.length[k];
    completion_[k] = v.start[k] + sum;
    if (v.end[k] > l || completion_[k] <= l || !params_.overload) continue;
    overloaded_ = true;
    overload_ = {.rule = Rule::overload,
                 .side = static_cast<std::uint8_t>(side),
                 .a = id,
                 .e = v.start[k],
                 .l = l};
    return false;
  }
  if (!params_.edge_finding) return true;
  // For items that may end after l and start at s: the window of the set that starts at s or later,
  // and the fullest window that starts before s.
  Value fullest = lowest;
  Value from = 0;
  for (std::size_t k = 0; k < size; ++k) {
    if (v.end[k] <= l) {
      if (completion_[k] > fullest) {
        fullest = completion_[k];
        from = v.start[k];
      }
      continue;
    }
    if (fullest + v.length[k] > l) {
      if (!push_beyond(state, id, side, v.member[k], from, l)) return false;
    }
    if (completion_[k] > v.start[k] && completion_[k] + v.length[k] > l) {
      if (!push_beyond(state, id, side, v.member[k], v.start[k], l)) return false;
    }
  }
  return true;
}

bool SectionRules::push_beyond(State& state, std::uint32_t id, unsigned side, std::uint32_t who,
                               Value e, Value l) {
  const auto& members = sections_[id].members;
  const ItemIndex i = members[who].item;
  const View& v = view_[side];
  for (std::size_t k = v.member.size(); k-- > 0 && v.start[k] >= e;) {
    if (v.end[k] > l || v.member[k] == who) continue;
    const ItemIndex j = members[v.member[k]].item;
    const Key wrong = side == 0 ? orders_.below(i, j) : orders_.below(j, i);
    if (!state.raise({opposite(wrong), 1}, {.rule = Rule::edge_finding,
                                            .side = static_cast<std::uint8_t>(side),
                                            .a = id,
                                            .b = who,
                                            .e = e,
                                            .l = l}))
      return false;
  }
  return true;
}

bool SectionRules::energy(State& state, std::uint32_t id, unsigned side) {
  const auto& members = sections_[id].members;
  const View& v = view_[side];
  const std::uint64_t since = sections_[id].seen;
  changed_.clear();
  for (std::uint32_t k = 0; k < v.member.size(); ++k) {
    const Item& item = orders_.items()[members[v.member[k]].item];
    if (start_changed_[key_of(item.var, side)] > since) changed_.push_back(k);
  }
  for (std::size_t at = 0; at < v.member.size(); ++at) {
    if (v.start[at] + v.length[at] >= v.end[at]) continue;
    const ItemIndex i = members[v.member[at]].item;
    if (order_changed_[side][i] <= since &&
        std::none_of(changed_.begin(), changed_.end(), [&](std::uint32_t k) {
          return orders_.precedes(i, members[v.member[k]].item, 1 - side);
        }))
      continue;
    Value sum = 0;
    Value best = v.start[at];
    Value from = 0;
    for (std::size_t k = v.member.size(); k-- > 0;) {
      const ItemIndex j = members[v.member[k]].item;
      if (!orders_.precedes(i, j, 1 - side)) continue;
      sum += v.length[k];
      if (v.start[k] + sum > best) {
        best = v.start[k] + sum;
        from = v.start[k];
      }
    }
    if (best == v.start[at]) continue;
    const Item& item = orders_.items()[i];
    if (!state.raise({key_of(item.var, side), best - item.shift[side]},
                     {.rule = Rule::energy,
                      .side = static_cast<std::uint8_t>(side),
                      .a = id,
                      .b = v.member[at],
                      .e = from}))
      return false;
  }
  return true;
}

bool SectionRules::not_first(State& state, std::uint32_t id, unsigned side) {
  const auto& members = sections_[id].members;
  const View& v = view_[side];
  const std::size_t size = v.member.size();
  // The least space that any window leaves below its required content.
  Value held = 0;
  Value room = highest;
  for (const std::uint32_t k : v.by_end) {
    held += v.length[k];
    room = std::min(room, v.end[k] - held);
  }
  for (std::size_t i = 0; i < size; ++i) {
    const Value start = v.start[i];
    if (start + v.length[i] >= v.end[i] || start + v.length[i] <= room) continue;
    Value sum = start + v.length[i];
    Value soonest = highest;  // least completion of the set
    for (const std::uint32_t k : v.by_end) {
      const Value completion = v.start[k] + v.length[k];
      if (k == i || completion <= start) continue;
      sum += v.length[k];
      soonest = std::min(soonest, completion);
      if (sum <= v.end[k]) continue;
      const Item& item = orders_.items()[members[v.member[i]].item];
      if (!state.raise({key_of(item.var, side), soonest - item.shift[side]},
                       {.rule = Rule::not_first,
                        .side = static_cast<std::uint8_t>(side),
                        .a = id,
                        .b = v.member[i],
                        .e = soonest,
                        .l = v.end[k]}))
        return false;
      break;
    }
  }
  return true;
}

}  // namespace tessera::search::learning
