#include "tests/support/literal_rules.h"

#include <algorithm>
#include <numeric>

#include "model/derived.h"
#include "tests/support/brute_force.h"

namespace tessera::testing {
namespace literal {
namespace {

bool contains(const std::vector<Step>& steps, Step step) {
  return std::find(steps.begin(), steps.end(), step) != steps.end();
}

bool contains(const std::vector<BufferIndex>& buffers, BufferIndex b) {
  return std::find(buffers.begin(), buffers.end(), b) != buffers.end();
}

std::size_t bank_count(const Memory& memory) {
  return std::max<std::size_t>(1, memory.banks.size());
}

bool touches_bank(const Memory& memory, const AddressRange& range, std::size_t bank) {
  for (Offset address = range.begin; address < range.end; ++address) {
    if (bank_at(memory, address) == bank) return true;
  }
  return false;
}

}  // namespace

std::optional<AddressRange> occupied(const Buffer& buffer, Offset offset, Step step) {
  const bool live = std::any_of(buffer.live.begin(), buffer.live.end(), [&](const StepRange& r) {
    return r.lower <= step && step < r.upper;
  });
  if (!live) return std::nullopt;
  for (const Gap& gap : buffer.gaps) {
    if (step < gap.steps.lower || step >= gap.steps.upper) continue;
    if (!gap.window) return std::nullopt;
    return AddressRange{offset + gap.window->begin, offset + gap.window->end};
  }
  return AddressRange{offset, offset + buffer.size};
}

std::size_t bank_at(const Memory& memory, Offset address) {
  std::size_t bank = 0;
  for (Offset end = 0; bank < memory.banks.size(); ++bank) {
    end += memory.banks[bank].size;
    if (address < end) break;
  }
  return bank;
}

bool alone(const PlacementProblem& problem, BufferIndex b, const BufferPlace& at) {
  const Buffer& buffer = problem.buffers[b];
  const Memory& memory = problem.memories[at.memory];
  const Offset end = at.offset + buffer.size;
  if (!buffer.memories.empty() && std::find(buffer.memories.begin(), buffer.memories.end(),
                                            at.memory) == buffer.memories.end()) {
    return false;
  }
  if (at.offset < 0 || end > memory.capacity) return false;
  if (at.offset % buffer.alignment != 0 || at.offset % memory.alignment != 0) return false;
  if (buffer.offset && at.offset != *buffer.offset) return false;
  if (buffer.window && (at.offset < buffer.window->begin || end > buffer.window->end)) return false;
  for (Offset address = at.offset; address < end; ++address) {
    for (const AddressRange& reserved : memory.reserved) {
      if (reserved.begin <= address && address < reserved.end) return false;
    }
  }
  if (bank_at(memory, at.offset) == bank_at(memory, end - 1)) return true;
  return memory.straddle &&
         std::none_of(problem.relations.begin(), problem.relations.end(), [&](const Relation& r) {
           return r.kind == RelationKind::same_bank && contains(r.buffers, b);
         });
}

bool mode_serves(const PlacementProblem& problem, BufferIndex b, const BufferPlace& at, Step step,
                 const Mode& mode) {
  const Buffer& buffer = problem.buffers[b];
  const Memory& memory = problem.memories[at.memory];
  const AddressRange whole{at.offset, at.offset + buffer.size};
  const std::optional<AddressRange> now = occupied(buffer, at.offset, step);
  for (std::size_t bank = 0; bank < bank_count(memory); ++bank) {
    const Role role = mode.roles[bank];
    if (touches_bank(memory, whole, bank)) {
      const bool readable = role == Role::read || role == Role::read_write ||
                            (role == Role::weight && buffer.kind == BufferKind::weight) ||
                            (role == Role::data && buffer.kind != BufferKind::weight);
      const bool writable = role == Role::write || role == Role::read_write ||
                            (role == Role::data && buffer.kind != BufferKind::weight);
      if (contains(buffer.read, step) && !readable) return false;
      if (contains(buffer.write, step) && !writable) return false;
    }
    if (now && role == Role::off && touches_bank(memory, *now, bank)) return false;
  }
  return true;
}

bool share_an_address(const PlacementProblem& problem, BufferIndex a, const BufferPlace& at_a,
                      BufferIndex b, const BufferPlace& at_b) {
  return at_a.memory == at_b.memory && at_a.offset < at_b.offset + problem.buffers[b].size &&
         at_b.offset < at_a.offset + problem.buffers[a].size;
}

Pair::Pair(const PlacementProblem& problem, BufferIndex a, BufferIndex b)
    : problem_(problem), a_(a), b_(b) {
  bool exempt = false;
  for (const Relation& relation : problem.relations) {
    if (!contains(relation.buffers, a) || !contains(relation.buffers, b)) continue;
    if (relation.kind == RelationKind::avoid_overlap) cost_ += relation.cost;
    if (relation.kind == RelationKind::same_offset) exempt = true;
    if (relation.kind == RelationKind::may_overlap) exempt = true;
    if (relation.kind == RelationKind::adjacent) {
      for (std::size_t k = 1; k < relation.buffers.size(); ++k) {
        if (relation.buffers[k - 1] == a && relation.buffers[k] == b) a_before_b_ = true;
        if (relation.buffers[k - 1] == b && relation.buffers[k] == a) b_before_a_ = true;
      }
    }
    relations_.push_back(relation.kind);
  }
  if (exempt) return;
  Step steps = 0;
  for (const Buffer& buffer : problem.buffers) steps = std::max(steps, buffer.live.back().upper);
  for (Step t = 0; t < steps; ++t) {
    const auto of_a = occupied(problem.buffers[a], 0, t);
    const auto of_b = occupied(problem.buffers[b], 0, t);
    if (!of_a || !of_b) continue;
    const std::pair both(*of_a, *of_b);
    if (std::find(together_.begin(), together_.end(), both) == together_.end()) {
      together_.push_back(both);
    }
  }
}

bool Pair::share_a_bank(const BufferPlace& at_a, const BufferPlace& at_b) const {
  if (at_a.memory != at_b.memory) return false;
  const Memory& memory = problem_.memories[at_a.memory];
  const AddressRange of_a{at_a.offset, at_a.offset + problem_.buffers[a_].size};
  const AddressRange of_b{at_b.offset, at_b.offset + problem_.buffers[b_].size};
  for (std::size_t bank = 0; bank < bank_count(memory); ++bank) {
    if (touches_bank(memory, of_a, bank) && touches_bank(memory, of_b, bank)) return true;
  }
  return false;
}

bool Pair::allows(const BufferPlace& at_a, const BufferPlace& at_b) const {
  if (at_a.memory == at_b.memory) {
    for (const auto& [of_a, of_b] : together_) {
      if (at_a.offset + of_a.begin < at_b.offset + of_b.end &&
          at_b.offset + of_b.begin < at_a.offset + of_a.end) {
        return false;
      }
    }
  }
  const auto ends = [&](BufferIndex b, const BufferPlace& at) {
    return BufferPlace{at.memory, at.offset + problem_.buffers[b].size};
  };
  if (a_before_b_ && ends(a_, at_a) != at_b) return false;
  if (b_before_a_ && ends(b_, at_b) != at_a) return false;
  for (const RelationKind kind : relations_) {
    switch (kind) {
      case RelationKind::same_bank:
        // That each lies in one bank is a matter of each alone.
        if (at_a.memory != at_b.memory ||
            bank_at(problem_.memories[at_a.memory], at_a.offset) !=
                bank_at(problem_.memories[at_b.memory], at_b.offset)) {
          return false;
        }
        break;
      case RelationKind::different_banks:
        if (share_a_bank(at_a, at_b)) return false;
        break;
      case RelationKind::same_memory:
        if (at_a.memory != at_b.memory) return false;
        break;
      case RelationKind::different_memories:
        if (at_a.memory == at_b.memory) return false;
        break;
      case RelationKind::same_offset:
        if (at_a != at_b) return false;
        break;
      case RelationKind::disjoint:
        if (share_an_address(problem_, a_, at_a, b_, at_b)) return false;
        break;
      case RelationKind::adjacent:
      case RelationKind::may_overlap:
      case RelationKind::avoid_overlap:
        break;
    }
  }
  return true;
}

}  // namespace literal

bool keeps_every_rule(const PlacementProblem& problem, const Placement& placement) {
  const std::size_t count = problem.buffers.size();
  if (placement.places.size() != count) return false;
  Step steps = 0;
  for (const Buffer& buffer : problem.buffers) steps = std::max(steps, buffer.live.back().upper);
  for (BufferIndex b = 0; b < count; ++b) {
    if (placement.places[b].memory >= problem.memories.size()) return false;
    if (!literal::alone(problem, b, placement.places[b])) return false;
    for (BufferIndex a = 0; a < b; ++a) {
      if (!literal::Pair(problem, a, b).allows(placement.places[a], placement.places[b])) {
        return false;
      }
    }
  }
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const std::vector<Mode> modes = all_modes(problem.memories[m]);
    if (modes.empty()) continue;
    for (Step t = 0; t < steps; ++t) {
      if (m >= placement.modes.size() ||
          placement.modes[m].size() != static_cast<std::size_t>(steps)) {
        return false;
      }
      const std::string& name = placement.modes[m][static_cast<std::size_t>(t)];
      const auto mode = std::find_if(modes.begin(), modes.end(),
                                     [&](const Mode& each) { return each.name == name; });
      if (mode == modes.end()) return false;
      for (BufferIndex b = 0; b < count; ++b) {
        if (placement.places[b].memory == m &&
            !literal::mode_serves(problem, b, placement.places[b], t, *mode)) {
          return false;
        }
      }
    }
  }
  return true;
}

Cost cost_by_pairs(const PlacementProblem& problem, const Placement& placement) {
  Cost total = 0;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    for (BufferIndex a = 0; a < b; ++a) {
      if (literal::share_an_address(problem, a, placement.places[a], b, placement.places[b])) {
        total += literal::Pair(problem, a, b).cost();
      }
    }
  }
  return total;
}

}  // namespace tessera::testing
