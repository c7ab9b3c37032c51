#include "first_fit.h"

#include <algorithm>

namespace tessera::encoder {
namespace {

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

FirstFit::FirstFit(const PlacementProblem& problem)
    : conflicts_(problem.buffers.size()), same_offset_(problem.buffers.size()) {
  const auto add = [this](BufferIndex a, BufferIndex b, const Separation& apart) {
    conflicts_[a].push_back({b, apart});
    conflicts_[b].push_back({a, {apart.second_below, apart.first_below}});
  };
  const auto exempt = exempt_pairs(problem);
  for (BufferIndex a = 0; a < problem.buffers.size(); ++a) {
    for (BufferIndex b = a + 1; b < problem.buffers.size(); ++b) {
      if (std::binary_search(exempt.begin(), exempt.end(), std::pair(a, b))) continue;
      for (const Separation& apart : separations(problem, a, b)) add(a, b, apart);
    }
  }
  for (const Relation& relation : problem.relations) {
    for (const BufferIndex a : relation.buffers) {
      for (const BufferIndex b : relation.buffers) {
        if (relation.kind == RelationKind::disjoint && a < b) add(a, b, whole_separation(a, b));
        if (relation.kind == RelationKind::same_offset && a != b) same_offset_[a].push_back(b);
      }
    }
  }
}

Placement FirstFit::place(const PlacementProblem& problem, const Placement& like,
                          const std::vector<BufferIndex>& order) const {
  const Numbers numbers = [&problem] {
    Numbers result;
    for (const Buffer& buffer : problem.buffers) result.sizes.push_back(buffer.size);
    return result;
  }();
  Placement proposal = like;
  std::vector<char> placed(problem.buffers.size(), 0);
  Blocked blocked;
  for (const BufferIndex b : order) {
    if (placed[b] != 0) continue;
    const Buffer& buffer = problem.buffers[b];
    const MemoryIndex m = like.places[b].memory;
    const Memory& memory = problem.memories[m];
    blocked.clear();
    for (const AddressRange& reserved : memory.reserved) {
      blocked.push_back({reserved.begin - buffer.size + 1, reserved.end});
    }
    std::vector<BufferIndex> together = same_offset_[b];
    together.push_back(b);
    for (const BufferIndex member : together) {
      for (const Conflict& conflict : conflicts_[member]) {
        const BufferPlace& other = proposal.places[conflict.other];
        if (placed[conflict.other] == 0 || other.memory != m) continue;
        // In the way: above the last place below it and below the first place above it.
        blocked.push_back({other.offset - numbers.value(conflict.apart.first_below) + 1,
                           other.offset + numbers.value(conflict.apart.second_below)});
      }
    }
    Offset from = buffer.window ? buffer.window->begin : 0;
    if (!memory.banks.empty()) {
      for (const AddressRange& bank : bank_ranges(memory)) {
        if (bank.begin <= like.places[b].offset) from = std::max(from, bank.begin);
      }
    }
    const Offset at = buffer.offset
                          ? *buffer.offset
                          : lowest_free(from, effective_alignment(buffer, memory), blocked);
    for (const BufferIndex member : together) {
      proposal.places[member] = {m, at};
      placed[member] = 1;
    }
  }
  return proposal;
}

}  // namespace tessera::encoder
