#include "context.h"

#include <algorithm>

namespace tessera::encoder {

void Context::require(std::initializer_list<BufferIndex> who, std::initializer_list<Lit> literals) {
  require(who, std::vector<Lit>(literals));
}

void Context::require(std::initializer_list<BufferIndex> who, std::vector<Lit> literals) {
  for (const BufferIndex b : who) literals.push_back(-encoding.present[b]);
  formula.clause(literals);
}

void Context::separate(BufferIndex a, BufferIndex b, const Separation& apart, Lit unless) {
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    if (!may_be_in(a, m) || !may_be_in(b, m)) continue;
    require({a, b}, {formula.before(offset(a), apart.first_below, offset(b)),
                     formula.before(offset(b), apart.second_below, offset(a)), -in(a, m), -in(b, m),
                     unless});
  }
}

Lit Context::touches(BufferIndex b, MemoryIndex m, std::size_t bank) {
  const Memory& memory = problem.memories[m];
  if (!may_be_in(b, m)) return false_lit;
  if (memory.banks.size() < 2) return in(b, m);
  const std::uint64_t key =
      (static_cast<std::uint64_t>(b) * problem.memories.size() + m) * (std::uint64_t{1} << 20U) +
      bank;
  const auto [entry, is_new] = touch_.try_emplace(key, false_lit);
  if (is_new) {
    const AddressRange range = bank_ranges(memory)[bank];
    const Lit literal =
        formula.boolean(problem.buffers[b].id + " touches " + memory.banks[bank].name);
    entry->second = literal;
    formula.clause(
        {literal, -in(b, m), starts_at_or_above(b, range.end), ends_at_or_below(b, range.begin)});
  }
  return entry->second;
}

Separation whole_separation(BufferIndex a, BufferIndex b) {
  return {size_of(a), size_of(b)};
}

std::vector<Piece> pieces(const Buffer& buffer) {
  // With a size no window can reach, a range as large as the buffer is the whole of it.
  Buffer marked = buffer;
  marked.size = unbounded;
  std::vector<Piece> result;
  for (const Segment& segment : segments(marked)) {
    const bool whole = segment.range.end == unbounded;
    result.push_back({segment.steps, whole, whole ? AddressRange{} : segment.range});
  }
  return result;
}

namespace {

/// How far above x_a the end of one piece of a lies over the begin of one piece of b.
Amount distance(const Piece& lower, BufferIndex a, const Piece& upper) {
  Amount end = lower.whole ? size_of(a) : fixed(lower.window.end);
  end.constant -= upper.whole ? 0 : upper.window.begin;
  return end;
}

}  // namespace

std::vector<Separation> separations(const PlacementProblem& problem, BufferIndex a, BufferIndex b) {
  const Buffer& first = problem.buffers[a];
  const Buffer& second = problem.buffers[b];
  if (first.gaps.empty() && second.gaps.empty()) {
    if (!coexist(first, second)) return {};
    return {whole_separation(a, b)};
  }
  std::vector<Separation> result;
  for (const Piece& p : pieces(first)) {
    for (const Piece& q : pieces(second)) {
      if (!overlaps(p.steps, q.steps)) continue;
      const Separation apart{distance(p, a, q), distance(q, b, p)};
      if (std::find(result.begin(), result.end(), apart) == result.end()) result.push_back(apart);
    }
  }
  // The whole of both asks for more than any piece of them.
  const Separation whole = whole_separation(a, b);
  if (std::find(result.begin(), result.end(), whole) != result.end()) return {whole};
  return result;
}

}  // namespace tessera::encoder
