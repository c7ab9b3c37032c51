#include "tests/support/literal_rules.h"

#include <algorithm>
#include <numeric>

#include "model/derived.h"
#include "tests/support/brute_force.h"
#include "tests/support/rule_oracle.h"

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

bool touches_bank(const Memory& memory, const std::set<Offset>& addresses, std::size_t bank) {
  return std::any_of(addresses.begin(), addresses.end(),
                     [&](Offset address) { return bank_at(memory, address) == bank; });
}

bool lives(const std::vector<StepRange>& live, Step step) {
  return std::any_of(live.begin(), live.end(),
                     [&](const StepRange& r) { return r.lower <= step && step < r.upper; });
}

void add(std::set<Offset>& addresses, Offset begin, Offset end) {
  for (Offset address = begin; address < end; ++address) addresses.insert(address);
}

/// Nested loops, as in the contract: repeats of repeats of a range.
void add_runs(std::set<Offset>& addresses, const BufferPart& part, std::size_t depth, Offset at) {
  if (depth == part.repeat.size()) return add(addresses, at, at + part.size);
  for (std::int64_t k = 0; k < part.repeat[depth].count; ++k)
    add_runs(addresses, part, depth + 1, at + k * part.repeat[depth].stride);
}

}  // namespace

std::set<Offset> occupied(const Buffer& buffer, Offset offset, Step step) {
  std::set<Offset> addresses;
  if (!lives(buffer.live, step)) return addresses;
  for (const BufferPart& part : buffer.parts)
    if (lives(part.live, step)) add_runs(addresses, part, 0, offset + part.offset);
  if (!buffer.parts.empty()) return addresses;
  for (const Gap& gap : buffer.gaps) {
    if (step < gap.steps.lower || step >= gap.steps.upper) continue;
    if (gap.window) add(addresses, offset + gap.window->begin, offset + gap.window->end);
    return addresses;
  }
  add(addresses, offset, offset + buffer.size);
  return addresses;
}

std::set<Offset> used(const Buffer& buffer, Offset offset) {
  std::set<Offset> addresses;
  for (const BufferPart& part : buffer.parts) add_runs(addresses, part, 0, offset + part.offset);
  if (buffer.parts.empty()) add(addresses, offset, offset + buffer.size);
  return addresses;
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
  const Offset start = memory.base + at.offset;
  if (start % buffer.alignment != 0 || start % memory.alignment != 0) return false;
  if (buffer.offset && at.offset != *buffer.offset) return false;
  const std::set<Offset> addresses = used(buffer, at.offset);
  const Offset first = *addresses.begin();
  const Offset last = *addresses.rbegin();
  if (buffer.window && (first < buffer.window->begin || last >= buffer.window->end)) return false;
  for (const Offset address : addresses) {
    for (const AddressRange& reserved : memory.reserved) {
      if (reserved.begin <= address && address < reserved.end) return false;
    }
  }
  if (bank_at(memory, first) == bank_at(memory, last)) return true;
  return memory.straddle &&
         std::none_of(problem.relations.begin(), problem.relations.end(), [&](const Relation& r) {
           return r.kind == RelationKind::same_bank && contains(r.buffers, b);
         });
}

bool mode_serves(const PlacementProblem& problem, BufferIndex b, const BufferPlace& at, Step step,
                 const Mode& mode) {
  const Buffer& buffer = problem.buffers[b];
  const Memory& memory = problem.memories[at.memory];
  const std::set<Offset> whole = used(buffer, at.offset);
  const std::set<Offset> now = occupied(buffer, at.offset, step);
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
    if (role == Role::off && touches_bank(memory, now, bank)) return false;
  }
  return true;
}

bool share_an_address(const PlacementProblem& problem, BufferIndex a, const BufferPlace& at_a,
                      BufferIndex b, const BufferPlace& at_b) {
  if (at_a.memory != at_b.memory) return false;
  const std::set<Offset> of_a = used(problem.buffers[a], at_a.offset);
  const std::set<Offset> of_b = used(problem.buffers[b], at_b.offset);
  return std::any_of(of_a.begin(), of_a.end(),
                     [&](Offset address) { return of_b.contains(address); });
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
    for (const Offset of_a : occupied(problem.buffers[a], 0, t))
      for (const Offset of_b : occupied(problem.buffers[b], 0, t)) together_.insert(of_a - of_b);
  }
}

bool Pair::share_a_bank(const BufferPlace& at_a, const BufferPlace& at_b) const {
  if (at_a.memory != at_b.memory) return false;
  const Memory& memory = problem_.memories[at_a.memory];
  const std::set<Offset> of_a = used(problem_.buffers[a_], at_a.offset);
  const std::set<Offset> of_b = used(problem_.buffers[b_], at_b.offset);
  for (std::size_t bank = 0; bank < bank_count(memory); ++bank) {
    if (touches_bank(memory, of_a, bank) && touches_bank(memory, of_b, bank)) return true;
  }
  return false;
}

bool Pair::allows(const BufferPlace& at_a, const BufferPlace& at_b) const {
  if (at_a.memory == at_b.memory && together_.contains(at_b.offset - at_a.offset)) return false;
  const auto first_byte = [&](BufferIndex b, const BufferPlace& at) {
    return *used(problem_.buffers[b], at.offset).begin();
  };
  const auto follows = [&](BufferIndex one, const BufferPlace& at_one, BufferIndex two,
                           const BufferPlace& at_two) {
    return at_one.memory == at_two.memory &&
           *used(problem_.buffers[one], at_one.offset).rbegin() + 1 ==
               *used(problem_.buffers[two], at_two.offset).begin();
  };
  if (a_before_b_ && !follows(a_, at_a, b_, at_b)) return false;
  if (b_before_a_ && !follows(b_, at_b, a_, at_a)) return false;
  for (const RelationKind kind : relations_) {
    switch (kind) {
      case RelationKind::same_bank:
        // Whether each lies in one bank is checked for each alone.
        if (at_a.memory != at_b.memory ||
            bank_at(problem_.memories[at_a.memory], first_byte(a_, at_a)) !=
                bank_at(problem_.memories[at_b.memory], first_byte(b_, at_b))) {
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
  return keeps_rules(problem, placement);
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
