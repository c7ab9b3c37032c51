// Interchangeable buffers (twins); docs/reference/proofs.md has the definition.
#include <algorithm>
#include <set>

#include "derivation_facts.h"

namespace tessera::proof {

// Equal in all properties except relations and conflicts.
bool DerivationFacts::look_the_same(BufferIndex a, BufferIndex b) const {
  const Buffer& x = buffer(a);
  const Buffer& y = buffer(b);
  if (x.size != y.size || has_parts(a) || has_parts(b) || x.offset || y.offset ||
      in_a_row_[a] != 0 || in_a_row_[b] != 0)
    return false;
  if (x.window != y.window || allowed_[a] != allowed_[b] || x.gaps.size() != y.gaps.size())
    return false;
  for (std::size_t k = 0; k < x.gaps.size(); ++k)
    if (x.gaps[k].steps != y.gaps[k].steps || x.gaps[k].window != y.gaps[k].window) return false;
  return std::all_of(allowed_[a].begin(), allowed_[a].end(), [&](MemoryIndex m) {
    if (effective_alignment(x, memory(m)) != effective_alignment(y, memory(m))) return false;
    return !has_modes(memory(m)) ||
           (x.live == y.live && x.kind == y.kind && x.read == y.read && x.write == y.write);
  });
}

// The ranges of a buffer that share no address with a buffer of a single lifetime.
std::set<AddressRange> DerivationFacts::kept(BufferIndex b, BufferIndex from) const {
  const AddressRange whole{0, buffer(b).size};
  const bool meet = std::any_of(allowed_[b].begin(), allowed_[b].end(), [&](MemoryIndex m) {
    return std::find(allowed_[from].begin(), allowed_[from].end(), m) != allowed_[from].end();
  });
  if (!meet) return {};
  if (disjoint_.contains({b, from})) return {whole};
  if (exempt_.contains({b, from})) return {};
  std::set<AddressRange> ranges;
  for (const Segment& part : parts_[b])
    if (overlaps(part.steps, buffer(from).live.front())) ranges.insert(part.range);
  if (ranges.contains(whole)) return {whole};
  return ranges;
}

// Does every third buffer have equal relations to both, except for the kinds `aside`?
bool DerivationFacts::said_the_same(BufferIndex a, BufferIndex b, unsigned aside) const {
  const auto what = [&](BufferIndex one, BufferIndex third) {
    Said said;
    if (const auto found = said_[one].find(third); found != said_[one].end()) said = found->second;
    said.kinds &= ~aside;
    return said;
  };
  for (const BufferIndex one : {a, b})
    for (const auto& each : said_[one])
      if (each.first != a && each.first != b && what(a, each.first) != what(b, each.first))
        return false;
  return true;
}

bool DerivationFacts::twins(BufferIndex a, BufferIndex b) const {
  if (a == b || !look_the_same(a, b)) return false;
  const bool one_life = buffer(a).live == buffer(b).live;
  if (one_life && said_the_same(a, b, 0)) return true;
  for (const BufferIndex each : {a, b})
    if (buffer(each).live.size() != 1 || !buffer(each).gaps.empty()) return false;
  constexpr unsigned aside = 1U << static_cast<unsigned>(RelationKind::disjoint) |
                             1U << static_cast<unsigned>(RelationKind::may_overlap);
  if (!said_the_same(a, b, aside)) return false;
  for (BufferIndex third = 0; third < buffers(); ++third)
    if (third != a && third != b && kept(third, a) != kept(third, b)) return false;
  return true;
}

bool DerivationFacts::at_one_place(BufferIndex a, BufferIndex b) const {
  if (disjoint_.contains({a, b}) || other_banks_.contains({a, b}) ||
      other_memories_.contains({a, b}) || cost_of(a, b) > 0)
    return false;
  if (exempt_.contains({a, b})) return true;
  for (const Segment& x : parts_[a])
    for (const Segment& y : parts_[b])
      if (overlaps(x.steps, y.steps)) return false;
  return true;
}

bool DerivationFacts::has_twin(BufferIndex b) const {
  for (BufferIndex other = 0; other < buffers(); ++other)
    if (twins(b, other)) return true;
  return false;
}

}  // namespace tessera::proof
