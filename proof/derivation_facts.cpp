#include "derivation_facts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "model/buffer_parts.h"

namespace tessera::proof {
namespace {

constexpr std::size_t most_combinations = 1'000'000;

bool always_touches(Offset low, Offset high, Size length, AddressRange there) {
  return high < there.end && low + length > there.begin;
}

}  // namespace

DerivationFacts::DerivationFacts(const PlacementProblem& problem)
    : problem_(problem),
      steps_(horizon(problem)),
      said_(problem.buffers.size()),
      in_a_row_(problem.buffers.size(), 0),
      tied_down_(problem.buffers.size(), 0),
      in_a_bank_(problem.buffers.size(), 0) {
  for (const Buffer& each : problem.buffers) {
    allowed_.push_back(allowed_memories(problem, each));
    parts_.push_back(segments(each));
    any_parts_ = any_parts_ || !each.parts.empty();
  }
  for (const Memory& each : problem.memories) {
    std::size_t count = each.modes.size();
    if (each.modes_per_bank) {
      count = 1;
      for (const Bank& bank : each.banks)
        count = count == 0 || bank.roles.size() > most_combinations / count
                    ? 0
                    : count * bank.roles.size();
    }
    modes_.push_back(count);
  }
  for (const Relation& relation : problem.relations) relate(relation);
  for (const auto& [a, b] : exempt_pairs(problem)) exempt_.insert({{a, b}, {b, a}});
}

void DerivationFacts::relate(const Relation& relation) {
  const auto all_pairs = [&](Pairs& pairs) {
    for (const BufferIndex a : relation.buffers)
      for (const BufferIndex b : relation.buffers)
        if (a != b) pairs.emplace(a, b);
  };
  for (const BufferIndex b : relation.buffers) {
    if (relation.kind == RelationKind::adjacent) in_a_row_[b] = 1;
    for (const BufferIndex other : relation.buffers) {
      if (other == b) continue;
      said_[b][other].kinds |= 1U << static_cast<unsigned>(relation.kind);
      said_[b][other].cost += relation.cost;
    }
    if (relation.kind != RelationKind::disjoint && relation.kind != RelationKind::may_overlap)
      tied_down_[b] = 1;
  }
  switch (relation.kind) {
    case RelationKind::disjoint:
      all_pairs(disjoint_);
      break;
    case RelationKind::may_overlap:
      break;
    case RelationKind::avoid_overlap:
      for (const BufferIndex a : relation.buffers)
        for (const BufferIndex b : relation.buffers)
          if (a < b) costs_[{a, b}] += relation.cost;
      break;
    case RelationKind::same_memory:
      all_pairs(one_memory_);
      break;
    case RelationKind::different_memories:
      all_pairs(other_memories_);
      break;
    case RelationKind::same_bank:
      all_pairs(one_memory_);
      all_pairs(one_bank_);
      for (const BufferIndex b : relation.buffers) in_a_bank_[b] = 1;
      break;
    case RelationKind::different_banks:
      all_pairs(other_banks_);
      break;
    case RelationKind::same_offset:
      all_pairs(one_memory_);
      for (const BufferIndex a : relation.buffers)
        for (const BufferIndex b : relation.buffers)
          if (a != b && !has_parts(a) && !has_parts(b)) distances_[{a, b}].insert(0);
      break;
    case RelationKind::adjacent:
      all_pairs(one_memory_);
      for (std::size_t k = 1; k < relation.buffers.size(); ++k) {
        const BufferIndex a = relation.buffers[k - 1];
        const BufferIndex b = relation.buffers[k];
        if (has_parts(a) || has_parts(b)) continue;
        distances_[{a, b}].insert(buffer(a).size);
        distances_[{b, a}].insert(-buffer(a).size);
      }
      break;
  }
}

std::vector<std::optional<Role>> DerivationFacts::roles_of(MemoryIndex m, std::size_t mode) const {
  const Memory& there = memory(m);
  if (!there.modes_per_bank) {
    const std::vector<Role>& roles = there.modes[mode].roles;
    return {roles.begin(), roles.end()};
  }
  std::vector<std::optional<Role>> roles(there.banks.size());
  for (std::size_t k = roles.size(); k-- > 0;) {
    const std::vector<Role>& own = there.banks[k].roles;
    roles[k] = own[mode % own.size()];
    mode /= own.size();
  }
  return roles;
}

Cost DerivationFacts::cost_of(BufferIndex a, BufferIndex b) const {
  const auto found = costs_.find(std::minmax(a, b));
  return found == costs_.end() ? 0 : found->second;
}

AddressRange DerivationFacts::room(BufferIndex b) const {
  const Buffer& each = buffer(b);
  AddressRange room{0, 0};
  for (const MemoryIndex m : allowed_[b]) room.end = std::max(room.end, memory(m).capacity);
  if (each.window) {  // of all bytes ever used
    const AddressRange used = extent(each);
    room = {std::max(room.begin, each.window->begin - used.begin),
            std::min(room.end, each.window->end + each.size - used.end)};
  }
  if (each.offset)
    room = {std::max(room.begin, *each.offset), std::min(room.end, *each.offset + each.size)};
  return room;
}

Size DerivationFacts::stride(BufferIndex b) const {
  Size stride = 0;
  for (const MemoryIndex m : allowed_[b])
    stride = std::gcd(stride, effective_alignment(buffer(b), memory(m)));
  return stride;
}

bool DerivationFacts::apart(BufferIndex a, AddressRange of_a, BufferIndex b,
                            AddressRange of_b) const {
  if (a == b) return false;
  const AddressRange all_a{0, buffer(a).size};
  const AddressRange all_b{0, buffer(b).size};
  if (disjoint_.contains({a, b}) && all_a.contains(of_a) && all_b.contains(of_b)) return true;
  if (exempt_.contains({a, b})) return false;
  for (const Segment& x : parts_[a])
    for (const Segment& y : parts_[b])
      if (overlaps(x.steps, y.steps) && x.range.contains(of_a) && y.range.contains(of_b))
        return true;
  return false;
}

namespace {

using Runs = std::span<const Segment>;

/// The least difference above d at which the segment of a stops meeting the segment of b that it
/// meets at d; none if there is no meeting at d.
std::optional<Offset> met_until(Runs a, Runs b, Offset d) {
  auto x = std::partition_point(a.begin(), a.end(), [&](const Segment& each) {
    return each.range.end <= b.front().range.begin + d;
  });
  auto y = std::partition_point(b.begin(), b.end(), [&](const Segment& each) {
    return each.range.end + d <= a.front().range.begin;
  });
  while (x != a.end() && y != b.end()) {
    if (overlaps(x->range, y->range.at(d))) return x->range.end - y->range.begin;
    if (x->range.end < y->range.end + d)
      ++x;
    else
      ++y;
  }
  return std::nullopt;
}

/// The segments that are live together with the first.
Runs stretch(const std::vector<Segment>& all, std::size_t from) {
  std::size_t to = from;
  while (to < all.size() && all[to].steps == all[from].steps) ++to;
  return Runs(all).subspan(from, to - from);
}

}  // namespace

bool DerivationFacts::always_meet(BufferIndex a, BufferIndex b, Offset low, Offset high,
                                  Poll& poll) const {
  if (a == b) return false;
  std::vector<std::pair<Runs, Runs>> together;
  std::vector<Segment> ever_a, ever_b;
  if (disjoint_.contains({a, b})) {
    const auto ever = [this](BufferIndex of) {
      std::vector<Segment> list;
      for (const AddressRange& run : used_bytes(buffer(of))) list.push_back({{0, 1}, run});
      return list;
    };
    ever_a = ever(a);
    ever_b = ever(b);
    together.emplace_back(ever_a, ever_b);
  } else if (!exempt_.contains({a, b})) {
    const auto& of_a = parts_[a];
    const auto& of_b = parts_[b];
    for (std::size_t i = 0, j = 0; i < of_a.size() && j < of_b.size();) {
      const Runs x = stretch(of_a, i);
      const Runs y = stretch(of_b, j);
      if (overlaps(of_a[i].steps, of_b[j].steps)) together.emplace_back(x, y);
      if (of_a[i].steps.upper <= of_b[j].steps.upper)
        i += x.size();
      else
        j += y.size();
    }
  }
  // From one difference to the next that is not covered by the current meeting.
  std::size_t last = 0;
  for (Offset d = low + 1; d < high;) {
    std::optional<Offset> until;
    for (std::size_t k = 0; k < together.size() && !until; ++k) {
      const auto& [x, y] = together[(last + k) % together.size()];
      poll(static_cast<std::int64_t>(x.size() + y.size()));
      until = met_until(x, y, d);
      if (until) last = (last + k) % together.size();
    }
    if (!until) return false;
    d = *until;
  }
  return true;
}

bool DerivationFacts::at_distance(BufferIndex a, BufferIndex b, Size distance) const {
  const auto found = distances_.find({a, b});
  return found != distances_.end() && found->second.contains(distance);
}

// For a buffer with parts: does it use a reserved address at every offset?
bool DerivationFacts::always_in_reserved(const Box& box) const {
  std::vector<AddressRange> wrong;  // offsets
  for (const AddressRange& run : used_bytes(buffer(box.buffer)))
    for (const AddressRange& reserved : memory(box.memory).reserved)
      if (!reserved.empty())
        wrong.push_back({reserved.begin - run.end + 1, reserved.end - run.begin});
  std::sort(wrong.begin(), wrong.end());
  Offset next = box.low;
  for (const AddressRange& each : wrong)
    if (each.begin <= next) next = std::max(next, each.end);
  return next > box.high;
}

bool DerivationFacts::impossible(const Box& box) const {
  const Memory& there = memory(box.memory);
  const Size size = buffer(box.buffer).size;
  if (box.low + size > there.capacity) return true;
  if (has_parts(box.buffer)) return always_in_reserved(box);
  for (const AddressRange& reserved : there.reserved)
    if (!reserved.empty() && always_touches(box.low, box.high, size, reserved)) return true;
  if (there.straddle && in_a_bank_[box.buffer] == 0) return false;
  for (const AddressRange& bank : bank_ranges(there))
    if (box.high < bank.end && box.low + size > bank.end) return true;
  return false;
}

bool DerivationFacts::impossible(const Box& a, const Box& b) const {
  const std::pair pair{a.buffer, b.buffer};
  const bool together = a.memory == b.memory;
  if (!together) return one_memory_.contains(pair);
  if (other_memories_.contains(pair)) return true;
  if (has_parts(a.buffer) || has_parts(b.buffer)) return false;
  for (const AddressRange& bank : bank_ranges(memory(a.memory))) {
    const Offset border = bank.end;
    const bool parted =
        (a.low >= border && b.high < border) || (b.low >= border && a.high < border);
    if (parted && one_bank_.contains(pair)) return true;
    if (other_banks_.contains(pair) && always_touches(a.low, a.high, buffer(a.buffer).size, bank) &&
        always_touches(b.low, b.high, buffer(b.buffer).size, bank))
      return true;
  }
  return false;
}

bool DerivationFacts::impossible(const Box& box, Step step,
                                 const std::vector<std::optional<Role>>& roles) const {
  if (has_parts(box.buffer)) return false;
  const Buffer& each = buffer(box.buffer);
  const auto banks = bank_ranges(memory(box.memory));
  // Ranges of forbidden banks: the buffer always touches one, possibly different ones.
  const auto caught = [&](AddressRange part, auto forbidden) {
    for (std::size_t k = 0; k < banks.size(); ++k) {
      if (!roles[k] || !forbidden(*roles[k])) continue;
      AddressRange run = banks[k];
      while (k + 1 < banks.size() && roles[k + 1] && forbidden(*roles[k + 1]))
        run.end = banks[++k].end;
      if (always_touches(box.low + part.begin, box.high + part.begin, part.size(), run))
        return true;
    }
    return false;
  };
  const AddressRange whole{0, each.size};
  const auto asks = [step](const std::vector<Step>& steps) {
    return std::binary_search(steps.begin(), steps.end(), step);
  };
  if (asks(each.read) && caught(whole, [&](Role role) { return !may_read(role, each.kind); }))
    return true;
  if (asks(each.write) && caught(whole, [&](Role role) { return !may_write(role, each.kind); }))
    return true;
  return std::any_of(parts_[box.buffer].begin(), parts_[box.buffer].end(),
                     [&](const Segment& part) {
                       return part.steps.contains(step) &&
                              caught(part.range, [](Role role) { return role == Role::off; });
                     });
}

bool DerivationFacts::mirrors() const {
  if (any_parts_ || memories() != 1 || has_modes(memory(0))) return false;
  if (!memory(0).reserved.empty() || !memory(0).banks.empty()) return false;
  for (BufferIndex b = 0; b < buffers(); ++b) {
    const Buffer& each = buffer(b);
    if (each.offset || each.window || !each.gaps.empty()) return false;
    if (each.size % stride(b) != 0 || memory(0).capacity % stride(b) != 0) return false;
  }
  return std::all_of(problem_.relations.begin(), problem_.relations.end(), [](const Relation& r) {
    return r.kind == RelationKind::disjoint || r.kind == RelationKind::may_overlap ||
           r.kind == RelationKind::avoid_overlap;
  });
}

bool DerivationFacts::may_be_lowered(BufferIndex b) const {
  if (any_parts_ || !tied(b) || tied_down_[b] != 0 || buffer(b).offset || !buffer(b).gaps.empty())
    return false;
  const Memory& home = memory(allowed_[b].front());
  return home.reserved.empty() && home.banks.empty() && !has_modes(home);
}

std::vector<AddressRange> DerivationFacts::in_the_way(BufferIndex b, BufferIndex other) const {
  std::vector<AddressRange> parts;
  const auto& there = allowed_[other];
  if (b == other || std::find(there.begin(), there.end(), allowed_[b].front()) == there.end())
    return parts;
  if (disjoint_.contains({b, other})) return {{0, buffer(other).size}};
  if (exempt_.contains({b, other})) return parts;
  for (const Segment& x : parts_[b])
    for (const Segment& y : parts_[other])
      if (overlaps(x.steps, y.steps)) parts.push_back(y.range);
  return parts;
}

}  // namespace tessera::proof
