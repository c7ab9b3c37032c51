#include "context.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "model/buffer_parts.h"
#include "model/differences.h"

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

void Context::keep_apart(BufferIndex a, BufferIndex b, Lit unless) {
  if (!has_parts(problem.buffers[a]) && !has_parts(problem.buffers[b]))
    return separate(a, b, whole_separation(a, b), unless);
  for (const AddressRange& range : shared_differences(problem.buffers[a], problem.buffers[b], poll))
    separate(a, b, outside(range), unless);
}

Lit Context::starts_at_or_above(BufferIndex b, Offset address) {
  return formula.at_least(offset(b), fixed(address - extent(problem.buffers[b]).begin));
}

Lit Context::ends_at_or_below(BufferIndex b, Offset address) {
  const Buffer& buffer = problem.buffers[b];
  if (!has_parts(buffer)) return -formula.above(offset(b), minus_size_of(b, address));
  return -formula.above(offset(b), fixed(address - extent(buffer).end));
}

void Context::keep_off(BufferIndex b, MemoryIndex m, const AddressRange& addresses, Lit unless) {
  const Buffer& buffer = problem.buffers[b];
  if (!has_parts(buffer)) {
    require({b}, {unless, -in(b, m), starts_at_or_above(b, addresses.end),
                  ends_at_or_below(b, addresses.begin)});
    return;
  }
  for (const AddressRange& wrong : touching_offsets(buffer, addresses, poll))
    require({b}, {unless, -in(b, m), formula.at_least(offset(b), fixed(wrong.end)),
                  -formula.above(offset(b), fixed(wrong.begin - 1))});
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
    keep_off(b, m, range, literal);
  }
  return entry->second;
}

bool has_parts(const Buffer& buffer) {
  return !buffer.parts.empty();
}

Separation outside(const AddressRange& differences) {
  return {fixed(differences.end), fixed(1 - differences.begin)};
}

Separation whole_separation(BufferIndex a, BufferIndex b) {
  return {size_of(a), size_of(b)};
}

std::vector<Piece> pieces(const Buffer& buffer) {
  // With a size no window can reach, a range as large as the buffer is the whole of it.
  const Buffer marked{
      .id = {}, .live = buffer.live, .size = unbounded, .gaps = buffer.gaps, .parts = buffer.parts};
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

/// Of the amounts that differ by a number alone: which ones.
auto kind_of(const Separation& apart) {
  const auto size = [](const Amount& amount) {
    return std::tuple(amount.size_factor, amount.buffer, amount.memory);
  };
  return std::pair(size(apart.first_below), size(apart.second_below));
}

/// Only what no other separation implies, in the order in which it was found.
std::vector<Separation> strongest(const std::vector<Separation>& found) {
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&found](std::size_t a, std::size_t b) {
    const auto key = [&found](std::size_t k) {
      const Separation& apart = found[k];
      return std::tuple(kind_of(apart), -apart.first_below.constant, -apart.second_below.constant,
                        k);
    };
    return key(a) < key(b);
  });
  // Of one kind the first asks for most below the second; each other one that is kept must ask for
  // more than all before it the other way round.
  std::vector<std::size_t> kept;
  for (const std::size_t k : order) {
    if (kept.empty() || kind_of(found[kept.back()]) != kind_of(found[k]) ||
        found[kept.back()].second_below.constant < found[k].second_below.constant)
      kept.push_back(k);
  }
  std::ranges::sort(kept);
  std::vector<Separation> result;
  for (const std::size_t k : kept) result.push_back(found[k]);
  return result;
}

/// Bytes of what is found for a pair of pieces, with the lists it is sorted in.
constexpr double bytes_per_piece = 2 * sizeof(Piece) + 2 * sizeof(Separation) + 32;

}  // namespace

std::vector<Separation> separations(const PlacementProblem& problem, BufferIndex a, BufferIndex b,
                                    Poll& poll) {
  const Buffer& first = problem.buffers[a];
  const Buffer& second = problem.buffers[b];
  if (has_parts(first) || has_parts(second)) {
    std::vector<Separation> apart;
    for (const AddressRange& range : forbidden_differences(first, second, poll))
      apart.push_back(outside(range));
    return apart;
  }
  if (first.gaps.empty() && second.gaps.empty()) {
    if (!coexist(first, second)) return {};
    return {whole_separation(a, b)};
  }
  const std::size_t gaps = first.gaps.size() + second.gaps.size();
  poll(static_cast<std::int64_t>(gaps));
  poll.check_memory(bytes_per_piece * static_cast<double>(gaps));
  const std::vector<Piece> of_first = pieces(first);
  const std::vector<Piece> of_second = pieces(second);
  // Pieces of one buffer follow each other, so whichever ends first meets nothing more. As a rule
  // many pairs in a row ask for the same.
  const Separation whole = whole_separation(a, b);
  std::vector<Separation> found;
  for (auto p = of_first.begin(), q = of_second.begin();
       p != of_first.end() && q != of_second.end();) {
    if (overlaps(p->steps, q->steps)) {
      const Separation apart{distance(*p, a, *q), distance(*q, b, *p)};
      // The whole of both asks for more than any piece of them.
      if (apart == whole) return {whole};
      if (found.empty() || found.back() != apart) found.push_back(apart);
    }
    if (p->steps.upper < q->steps.upper)
      ++p;
    else
      ++q;
  }
  return strongest(found);
}

}  // namespace tessera::encoder
