#include "derivation_facts.h"

#include <algorithm>

namespace tessera::proof {

DerivationFacts::DerivationFacts(const PlacementProblem& problem) : problem_(problem) {
  for (const Buffer& each : problem.buffers) {
    const auto allowed = allowed_memories(problem, each);
    expressible_ = expressible_ && allowed.size() == 1;
    home_.push_back(allowed.front());
    parts_.push_back(segments(each));
  }
  for (const Memory& memory : problem.memories) expressible_ = expressible_ && !has_modes(memory);
  related_.resize(problem.buffers.size(), 0);
  tied_down_.resize(problem.buffers.size(), 0);
  for (const Relation& relation : problem.relations) {
    for (const BufferIndex b : relation.buffers) {
      related_[b] = 1;
      if (relation.kind != RelationKind::disjoint && relation.kind != RelationKind::may_overlap)
        tied_down_[b] = 1;
    }
    switch (relation.kind) {
      case RelationKind::disjoint:
        for (const BufferIndex a : relation.buffers)
          for (const BufferIndex b : relation.buffers)
            if (a < b) disjoint_.emplace(a, b);
        break;
      case RelationKind::may_overlap:
      case RelationKind::avoid_overlap:
        break;
      case RelationKind::same_memory:
        break;  // where it does not hold there is more to say, not less
      case RelationKind::same_offset:
        for (const BufferIndex a : relation.buffers)
          for (const BufferIndex b : relation.buffers)
            if (a != b) distances_[{a, b}].insert(0);
        break;
      case RelationKind::adjacent:
        for (std::size_t k = 1; k < relation.buffers.size(); ++k) {
          const BufferIndex a = relation.buffers[k - 1];
          const BufferIndex b = relation.buffers[k];
          distances_[{a, b}].insert(problem.buffers[a].size);
          distances_[{b, a}].insert(-problem.buffers[a].size);
        }
        break;
      default:
        expressible_ = false;
    }
  }
  for (const auto& pair : exempt_pairs(problem)) exempt_.insert(pair);
}

AddressRange DerivationFacts::room(BufferIndex b) const {
  const Buffer& each = buffer(b);
  AddressRange room{0, home(b).capacity};
  if (each.window)
    room = {std::max(room.begin, each.window->begin), std::min(room.end, each.window->end)};
  if (each.offset)
    room = {std::max(room.begin, *each.offset), std::min(room.end, *each.offset + each.size)};
  return room;
}

Size DerivationFacts::stride(BufferIndex b) const {
  return effective_alignment(buffer(b), home(b));
}

bool DerivationFacts::apart(BufferIndex a, AddressRange of_a, BufferIndex b,
                            AddressRange of_b) const {
  if (a == b || home_[a] != home_[b]) return false;
  const auto pair = std::minmax(a, b);
  const AddressRange all_a{0, buffer(a).size};
  const AddressRange all_b{0, buffer(b).size};
  if (disjoint_.contains(pair) && all_a.contains(of_a) && all_b.contains(of_b)) return true;
  if (exempt_.contains(pair)) return false;
  for (const Segment& x : parts_[a])
    for (const Segment& y : parts_[b])
      if (overlaps(x.steps, y.steps) && x.range.contains(of_a) && y.range.contains(of_b))
        return true;
  return false;
}

bool DerivationFacts::at_distance(BufferIndex a, BufferIndex b, Size distance) const {
  const auto found = distances_.find({a, b});
  return found != distances_.end() && found->second.contains(distance);
}

bool DerivationFacts::keeps_out(BufferIndex b, Offset start, Offset end) const {
  // Offsets o < start with o + size > end. They are wrong if all of them touch [begin, finish).
  const auto touches = [&](Offset begin, Offset finish) { return start <= finish && end >= begin; };
  for (const AddressRange& reserved : home(b).reserved)
    if (!reserved.empty() && touches(reserved.begin, reserved.end)) return true;
  if (home(b).straddle) return false;
  for (const AddressRange& bank : bank_ranges(home(b)))
    if (touches(bank.end, bank.end)) return true;
  return false;
}

bool DerivationFacts::identical(BufferIndex a, BufferIndex b) const {
  const Buffer& x = buffer(a);
  const Buffer& y = buffer(b);
  return a != b && related_[a] == 0 && related_[b] == 0 && home_[a] == home_[b] &&
         x.memories == y.memories && x.kind == y.kind && x.read == y.read && x.write == y.write &&
         x.live == y.live && x.size == y.size && x.alignment == y.alignment && x.gaps.empty() &&
         y.gaps.empty() && !x.offset && !y.offset && x.window == y.window;
}

bool DerivationFacts::has_double(BufferIndex b) const {
  for (BufferIndex other = 0; other < buffers(); ++other)
    if (identical(b, other)) return true;
  return false;
}

bool DerivationFacts::mirrors() const {
  if (!expressible_ || problem_.memories.size() != 1 || !distances_.empty()) return false;
  const Memory& memory = problem_.memories[0];
  if (!memory.reserved.empty() || !memory.banks.empty()) return false;
  for (BufferIndex b = 0; b < buffers(); ++b) {
    const Buffer& each = buffer(b);
    if (each.offset || each.window || !each.gaps.empty()) return false;
    if (each.size % stride(b) != 0 || memory.capacity % stride(b) != 0) return false;
  }
  return true;
}

bool DerivationFacts::may_be_lowered(BufferIndex b) const {
  return expressible_ && tied_down_[b] == 0 && !buffer(b).offset && buffer(b).gaps.empty() &&
         home(b).reserved.empty() && home(b).banks.empty();
}

std::vector<AddressRange> DerivationFacts::in_the_way(BufferIndex b, BufferIndex other) const {
  const AddressRange all{0, buffer(other).size};
  std::vector<AddressRange> parts;
  if (b == other || home_[b] != home_[other]) return parts;
  const auto pair = std::minmax(b, other);
  if (disjoint_.contains(pair)) return {all};
  if (exempt_.contains(pair)) return parts;
  for (const Segment& x : parts_[b])
    for (const Segment& y : parts_[other])
      if (overlaps(x.steps, y.steps)) parts.push_back(y.range);
  return parts;
}

}  // namespace tessera::proof
