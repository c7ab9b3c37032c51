#include <algorithm>

#include "check_parts.h"

namespace tessera::checking {
namespace {

/// Checks one relation and words its violations.
class RelationCheck {
 public:
  RelationCheck(Context& context, std::size_t index)
      : context_(context), index_(index), relation_(context.problem.relations[index]) {}

  void run() {
    switch (relation_.kind) {
      case RelationKind::same_bank:
        return same_bank();
      case RelationKind::different_banks:
        return different_banks();
      case RelationKind::same_memory:
        return same_memory();
      case RelationKind::different_memories:
        return different_memories();
      case RelationKind::adjacent:
        return adjacent();
      case RelationKind::same_offset:
        return same_offset();
      case RelationKind::disjoint:
        return disjoint();
      case RelationKind::may_overlap:
      case RelationKind::avoid_overlap:
        return;
    }
  }

 private:
  void same_bank() {
    // The first buffer that lies in one bank determines the bank.
    std::optional<BufferIndex> leader;
    for (const BufferIndex b : relation_.buffers) {
      const std::optional<BankSpan> banks = banks_of(b);
      if (!banks) continue;
      if (!banks->single()) {
        wrong(Rule::same_bank, {b}, banks->first, "Buffer ", in_memory(b), " crosses from ",
              bank(b, banks->first), " into ", bank(b, banks->first + 1),
              ", but must be in one bank");
      } else if (!leader) {
        leader = b;
      } else if (context_.memory_of(b) != context_.memory_of(*leader) ||
                 *banks != *banks_of(*leader)) {
        const std::size_t other = banks_of(*leader)->first;
        wrong(Rule::same_bank, {*leader, b}, other, "Buffer ", in_memory(*leader), " lies in ",
              bank(*leader, other), " and ", in_memory(b), " in ", bank(b, banks->first),
              ", but must be in the same bank");
      }
    }
  }

  void different_banks() {
    std::vector<Claim> claims;
    for (const BufferIndex b : relation_.buffers) {
      if (!sane(b)) continue;
      for (const std::size_t bank : context_.touched_banks(b)) {
        const auto number = static_cast<Offset>(bank);
        claims.push_back({b, context_.memory_of(b), {number, number + 1}});
      }
    }
    for_each_intersection(std::move(claims), [this](const Claim& x, const Claim& y) {
      const auto [a, b] = std::minmax(x.buffer, y.buffer);
      const auto shared = static_cast<std::size_t>(std::max(x.range.begin, y.range.begin));
      wrong(Rule::different_banks, {a, b}, shared, "Buffers ", in_memory(a), " and ", in_memory(b),
            " both touch ", bank(a, shared), ", but must not share a bank");
      return !context_.full();
    });
  }

  void same_memory() {
    const BufferIndex first = relation_.buffers.front();
    for (const BufferIndex b : relation_.buffers) {
      if (context_.memory_of(b) == context_.memory_of(first)) continue;
      wrong(Rule::same_memory, {first, b}, std::nullopt, "Buffers ", in_memory(first), " and ",
            in_memory(b), " must be in one memory");
    }
  }

  void different_memories() {
    std::vector<std::optional<BufferIndex>> taken(context_.problem.memories.size());
    for (const BufferIndex b : relation_.buffers) {
      std::optional<BufferIndex>& owner = taken[context_.memory_of(b)];
      if (!owner) {
        owner = b;
        continue;
      }
      wrong(Rule::different_memories, {*owner, b}, std::nullopt, "Buffers ", in_memory(*owner),
            " and ", in_memory(b), " must not be in one memory");
    }
  }

  void adjacent() {
    for (std::size_t k = 1; k < relation_.buffers.size(); ++k) {
      const BufferIndex before = relation_.buffers[k - 1];
      const BufferIndex after = relation_.buffers[k];
      if (!sane(before) || !sane(after)) continue;
      if (context_.memory_of(before) == context_.memory_of(after) &&
          context_.hull(before).end == context_.hull(after).begin) {
        continue;
      }
      wrong(Rule::adjacent, {before, after}, std::nullopt, "Buffer ", in_memory(after),
            " must start where ", in_memory(before), " ends");
    }
  }

  void same_offset() {
    const BufferIndex first = relation_.buffers.front();
    for (const BufferIndex b : relation_.buffers) {
      if (context_.placement.places[b] == context_.placement.places[first]) continue;
      wrong(Rule::same_offset, {first, b}, std::nullopt, "Buffers ", in_memory(first), " and ",
            in_memory(b), " must start at the same address of one memory");
    }
  }

  void disjoint() {
    std::vector<Claim> claims;
    for (const BufferIndex b : relation_.buffers) {
      if (sane(b)) claim_bytes(context_.buffer(b), b, context_.placement.places[b], claims);
    }
    for_each_intersection(std::move(claims), [this](const Claim& x, const Claim& y) {
      const auto [a, b] = std::minmax(x.buffer, y.buffer);
      wrong(
          Rule::disjoint, {a, b}, std::nullopt, "Buffers ", in_memory(a), " and ", in_memory(b),
          " share the addresses ",
          AddressRange{std::max(x.range.begin, y.range.begin), std::min(x.range.end, y.range.end)},
          ", but must never share an address");
      return !context_.full();
    });
  }

  template <typename... Pieces>
  void wrong(Rule rule, std::vector<BufferIndex> buffers, std::optional<std::size_t> bank,
             const Pieces&... pieces) {
    const MemoryIndex memory = context_.memory_of(buffers.front());
    context_.add(
        {.rule = rule,
         .buffers = std::move(buffers),
         .memory = memory,
         .bank = bank,
         .relation = index_,
         .message = say(pieces..., " (relation ", index_, ", ", to_string(relation_.kind), ").")});
  }

  [[nodiscard]] bool sane(BufferIndex b) const { return context_.sane[b] != 0; }
  [[nodiscard]] std::optional<BankSpan> banks_of(BufferIndex b) const {
    return sane(b) ? context_.banks(b) : std::nullopt;
  }
  [[nodiscard]] std::string in_memory(BufferIndex b) const {
    return say(context_.where(b), " of memory '", context_.memory(b).name, '\'');
  }
  [[nodiscard]] std::string bank(BufferIndex b, std::size_t k) const {
    return context_.bank_name(context_.memory_of(b), k);
  }

  Context& context_;
  std::size_t index_;
  const Relation& relation_;
};

}  // namespace

void check_relations(Context& context) {
  for (std::size_t r = 0; r < context.problem.relations.size() && !context.full(); ++r) {
    RelationCheck(context, r).run();
  }
}

}  // namespace tessera::checking
