#include "tests/support/random_problem.h"

#include <algorithm>
#include <string>

#include "model/derived.h"
#include "model/relations.h"

namespace tessera::testing {

Features Features::all() {
  Features f = one_address_space();
  f.memory_choice = true;
  f.modes = true;
  f.modes_per_bank = true;
  f.relations.clear();
  for (const RelationKind kind : relation_kinds())
    if (kind != RelationKind::avoid_overlap) f.relations.push_back(kind);
  f.soft_costs = true;
  return f;
}

Features Features::all_with_parts() {
  Features f = all();
  f.parts = true;
  return f;
}

Features Features::one_address_space() {
  Features f;
  f.alignment = true;
  f.gaps = true;
  f.gap_windows = true;
  f.intervals = true;
  f.fixed_offsets = true;
  f.hints = true;
  f.windows = true;
  f.reserved = true;
  f.several_memories = true;
  f.banks = true;
  f.no_straddle = true;
  f.accesses = true;
  f.relations = {RelationKind::same_offset, RelationKind::may_overlap, RelationKind::disjoint};
  return f;
}

namespace {

class ProblemMaker {
 public:
  ProblemMaker(Random& random, const Features& features) : random_(random), features_(features) {}

  PlacementProblem make() {
    choose_features();
    steps_ = random_.between(2, 8) * features_.scale;
    const auto count = static_cast<std::size_t>(
        (features_.twins ? random_.between(3, 5) : random_.between(3, random_.chance(15) ? 9 : 7)) *
        features_.scale);
    for (std::size_t b = 0; b < count; ++b) add_buffer(b);
    add_memories();
    for (Buffer& buffer : problem_.buffers) bind_to_addresses(buffer);
    add_relations();
    if (features_.twins) add_twins(random_, problem_);
    return std::move(problem_);
  }

 private:
  // Most problems use few features, some use many.
  void choose_features() {
    const int percent = random_.pick(std::vector<int>{10, 25, 25, 45, 80});
    const auto thin = [&](bool& on) { on = on && random_.chance(percent); };
    thin(features_.alignment);
    thin(features_.gaps);
    thin(features_.parts);
    thin(features_.intervals);
    thin(features_.fixed_offsets);
    thin(features_.hints);
    thin(features_.windows);
    thin(features_.reserved);
    thin(features_.several_memories);
    thin(features_.banks);
    thin(features_.no_straddle);
    thin(features_.modes);
    thin(features_.modes_per_bank);
    thin(features_.soft_costs);
    if (features_.modes && features_.modes_per_bank) {
      (random_.chance(50) ? features_.modes : features_.modes_per_bank) = false;
    }
    // Without accesses, modes only restrict by `off`.
    if (!features_.modes && !features_.modes_per_bank) thin(features_.accesses);
    if (!random_.chance(percent)) features_.relations.clear();
    busy_ = features_.alignment || features_.windows || features_.fixed_offsets ||
            features_.several_memories || features_.banks || features_.modes ||
            features_.modes_per_bank || !features_.relations.empty();
  }

  void add_buffer(std::size_t number) {
    Buffer buffer;
    buffer.id = number < 26 ? std::string(1, static_cast<char>('a' + number))
                            : "b" + std::to_string(number);
    const Step lower = random_.between(0, steps_ - 1);
    const Step upper = random_.between(lower + 1, std::min(steps_, lower + 1 + steps_ / 2));
    buffer.live.push_back({lower, upper});
    if (features_.intervals && random_.chance(40) && upper + 1 < steps_) {
      const Step again = random_.between(upper + 1, steps_ - 1);
      buffer.live.push_back({again, random_.between(again + 1, steps_)});
    }
    buffer.size = random_.between(1, (random_.chance(30) ? 8 : 5) * features_.scale);
    if (features_.alignment && random_.chance(50)) buffer.alignment = random_.between(1, 4);
    if (features_.parts && random_.chance(70))
      add_parts(buffer);
    else if (features_.gaps && random_.chance(50))
      add_gaps(buffer);
    if (features_.accesses) add_accesses(buffer);
    problem_.buffers.push_back(std::move(buffer));
  }

  void add_gaps(Buffer& buffer) {
    for (const StepRange& live : buffer.live) {
      Step from = live.lower;
      while (from < live.upper && random_.chance(60)) {
        const Step lower = random_.between(from, live.upper - 1);
        Gap gap{{lower, random_.between(lower + 1, live.upper)}, std::nullopt};
        if (features_.gap_windows && random_.chance(50)) {
          const Offset begin = random_.between(0, buffer.size - 1);
          gap.window = AddressRange{begin, random_.between(begin + 1, buffer.size)};
        }
        from = gap.steps.upper;
        buffer.gaps.push_back(gap);
      }
    }
  }

  void add_parts(Buffer& buffer) {
    buffer.size += random_.between(0, 4) * features_.scale;
    for (std::int64_t k = random_.between(1, 4); k > 0; --k) {
      BufferPart part;
      const StepRange& within = random_.pick(buffer.live);
      const Step lower = random_.between(within.lower, within.upper - 1);
      part.live = {{lower, random_.between(lower + 1, within.upper)}};
      if (random_.chance(15)) part.live = buffer.live;
      part.offset = random_.between(0, buffer.size - 1);
      part.size = random_.between(1, std::max<Size>(1, (buffer.size - part.offset) / 2));
      for (int depth = 0; depth < 2 && random_.chance(50); ++depth) {
        Size end = part.offset + part.size;
        for (const Repeat& each : part.repeat) end += (each.count - 1) * each.stride;
        const std::int64_t count = random_.between(1, 3);
        const Size most = (buffer.size - end) / std::max<std::int64_t>(1, count - 1);
        if (most < 1) break;
        part.repeat.push_back({count, random_.between(1, most)});
      }
      buffer.parts.push_back(std::move(part));
    }
  }

  void add_accesses(Buffer& buffer) {
    if (random_.chance(20)) buffer.kind = BufferKind::weight;
    for (const StepRange& live : buffer.live) {
      for (Step t = live.lower; t < live.upper; ++t) {
        if (random_.chance(t == live.lower ? 40 : 10)) buffer.write.push_back(t);
        if (random_.chance(t == live.lower ? 5 : 35)) buffer.read.push_back(t);
      }
    }
  }

  [[nodiscard]] Size load() const {
    Size most = 0;
    for (Step t = 0; t < steps_; ++t) {
      Size here = 0;
      for (const Buffer& buffer : problem_.buffers) {
        for (const Segment& segment : segments(buffer)) {
          if (segment.steps.contains(t)) here += segment.range.size();
        }
      }
      most = std::max(most, here);
    }
    return most;
  }

  void add_memories() {
    const std::int64_t count =
        features_.several_memories ? random_.between(2, random_.chance(20) ? 3 : 2) : 1;
    // Each rule needs memory; without rules, only tight problems are interesting.
    const std::int64_t most = busy_ ? 160 : 115;
    const Size wanted = load() * random_.between(95, most) / 100 / count;
    for (std::int64_t m = 0; m < count; ++m) {
      Memory memory;
      memory.name = "m" + std::to_string(m);
      memory.capacity = std::clamp<Size>(wanted + random_.between(busy_ ? 0 : -1, busy_ ? 3 : 1), 4,
                                         20 * features_.scale * features_.scale);
      if (features_.alignment && random_.chance(20)) memory.alignment = random_.between(2, 4);
      if (features_.banks && random_.chance(80)) add_banks(memory);
      if (features_.no_straddle && random_.chance(60)) memory.straddle = false;
      if (features_.modes && random_.chance(80)) add_modes(memory);
      if (features_.modes_per_bank && !memory.banks.empty()) add_modes_per_bank(memory);
      if (features_.reserved && random_.chance(60)) {
        const Offset begin = random_.between(0, memory.capacity - 1);
        memory.reserved.push_back(
            {begin, std::min(memory.capacity, begin + random_.between(1, 2))});
        ++memory.capacity;
        if (!memory.banks.empty()) ++memory.banks.back().size;
      }
      problem_.memories.push_back(std::move(memory));
    }
    if (count == 1) return;
    for (Buffer& buffer : problem_.buffers) {
      if (!features_.memory_choice || random_.chance(30)) {
        buffer.memories = {random_.below(static_cast<std::size_t>(count))};
      } else if (count == 3 && random_.chance(30)) {
        buffer.memories = {0, 1 + random_.below(2)};
      }
    }
  }

  void add_banks(Memory& memory) {
    const std::int64_t count = random_.between(2, std::min<Size>(4, memory.capacity));
    Size left = memory.capacity;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t behind = count - 1 - k;
      const Size size =
          behind == 0 ? left
                      : random_.between(
                            1, std::max<Size>(1, std::min(left - behind, 2 * left / (behind + 1))));
      memory.banks.push_back({"b" + std::to_string(k), size, {}});
      left -= size;
    }
  }

  Role random_role() {
    static const std::vector<Role> roles = {
        Role::read_write, Role::read_write, Role::read_write, Role::read, Role::read, Role::write,
        Role::write,      Role::weight,     Role::data,       Role::hold, Role::off};
    return random_.pick(roles);
  }

  void add_modes(Memory& memory) {
    const std::int64_t count = random_.between(1, 4);
    const std::size_t banks = std::max<std::size_t>(1, memory.banks.size());
    for (std::int64_t k = 0; k < count; ++k) {
      Mode mode{"x" + std::to_string(k), {}};
      for (std::size_t bank = 0; bank < banks; ++bank) mode.roles.push_back(random_role());
      memory.modes.push_back(std::move(mode));
    }
  }

  void add_modes_per_bank(Memory& memory) {
    memory.modes_per_bank = true;
    for (Bank& bank : memory.banks) {
      bank.roles.push_back(random_role());
      const Role second = random_role();
      if (second != bank.roles.front() && random_.chance(70)) bank.roles.push_back(second);
    }
  }

  void bind_to_addresses(Buffer& buffer) {
    const Memory& memory = problem_.memories[buffer.memories.empty() ? 0 : buffer.memories.front()];
    const Size room = std::max<Size>(0, memory.capacity - buffer.size);
    if (features_.fixed_offsets && random_.chance(30)) {
      // Occasionally an offset that is impossible.
      buffer.offset = random_.chance(90) ? align_down(random_.between(0, room),
                                                      effective_alignment(buffer, memory))
                                         : random_.between(0, memory.capacity);
    }
    if (features_.hints && random_.chance(50)) buffer.hint = random_.between(0, memory.capacity);
    if (features_.windows && random_.chance(40)) {
      const Offset begin = random_.between(0, room);
      buffer.window =
          AddressRange{begin, begin + buffer.size + random_.between(0, memory.capacity / 2)};
    }
  }

  void add_relations() {
    std::vector<BufferIndex> all(problem_.buffers.size());
    for (BufferIndex b = 0; b < all.size(); ++b) all[b] = b;
    const auto add = [&](RelationKind kind, Cost cost) {
      random_.shuffle(all);
      const std::ptrdiff_t count = random_.chance(25) ? 3 : 2;
      problem_.relations.push_back({kind, {all.begin(), all.begin() + count}, cost});
    };
    if (!features_.relations.empty()) {
      for (std::int64_t k = random_.between(1, 3); k > 0; --k) {
        add(random_.pick(features_.relations), 0);
      }
    }
    if (features_.soft_costs) {
      for (std::int64_t k = random_.between(1, 4); k > 0; --k) {
        add(RelationKind::avoid_overlap, random_.between(1, 5));
      }
      problem_.objective = Objective::cost;
    }
  }

  Random& random_;
  Features features_;
  bool busy_ = false;
  Step steps_ = 0;
  PlacementProblem problem_;
};

}  // namespace

PlacementProblem random_problem(Random& random, const Features& features) {
  return ProblemMaker(random, features).make();
}

namespace {

/// Copies the relations of the other buffer; occasionally omits one.
void relate_alike(Random& random, PlacementProblem& problem, BufferIndex other, BufferIndex twin) {
  const std::vector<Relation> before = problem.relations;
  const bool forget = random.chance(10);
  for (std::size_t r = 0; r < before.size(); ++r) {
    const auto& who = before[r].buffers;
    const auto at = std::find(who.begin(), who.end(), other);
    if (at == who.end() || (forget && random.chance(50))) continue;
    // Either to the same relation, which also relates the two, or as a copy of it.
    if (before[r].kind != RelationKind::adjacent && random.chance(50)) {
      problem.relations[r].buffers.push_back(twin);
      continue;
    }
    problem.relations.push_back(before[r]);
    problem.relations.back().buffers[static_cast<std::size_t>(at - who.begin())] = twin;
  }
}

/// Makes the copy live after all others; relations replace the conflicts by time.
void move_in_time(Random& random, PlacementProblem& problem, BufferIndex other, BufferIndex twin) {
  const Step last = horizon(problem);
  for (BufferIndex b = 0; b < twin; ++b) {
    if (b == other ? random.chance(50) : !coexist(problem.buffers[b], problem.buffers[other]))
      continue;
    if (!random.chance(3)) problem.relations.push_back({RelationKind::disjoint, {b, twin}, 0});
  }
  problem.buffers[twin].live = {{last, last + 1}};
  problem.buffers[twin].read.clear();
  problem.buffers[twin].write.clear();
  problem.buffers[twin].gaps.clear();
}

}  // namespace

void add_twins(Random& random, PlacementProblem& problem) {
  const bool roomy = random.chance(75);
  for (std::int64_t k = random.between(1, 3); k > 0; --k) {
    const BufferIndex other = random.below(problem.buffers.size());
    const BufferIndex twin = problem.buffers.size();
    problem.buffers.push_back(problem.buffers[other]);
    Buffer& buffer = problem.buffers.back();
    buffer.id = "twin" + std::to_string(twin);
    if (random.chance(80)) buffer.offset.reset();
    if (random.chance(4)) ++buffer.size;
    if (random.chance(4)) buffer.alignment = 3 - std::min<Size>(buffer.alignment, 2);
    if (buffer.window)
      buffer.window->end = std::max(buffer.window->end, buffer.window->begin + buffer.size);
    for (const MemoryIndex m : allowed_memories(problem, buffer)) {
      Memory& memory = problem.memories[m];
      if (!roomy || memory.capacity > 20 || random.chance(30)) continue;
      const Size more = random.between(1, buffer.size);
      memory.capacity += more;
      if (!memory.banks.empty()) memory.banks.back().size += more;
    }
    const std::vector<BufferIndex> pair = {other, twin};
    relate_alike(random, problem, other, twin);
    if (problem.buffers[twin].parts.empty() && random.chance(25)) {
      move_in_time(random, problem, other, twin);
    } else if (random.chance(20)) {
      problem.relations.push_back({RelationKind::may_overlap, pair, 0});
    }
    if (problem.objective == Objective::cost && random.chance(20))
      problem.relations.push_back({RelationKind::avoid_overlap, pair, random.between(1, 4)});
    // A buffer that was first of its class may have lost its fixed place.
    if (random.chance(50)) std::swap(problem.buffers[other].id, problem.buffers[twin].id);
  }
}

PlacementProblem magnified(const PlacementProblem& problem, Size granule, Step spread) {
  PlacementProblem result = problem;
  const auto range = [&](AddressRange& r) { r = {r.begin * granule, r.end * granule}; };
  const auto steps = [&](StepRange& r) { r = {r.lower * spread, r.upper * spread}; };
  for (Memory& memory : result.memories) {
    memory.capacity *= granule;
    if (memory.alignment != 1) memory.alignment *= granule;
    memory.base *= granule;
    for (Bank& bank : memory.banks) bank.size *= granule;
    for (AddressRange& reserved : memory.reserved) range(reserved);
  }
  for (Buffer& buffer : result.buffers) {
    buffer.size *= granule;
    if (buffer.alignment != 1) buffer.alignment *= granule;
    for (StepRange& live : buffer.live) steps(live);
    for (Gap& gap : buffer.gaps) {
      steps(gap.steps);
      if (gap.window) range(*gap.window);
    }
    for (BufferPart& part : buffer.parts) {
      for (StepRange& live : part.live) steps(live);
      part.offset *= granule;
      part.size *= granule;
      for (Repeat& repeat : part.repeat) repeat.stride *= granule;
    }
    for (Step& step : buffer.read) step *= spread;
    for (Step& step : buffer.write) step *= spread;
    if (buffer.offset) *buffer.offset *= granule;
    if (buffer.hint) *buffer.hint *= granule;
    if (buffer.window) range(*buffer.window);
  }
  return result;
}

}  // namespace tessera::testing
