// The parts of check(); private to model/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/buffer_parts.h"
#include "model/derived.h"
#include "say.h"
#include "tessera/check.h"

namespace tessera::checking {

/// Banks first .. last of a memory.
struct BankSpan {
  std::size_t first = 0;
  std::size_t last = 0;
  [[nodiscard]] bool single() const { return first == last; }
  friend bool operator==(const BankSpan&, const BankSpan&) = default;
};

/// Facts about a memory that several rules use.
struct MemoryFacts {
  std::vector<AddressRange> banks;

  /// The banks the range touches; nothing if it lies outside the memory.
  [[nodiscard]] std::optional<BankSpan> touched(const AddressRange& range) const;
};

/// The problem, the placement and the violations found so far.
class Context {
 public:
  Context(const PlacementProblem& asked, const Placement& answer, std::size_t at_most);

  [[nodiscard]] bool full() const { return violations.size() >= limit; }
  void add(Violation violation) {
    if (!full()) violations.push_back(std::move(violation));
  }

  [[nodiscard]] const Buffer& buffer(BufferIndex b) const { return problem.buffers[b]; }
  [[nodiscard]] MemoryIndex memory_of(BufferIndex b) const { return placement.places[b].memory; }
  [[nodiscard]] const Memory& memory(BufferIndex b) const { return problem.memories[memory_of(b)]; }
  [[nodiscard]] Offset offset(BufferIndex b) const { return placement.places[b].offset; }
  [[nodiscard]] AddressRange range(BufferIndex b) const {
    return {offset(b), offset(b) + buffer(b).size};
  }
  /// The addresses the buffer uses at any step: the hull, and the ranges.
  [[nodiscard]] AddressRange hull(BufferIndex b) const { return extent(buffer(b)).at(offset(b)); }
  [[nodiscard]] std::vector<AddressRange> used(BufferIndex b) const;
  /// The hull of the touched banks, and the touched banks.
  [[nodiscard]] std::optional<BankSpan> banks(BufferIndex b) const {
    return facts[memory_of(b)].touched(hull(b));
  }
  [[nodiscard]] std::vector<std::size_t> touched_banks(BufferIndex b) const;
  /// "'id' at [begin, end)"
  [[nodiscard]] std::string where(BufferIndex b) const;
  [[nodiscard]] std::string bank_name(MemoryIndex m, std::size_t bank) const;

  const PlacementProblem& problem;
  const Placement& placement;
  std::size_t limit;
  std::vector<MemoryFacts> facts;
  /// False for a buffer whose addresses are so large that sums would overflow. The rule `bounds`
  /// reports it; other rules skip it.
  std::vector<char> sane;
  std::vector<Violation> violations;
};

/// A range of a memory that a buffer uses, in addresses or in bank numbers.
struct Claim {
  BufferIndex buffer = 0;
  MemoryIndex memory = 0;
  AddressRange range;
};

/// Appends a claim for each range of addresses the buffer uses at any step.
inline void claim_bytes(const Buffer& buffer, BufferIndex b, const BufferPlace& place,
                        std::vector<Claim>& claims) {
  if (buffer.parts.empty()) {
    claims.push_back({b, place.memory, {place.offset, place.offset + buffer.size}});
    return;
  }
  for (const AddressRange& bytes : used_bytes(buffer))
    claims.push_back({b, place.memory, bytes.at(place.offset)});
}

/// Calls report(a, b) once for every two buffers with intersecting claims in one memory, with the
/// lowest such claims. Takes time in proportion to the claims and the intersections. report()
/// returns whether to continue.
template <typename Report>
void for_each_intersection(std::vector<Claim> claims, Report report) {
  std::set<std::pair<BufferIndex, BufferIndex>> told;
  bool several = false;  // some buffer has several claims, so a pair may meet more than once
  for (std::size_t k = 1; k < claims.size() && !several; ++k)
    several = claims[k].buffer == claims[k - 1].buffer;
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    return std::pair(a.memory, a.range) < std::pair(b.memory, b.range);
  });
  std::vector<const Claim*> open;
  for (const Claim& claim : claims) {
    std::erase_if(open, [&](const Claim* earlier) {
      return earlier->memory != claim.memory || earlier->range.end <= claim.range.begin;
    });
    for (const Claim* earlier : open) {
      if (several && (earlier->buffer == claim.buffer ||
                      !told.insert(std::minmax(earlier->buffer, claim.buffer)).second))
        continue;
      if (!report(*earlier, claim)) return;
    }
    open.push_back(&claim);
  }
}

/// Does the placement have the right shape? The other rules require it.
[[nodiscard]] bool check_shape(Context& context);
void check_places(Context& context);
void check_overlap(Context& context);
void check_modes(Context& context);
void check_relations(Context& context);
void check_rules(Context& context);

}  // namespace tessera::checking
