#include "first_fit.h"

#include <algorithm>

namespace tessera::encoder {
namespace {

/// May this buffer use a bank that has this role at every step?
bool welcomes(Role role, const Buffer& buffer) {
  return role != Role::off && (buffer.read.empty() || may_read(role, buffer.kind)) &&
         (buffer.write.empty() || may_write(role, buffer.kind));
}

/// Addresses at which a buffer cannot start: begin <= offset < end.
using Blocked = std::vector<AddressRange>;

Offset lowest_free(Offset from, Size alignment, Blocked& blocked) {
  std::sort(blocked.begin(), blocked.end());
  Offset at = align_up(from, alignment);
  for (const AddressRange& range : blocked) {
    if (range.begin <= at && at < range.end) at = align_up(range.end, alignment);
  }
  return at;
}

}  // namespace

FirstFit::FirstFit(const PlacementProblem& problem, Poll& poll)
    : conflicts_(problem.buffers.size()),
      same_offset_(problem.buffers.size()),
      other_banks_(problem.buffers.size()) {
  const auto add = [this](BufferIndex a, BufferIndex b, const Separation& apart) {
    conflicts_[a].push_back({b, apart});
    conflicts_[b].push_back({a, {apart.second_below, apart.first_below}});
  };
  const auto exempt = exempt_pairs(problem);
  for (BufferIndex a = 0; a < problem.buffers.size(); ++a) {
    for (BufferIndex b = a + 1; b < problem.buffers.size(); ++b) {
      poll();
      if (std::binary_search(exempt.begin(), exempt.end(), std::pair(a, b))) continue;
      for (const Separation& apart : separations(problem, a, b, poll)) add(a, b, apart);
    }
  }
  for (const Relation& relation : problem.relations) {
    for (const BufferIndex a : relation.buffers) {
      for (const BufferIndex b : relation.buffers) {
        poll();
        if (relation.kind == RelationKind::disjoint && a < b) add(a, b, whole_separation(a, b));
        if (relation.kind == RelationKind::same_offset && a != b) same_offset_[a].push_back(b);
        if (relation.kind == RelationKind::different_banks && a != b) other_banks_[a].push_back(b);
      }
    }
  }
}

/// Construction of one proposal.
class FirstFit::Run {
 public:
  Run(const FirstFit& who, const PlacementProblem& problem, const Placement& like,
      const FirstFitRules& rules)
      : who_(who),
        problem_(problem),
        like_(like),
        rules_(rules),
        proposal_(like),
        placed_(problem.buffers.size(), 0) {
    for (const Buffer& buffer : problem.buffers) numbers_.sizes.push_back(buffer.size);
    for (const Memory& memory : problem.memories) banks_.push_back(bank_ranges(memory));
  }

  void place(BufferIndex b) {
    if (placed_[b] != 0) return;
    together_ = who_.same_offset_[b];
    together_.push_back(b);
    BufferPlace chosen{like_.places[b].memory, 0};
    chosen.offset = lowest_place(b, chosen.memory);
    if (rules_.other_memories && !ends_inside(b, chosen)) {
      for (const MemoryIndex m : allowed_memories(problem_, problem_.buffers[b])) {
        const BufferPlace other{m, lowest_place(b, m)};
        if (!ends_inside(b, other)) continue;
        chosen = other;
        break;
      }
    }
    for (const BufferIndex member : together_) {
      proposal_.places[member] = chosen;
      placed_[member] = 1;
    }
  }

  Placement finish() { return std::move(proposal_); }

 private:
  [[nodiscard]] bool ends_inside(BufferIndex b, const BufferPlace& place) const {
    return place.offset + problem_.buffers[b].size <= problem_.memories[place.memory].capacity;
  }

  Offset lowest_place(BufferIndex b, MemoryIndex m) {
    const Buffer& buffer = problem_.buffers[b];
    const Memory& memory = problem_.memories[m];
    if (buffer.offset) return *buffer.offset;
    blocked_.clear();
    for (const AddressRange& reserved : memory.reserved) block(b, reserved);
    for (const BufferIndex member : together_) {
      for (const Conflict& conflict : who_.conflicts_[member]) {
        const BufferPlace& other = proposal_.places[conflict.other];
        if (placed_[conflict.other] == 0 || other.memory != m) continue;
        // Blocked: above the last place below it and below the first place above it.
        blocked_.push_back({other.offset - numbers_.value(conflict.apart.first_below) + 1,
                            other.offset + numbers_.value(conflict.apart.second_below)});
      }
    }
    if (!memory.banks.empty()) block_banks(b, m);
    Offset from = buffer.window ? buffer.window->begin : 0;
    if (rules_.mode < 0 && m == like_.places[b].memory) {
      for (const AddressRange& bank : banks_[m]) {
        if (bank.begin <= like_.places[b].offset) from = std::max(from, bank.begin);
      }
    }
    return lowest_free(from, effective_alignment(buffer, memory), blocked_);
  }

  /// Blocks the offsets at which b would overlap the range.
  void block(BufferIndex b, const AddressRange& range) {
    blocked_.push_back({range.begin - problem_.buffers[b].size + 1, range.end});
  }

  void block_banks(BufferIndex b, MemoryIndex m) {
    const Memory& memory = problem_.memories[m];
    const auto mode = static_cast<std::size_t>(std::max(rules_.mode, 0));
    for (std::size_t k = 0; k < banks_[m].size(); ++k) {
      const AddressRange& bank = banks_[m][k];
      const bool taken = std::any_of(
          who_.other_banks_[b].begin(), who_.other_banks_[b].end(), [&](BufferIndex other) {
            const BufferPlace& place = proposal_.places[other];
            return placed_[other] != 0 && place.memory == m &&
                   overlaps(bank, AddressRange{0, numbers_.sizes[other]}.at(place.offset));
          });
      if (taken || (rules_.mode >= 0 && mode < memory.modes.size() &&
                    !welcomes(memory.modes[mode].roles[k], problem_.buffers[b]))) {
        block(b, bank);
      } else if (!memory.straddle && k > 0) {
        blocked_.push_back({bank.begin - numbers_.sizes[b] + 1, bank.begin});
      }
    }
  }

  const FirstFit& who_;
  const PlacementProblem& problem_;
  const Placement& like_;
  const FirstFitRules& rules_;
  Placement proposal_;
  std::vector<char> placed_;
  std::vector<BufferIndex> together_;
  Blocked blocked_;
  Numbers numbers_;
  std::vector<std::vector<AddressRange>> banks_;  ///< per memory
};

Placement FirstFit::place(const PlacementProblem& problem, const Placement& like,
                          const std::vector<BufferIndex>& order, const FirstFitRules& rules) const {
  Run run(*this, problem, like, rules);
  for (const BufferIndex b : order) run.place(b);
  return run.finish();
}

}  // namespace tessera::encoder
